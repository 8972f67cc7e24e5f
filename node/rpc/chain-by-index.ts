/** Transactions by where they stand, in full, raw or counted; and by the hash that their sender knows. */

import { type BlockNumber, blockNumber } from "../calls/arguments/block-number.ts";
import { findBlock } from "../calls/lookup.ts";
import type { Chain, TransactionPlace } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { data, hash, indexQuantity, nullable, numberQuantity } from "../jsonrpc/codecs/hex.ts";
import { plain, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson, sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { anchoredJson } from "../model/anchoring.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import { blockReceipts, chainReceipt } from "../presenters/receipt.ts";
import {
  adaptByHash,
  chainTransaction,
  chainTransactionText,
  ethTransactionText,
} from "../presenters/transaction.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainFactsParts } from "./chain-node.ts";

/** What these methods read. */
export interface ChainPlacesParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "get">;
  readonly profile: Pick<RpcProfile, "line">;
  readonly hashBySender?: ChainFactsParts["hashBySender"];
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

type View = typeof ethTransactionText;

/** Names and answers of one of the two modules. */
interface Module {
  readonly names: Readonly<Record<IndexMethod, string>>;
  readonly view: View;
  /** Bytes of the chain's encoding before Ethereum's. */
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
    view: chainTransactionText,
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
    view: ethTransactionText,
    skips: ({ type }) => (type.ethType === 0 ? 0 : 1),
  },
];
const transaction = nullable(writtenAs("transaction"));
const NO_BYTES = new Uint8Array(0);

const BY_NUMBER = { block: blockNumber };
const BY_HASH = { block: hash };

/** See the head of this file. */
export function chainPlaceMethods(parts: ChainPlacesParts): Method[] {
  return [
    ...MODULES.flatMap((each) => placeMethods(parts, each)),
    ...MODULES.flatMap((each) => countMethods(parts, each)),
    ...senderMethods(parts),
    anchoringMethod(parts),
  ];
}

function placeMethods({ chain, pool }: ChainPlacesParts, { names, view, skips }: Module): Method[] {
  const shown = (block: Block | undefined, index: number) => {
    const tx = block?.transactions[index];
    return block && tx && view(chain, tx, { block, index });
  };
  const raw = (tx: Transaction | undefined): Uint8Array =>
    tx === undefined ? NO_BYTES : tx.raw.subarray(skips(tx));
  const numbered = (number: BlockNumber): Block | undefined => findBlock(chain, number);
  const index = indexQuantity;
  return [
    method({
      name: names.byNumber,
      summary: "The transaction at a place in a block; null where there is none.",
      params: { ...BY_NUMBER, index },
      result: transaction,
      handle: (args) => shown(numbered(args.block), args.index),
    }),
    method({
      name: names.byHash,
      summary: "The transaction at a place in a block; null where there is none.",
      params: { ...BY_HASH, index },
      result: transaction,
      handle: (args) => shown(chain.blockByHash(args.block), args.index),
    }),
    method({
      name: names.rawByNumber,
      summary: "The bytes of the transaction at a place in a block; none where there is none.",
      params: { ...BY_NUMBER, index },
      result: data,
      handle: (args) => raw(numbered(args.block)?.transactions[args.index]),
    }),
    method({
      name: names.rawByHash,
      summary: "The bytes of the transaction at a place in a block; none where there is none.",
      params: { ...BY_HASH, index },
      result: data,
      handle: (args) => raw(chain.blockByHash(args.block)?.transactions[args.index]),
    }),
    method({
      name: names.rawByTransactionHash,
      summary: "The bytes of a transaction of the chain or the pool; none where it is in neither.",
      params: { hash },
      result: data,
      handle: (args) => {
        const place = chain.findTransaction(args.hash);
        return raw(place?.block.transactions[place.index] ?? pool.get(args.hash));
      },
    }),
  ];
}

function countMethods({ chain }: ChainPlacesParts, { names }: Module): Method[] {
  const count = nullable(numberQuantity);
  return [
    method({
      name: names.countByNumber,
      summary: "How many transactions a block has; null where there is no block.",
      params: BY_NUMBER,
      result: count,
      handle: (args) => findBlock(chain, args.block)?.transactions.length,
    }),
    method({
      name: names.countByHash,
      summary: "How many transactions a block has; null where there is no block.",
      params: BY_HASH,
      result: count,
      handle: (args) => chain.blockByHash(args.block)?.transactions.length,
    }),
  ];
}

function senderMethods({ chain, pool, profile, hashBySender }: ChainPlacesParts): Method[] {
  const find = (given: Uint8Array): TransactionPlace | undefined =>
    chain.findTransaction(hashBySender?.(given) ?? given);
  return [
    method({
      name: "chain_getTransactionBySenderTxHash",
      summary: "A transaction by the hash that its sender knows, which is its own unless somebody else pays.",
      params: { hash },
      result: transaction,
      handle: (args) => {
        const place = find(args.hash);
        const mined = place?.block.transactions[place.index];
        if (mined !== undefined)
          return goJson(adaptByHash(chainTransaction(chain, mined, place), mined, profile));
        const waiting = pool.get(args.hash);
        return waiting && chainTransactionText(chain, waiting);
      },
    }),
    method({
      name: "chain_getTransactionReceiptBySenderTxHash",
      summary:
        "The receipt of a transaction by the hash that its sender knows; null while it is in no block.",
      params: { hash },
      result: nullable(plain<object>("receipt")),
      handle: (args) => {
        const place = find(args.hash);
        return place && chainReceipt(chain, blockReceipts(chain, place.block, profile), place.index);
      },
    }),
  ];
}

function anchoringMethod({ chain }: ChainPlacesParts): Method {
  return method({
    name: "chain_getDecodedAnchoringTransactionByHash",
    summary: "What an anchoring transaction says of another chain.",
    params: { hash },
    result: plain<object>("anchored data"),
    handle: (args) => {
      const place = chain.findTransaction(args.hash);
      const tx = place?.block.transactions[place.index];
      if (tx === undefined) throw failure("can't find the transaction");
      if (!tx.type.name.includes("ChainDataAnchoring")) throw failure("invalid transaction type");
      const anchored = anchoredJson(tx.input);
      if (anchored === null) throw failure("rlp: expected input list for types.AnchoringDataLegacy");
      return sortKeys(anchored);
    },
  });
}
