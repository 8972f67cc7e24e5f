/**
 * The methods of Otterscan (API level 8) about blocks, accounts and the transactions of an address, and the one of
 * Erigon that it asks for. Those about an address need the index of `--index.addresses`.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { toQuantity } from "../bytes/integer.ts";
import { blockNumber, blockReference } from "../calls/arguments/block-number.ts";
import { blockAt, blockByHash, findHead, stateOf } from "../calls/lookup.ts";
import {
  creationOf,
  type IndexedPlace,
  transactionsOf,
  transactionWithNonce,
} from "../chain/address-index.ts";
import type { Chain } from "../chain/chain.ts";
import { address, hash, nullable } from "../jsonrpc/codecs/hex.ts";
import { boolean, plain } from "../jsonrpc/codecs/plain.ts";
import { failure, invalidParams } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { recordSchema } from "../jsonrpc/schemas.ts";
import type { Block } from "../model/block.ts";
import { type BlockMembers, ethHeader } from "../presenters/block.ts";
import {
  blockDetailsSchema,
  blockTransactionsSchema,
  ethHeaderSchema,
  transactionPageSchema,
} from "../presenters/block-schemas.ts";
import {
  contractCreator,
  feesPaid,
  issuance,
  otterscanBlock,
  shortReceipt,
  shortTransaction,
  timedReceipt,
  wholeTransaction,
} from "../presenters/otterscan.ts";
import type { GovernanceMethodDeps } from "../presenters/parameters.ts";
import { blockReceipts, type ReceiptForm } from "../presenters/receipt.ts";
import { rewardOf } from "../presenters/rewards.ts";
import type { Store } from "../store/store.ts";
import { wholeNumber } from "./whole-number.ts";

/** Dependencies of these methods. */
export interface OtterscanDeps extends GovernanceMethodDeps {
  readonly chain: Chain;
  readonly blockMembers: BlockMembers;
  readonly receiptForm: ReceiptForm;
  /** The store with the index of addresses; undefined where the node keeps none. */
  readonly addressIndex: Pick<Store, "get" | "entries"> | undefined;
}

const API_LEVEL = 8;
/** Maximum number of transactions that a caller may ask for at once. */
const MAX_PAGE = 1_000;

/** The methods. */
export function otterscanMethods(deps: OtterscanDeps): Method[] {
  return [...plainMethods(deps), ...blockMethods(deps), ...searchMethods(deps), ...indexMethods(deps)];
}

function plainMethods({ chain, blockMembers: members }: OtterscanDeps): Method[] {
  return [
    method({
      name: "ots_getApiLevel",
      summary: "Returns the level of Otterscan's methods.",
      params: {},
      result: plain<number>("number", { type: "integer" }),
      handle: () => API_LEVEL,
    }),
    method({
      name: "ots_hasCode",
      summary: "Returns true when an account has code after a block.",
      params: { address, block: blockReference },
      result: boolean,
      handle: (args) => stateOf(chain, args.block).code(args.address).length > 0,
    }),
    method({
      name: "erigon_getHeaderByNumber",
      summary: "Returns a header in Ethereum's form by number or tag; null for an unknown block.",
      params: { number: blockNumber },
      result: nullable(plain<object>("header", ethHeaderSchema)),
      handle: ({ number }) => {
        const found = findHead(chain, number);
        return found && ethHeader(chain, found, { members });
      },
    }),
  ];
}

function blockMethods(deps: OtterscanDeps): Method[] {
  const { chain, blockMembers, receiptForm } = deps;
  const details = (block: Block): object => {
    const all = blockReceipts(chain, block, receiptForm);
    const minted = block.header.number === 0 ? 0n : rewardOf(deps, block).minted;
    return {
      block: otterscanBlock(chain, block, blockMembers),
      issuance: issuance(minted),
      totalFees: toQuantity(feesPaid(chain, all)),
    };
  };
  const result = plain<object>("{block, issuance, totalFees}", blockDetailsSchema);
  return [
    method({
      name: "ots_getBlockDetails",
      summary: "Returns a block without its transactions, its reward and the sum of its fees.",
      params: { number: blockNumber },
      result,
      handle: ({ number }) => details(blockAt(chain, number)),
    }),
    method({
      name: "ots_getBlockDetailsByHash",
      summary: "Returns a block without its transactions, its reward and the sum of its fees.",
      params: { hash },
      result,
      handle: (args) => details(blockByHash(chain, args.hash)),
    }),
    method({
      name: "ots_getBlockTransactions",
      summary:
        "Returns a page of a block's transactions with their receipts, without inputs and logs; page 0 has the last ones.",
      params: { number: blockNumber, page: wholeNumber, size: wholeNumber },
      result: plain<object>("{fullblock, receipts}", blockTransactionsSchema),
      handle: ({ number, page, size }) => {
        checkPage(size);
        const block = blockAt(chain, number);
        const all = blockReceipts(chain, block, receiptForm);
        const end = Math.max(0, block.transactions.length - page * size);
        const first = Math.max(0, end - size);
        const indexes = Array.from({ length: end - first }, (_, i) => first + i);
        const transactions = indexes.map((index) => shortTransaction(chain, block, index));
        return {
          fullblock: { ...otterscanBlock(chain, block, blockMembers), transactions },
          receipts: indexes.map((index) => shortReceipt(chain, all, index)),
        };
      },
    }),
  ];
}

function checkPage(size: number): void {
  if (size < 1 || size > MAX_PAGE)
    throw invalidParams(`want a page of 1 to ${MAX_PAGE} transactions, not ${size}`);
}

interface Page {
  readonly places: readonly IndexedPlace[];
  /** There are further transactions beyond the last of the page. */
  readonly hasMore: boolean;
}

function searchMethods(deps: OtterscanDeps): Method[] {
  const { chain } = deps;
  const params = { address, number: wholeNumber, size: wholeNumber };
  const result = plain<object>("{txs, receipts, firstPage, lastPage}", transactionPageSchema);
  const newest = (): number => chain.head().header.number;
  return [
    method({
      name: "ots_searchTransactionsBefore",
      summary:
        "Returns the transactions that involve an address in blocks before a block, 0 for the newest, the newest first. The last block of a page is whole. Needs `--index.addresses`.",
      params,
      result,
      handle: async ({ address: wanted, number, size }) => {
        const range = { from: 0, to: number === 0 ? newest() + 1 : number, reverse: true };
        const { places, hasMore } = await pageOf(deps, { wanted, size, range });
        return { ...pageJson(deps, places), firstPage: number === 0, lastPage: !hasMore };
      },
    }),
    method({
      name: "ots_searchTransactionsAfter",
      summary:
        "Returns the transactions that involve an address in blocks after a block, 0 for all, the newest first. The last block of a page is whole. Needs `--index.addresses`.",
      params,
      result,
      handle: async ({ address: wanted, number, size }) => {
        const range = { from: number === 0 ? 0 : number + 1, to: newest() + 1, reverse: false };
        const { places, hasMore } = await pageOf(deps, { wanted, size, range });
        return { ...pageJson(deps, places.toReversed()), firstPage: !hasMore, lastPage: number === 0 };
      },
    }),
  ];
}

interface SearchQuery {
  readonly wanted: Address;
  readonly size: number;
  readonly range: Parameters<typeof transactionsOf>[2];
}

/** Reads the places of a page, up to the end of the block in which it is full. */
async function pageOf(deps: OtterscanDeps, { wanted, size, range }: SearchQuery): Promise<Page> {
  checkPage(size);
  const places: IndexedPlace[] = [];
  for await (const place of transactionsOf(requireIndex(deps), wanted, range)) {
    if (places.length >= size && place.number !== places.at(-1)?.number) return { places, hasMore: true };
    places.push(place);
  }
  return { places, hasMore: false };
}

function pageJson({ chain, receiptForm }: OtterscanDeps, places: readonly IndexedPlace[]): object {
  const found = [...Map.groupBy(places, ({ number }) => number)].flatMap(([number, inBlock]) => {
    const block = chain.block(number);
    if (block === undefined) return [];
    const all = blockReceipts(chain, block, receiptForm);
    return inBlock
      .filter(({ index }) => index < block.transactions.length)
      .map(({ index }) => ({ block, index, all }));
  });
  return {
    txs: found.map(({ block, index }) => wholeTransaction(chain, block, index)),
    receipts: found.map(({ all, index }) => timedReceipt(chain, all, index)),
  };
}

function indexMethods(deps: OtterscanDeps): Method[] {
  const hashAt = ({ number, index }: IndexedPlace): Hash | undefined =>
    deps.chain.block(number)?.transactions[index]?.hash;
  return [
    method({
      name: "ots_getTransactionBySenderAndNonce",
      summary:
        "Returns the hash of the sender's transaction with a nonce; null for an unknown one. Needs `--index.addresses`.",
      params: { sender: address, nonce: wholeNumber },
      result: nullable(hash),
      handle: ({ sender, nonce }) => {
        const place = transactionWithNonce(requireIndex(deps), sender, BigInt(nonce));
        return place && hashAt(place);
      },
    }),
    method({
      name: "ots_getContractCreator",
      summary:
        "Returns the transaction that created a contract and the sender of the creation; null for other accounts. Needs `--index.addresses`.",
      params: { address },
      result: nullable(
        plain<object>("{hash, creator}", recordSchema({ hash: hash.schema, creator: address.schema })),
      ),
      handle: async (args) => {
        const creation = await creationOf(requireIndex(deps), args.address);
        const created = creation && hashAt(creation);
        return created && contractCreator(created, creation.creator);
      },
    }),
  ];
}

/** Throws `RpcError` where the node keeps no index. */
function requireIndex({ addressIndex }: OtterscanDeps): Pick<Store, "get" | "entries"> {
  if (addressIndex === undefined)
    throw failure("this node has no index of addresses: start it with --index.addresses");
  return addressIndex;
}
