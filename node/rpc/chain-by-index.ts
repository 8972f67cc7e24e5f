/** Transactions by block and index, as JSON, raw or counted, and transactions by their sender's hash. */

import type { Hash } from "../bytes/brands.ts";
import { type BlockNumber, blockNumber } from "../calls/arguments/block-number.ts";
import { findBlock } from "../calls/lookup.ts";
import type { Chain, TransactionPlace } from "../chain/chain.ts";
import { data, hash, indexQuantity, nullable, numberQuantity } from "../jsonrpc/codecs/hex.ts";
import { plain, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson, sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Schema } from "../jsonrpc/schemas.ts";
import { anchoringJson } from "../model/anchoring.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import {
  anchoredDataSchema,
  chainReceiptSchema,
  chainTransactionSchema,
  ethTransactionSchema,
} from "../presenters/block-schemas.ts";
import { noBlock } from "../presenters/not-found.ts";
import { blockReceipts, chainReceipt, type ReceiptForm, withPrice } from "../presenters/receipt.ts";
import { chainTransaction, chainTransactionText, ethTransactionText } from "../presenters/transaction.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainNodeDeps } from "./chain-node.ts";

/** Dependencies of the methods about transactions by index. */
export interface ChainByIndexDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "get">;
  readonly receiptForm: ReceiptForm;
  readonly hashBySender?: ChainNodeDeps["hashBySender"];
  /** True where the methods of `chain` fail for an absent block; otherwise they return null or no bytes. */
  readonly refusesAbsentBlocks: boolean;
}

/** The methods that both modules have. */
type IndexMethod =
  | "byNumber"
  | "byHash"
  | "rawByNumber"
  | "rawByHash"
  | "rawByTransactionHash"
  | "countByNumber"
  | "countByHash";

type FormatTransaction = typeof ethTransactionText;

/** Names and results of one of the two modules. */
interface Module {
  readonly names: Readonly<Record<IndexMethod, string>>;
  readonly isChain: boolean;
  readonly view: FormatTransaction;
  readonly schema: Schema;
  /** Number of bytes before Ethereum's encoding in Kaia's. */
  readonly skips: (tx: Transaction) => number;
}

const MODULES: readonly Module[] = [
  {
    names: {
      byNumber: "chain_getTransactionByBlockNumberAndIndex",
      byHash: "chain_getTransactionByBlockHashAndIndex",
      rawByNumber: "chain_getRawTransactionByBlockNumberAndIndex",
      rawByHash: "chain_getRawTransactionByBlockHashAndIndex",
      rawByTransactionHash: "chain_getRawTransactionByHash",
      countByNumber: "chain_getBlockTransactionCountByNumber",
      countByHash: "chain_getBlockTransactionCountByHash",
    },
    isChain: true,
    view: chainTransactionText,
    schema: chainTransactionSchema,
    skips: () => 0,
  },
  {
    names: {
      byNumber: "eth_getTransactionByBlockNumberAndIndex",
      byHash: "eth_getTransactionByBlockHashAndIndex",
      rawByNumber: "eth_getRawTransactionByBlockNumberAndIndex",
      rawByHash: "eth_getRawTransactionByBlockHashAndIndex",
      rawByTransactionHash: "eth_getRawTransactionByHash",
      countByNumber: "eth_getBlockTransactionCountByNumber",
      countByHash: "eth_getBlockTransactionCountByHash",
    },
    isChain: false,
    view: ethTransactionText,
    schema: ethTransactionSchema,
    skips: ({ type }) => (type.ethType === 0 ? 0 : 1),
  },
];
const transactionOf = (schema: Schema) => nullable(writtenAs("transaction", schema));
const NO_BYTES = new Uint8Array(0);

const BY_NUMBER = { block: blockNumber };
const BY_HASH = { block: hash };

/** The methods of `chain` and `eth` about transactions by index. */
export function chainByIndexMethods(deps: ChainByIndexDeps): Method[] {
  return [
    ...MODULES.flatMap((each) => indexMethods(deps, each)),
    ...MODULES.flatMap((each) => countMethods(deps, each)),
    ...senderMethods(deps),
    anchoringMethod(deps),
  ];
}

/** The blocks of a module by number and hash. */
interface BlockFinder {
  readonly byNumber: (number: BlockNumber) => Block | undefined;
  readonly byHash: (hash: Hash) => Block | undefined;
}

function blockFinder({ chain, refusesAbsentBlocks }: ChainByIndexDeps, { isChain }: Module): BlockFinder {
  const found = (block: Block | undefined, wanted: BlockNumber | Hash): Block | undefined => {
    if (block === undefined && isChain && refusesAbsentBlocks) throw noBlock(wanted);
    return block;
  };
  return {
    byNumber: (number) => found(findBlock(chain, number), number),
    byHash: (wanted) => found(chain.blockByHash(wanted), wanted),
  };
}

function indexMethods(deps: ChainByIndexDeps, module: Module): Method[] {
  const { chain, pool } = deps;
  const { names, view, skips, schema } = module;
  const find = blockFinder(deps, module);
  const format = (block: Block | undefined, index: number) => {
    const tx = block?.transactions[index];
    return block && tx && view(chain, tx, { block, index });
  };
  const raw = (tx: Transaction | undefined): Uint8Array =>
    tx === undefined ? NO_BYTES : tx.raw.subarray(skips(tx));
  const index = indexQuantity;
  const result = transactionOf(schema);
  return [
    method({
      name: names.byNumber,
      summary: "Returns the transaction at an index of a block; null for an unknown one.",
      params: { ...BY_NUMBER, index },
      result,
      handle: (args) => format(find.byNumber(args.block), args.index),
    }),
    method({
      name: names.byHash,
      summary: "Returns the transaction at an index of a block; null for an unknown one.",
      params: { ...BY_HASH, index },
      result,
      handle: (args) => format(find.byHash(args.block), args.index),
    }),
    method({
      name: names.rawByNumber,
      summary: "Returns the encoded transaction at an index of a block; empty for an unknown one.",
      params: { ...BY_NUMBER, index },
      result: data,
      handle: (args) => raw(find.byNumber(args.block)?.transactions[args.index]),
    }),
    method({
      name: names.rawByHash,
      summary: "Returns the encoded transaction at an index of a block; empty for an unknown one.",
      params: { ...BY_HASH, index },
      result: data,
      handle: (args) => raw(find.byHash(args.block)?.transactions[args.index]),
    }),
    method({
      name: names.rawByTransactionHash,
      summary: "Returns an encoded transaction of the chain or the pool; empty for an unknown one.",
      params: { hash },
      result: data,
      handle: (args) => {
        const place = chain.findTransaction(args.hash);
        return raw(place?.block.transactions[place.index] ?? pool.get(args.hash));
      },
    }),
  ];
}

function countMethods(deps: ChainByIndexDeps, module: Module): Method[] {
  const { names } = module;
  const find = blockFinder(deps, module);
  const count = nullable(numberQuantity);
  return [
    method({
      name: names.countByNumber,
      summary: "Returns the number of transactions in a block; null for an unknown block.",
      params: BY_NUMBER,
      result: count,
      handle: (args) => find.byNumber(args.block)?.transactions.length,
    }),
    method({
      name: names.countByHash,
      summary: "Returns the number of transactions in a block; null for an unknown block.",
      params: BY_HASH,
      result: count,
      handle: (args) => find.byHash(args.block)?.transactions.length,
    }),
  ];
}

function senderMethods({ chain, pool, receiptForm, hashBySender }: ChainByIndexDeps): Method[] {
  const find = (given: Uint8Array): TransactionPlace | undefined =>
    chain.findTransaction(hashBySender?.(given) ?? given);
  return [
    method({
      name: "chain_getTransactionBySenderTxHash",
      summary:
        "Returns a transaction by its sender transaction hash, which differs from its hash when a fee payer signed it.",
      params: { hash },
      result: transactionOf(chainTransactionSchema),
      handle: (args) => {
        const place = find(args.hash);
        const mined = place?.block.transactions[place.index];
        if (mined !== undefined)
          return goJson(withPrice(chainTransaction(chain, mined, place), mined, receiptForm));
        const waiting = pool.get(args.hash);
        return waiting && chainTransactionText(chain, waiting);
      },
    }),
    method({
      name: "chain_getTransactionReceiptBySenderTxHash",
      summary:
        "Returns the receipt of a transaction by its sender transaction hash; null before it is in a block.",
      params: { hash },
      result: nullable(plain<object>("receipt", chainReceiptSchema)),
      handle: (args) => {
        const place = find(args.hash);
        return place && chainReceipt(chain, blockReceipts(chain, place.block, receiptForm), place.index);
      },
    }),
  ];
}

function anchoringMethod({ chain, pool }: ChainByIndexDeps): Method {
  return method({
    name: "chain_getDecodedAnchoringTransactionByHash",
    summary: "Returns the decoded data of an anchoring transaction.",
    params: { hash },
    result: plain<object>("anchored data", anchoredDataSchema),
    handle: (args) => {
      const place = chain.findTransaction(args.hash);
      const tx = place?.block.transactions[place.index] ?? pool.get(args.hash);
      if (tx === undefined) throw failure("can't find the transaction");
      if (!tx.type.name.includes("ChainDataAnchoring")) throw failure("invalid transaction type");
      const anchored = anchoringJson(tx.input);
      if (anchored === null) throw failure("rlp: expected input list for types.AnchoringDataLegacy");
      return sortKeys(anchored);
    },
  });
}
