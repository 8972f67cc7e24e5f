/**
 * Properties of the node in `chain` and `eth`: its address, its options, and constant answers about mining
 * and uncles.
 */

import type { Address, Hash } from "../bytes/brands.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import { findHead } from "../calls/lookup.ts";
import type { Chain } from "../chain/chain.ts";
import { type Decoder, wrongKind } from "../jsonrpc/codec.ts";
import {
  address,
  fixedText,
  hash,
  indexQuantity,
  nullable,
  numberQuantity,
  quantity64,
} from "../jsonrpc/codecs/hex.ts";
import { boolean, nothing, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { plainValue } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, schemaRefs } from "../jsonrpc/schemas.ts";

/** Dependencies of the methods about the node. */
export interface ChainNodeDeps {
  readonly chain: Chain;
  /** The node's own address. */
  readonly address: Address;
  /** Returns the reward address of the node's own blocks, if one is set. */
  readonly rewardbase: () => Address | undefined;
  /** Returns the account of the rewards of a development chain; undefined on other nodes. */
  readonly coinbase?: (() => Address) | undefined;
  /** Returns the transaction hash of a sender transaction hash; absent without that index. */
  readonly hashBySender?: ((senderTxHash: Hash) => Uint8Array | undefined) | undefined;
}

/** The methods of `chain` and `eth` about the node. */
export function chainNodeMethods(deps: ChainNodeDeps): Method[] {
  return [...identityMethods(deps), ...switchMethods(deps), ...workMethods(), ...uncleMethods(deps.chain)];
}

/** Version of the `istanbul` protocol that the node speaks. */
const PROTOCOL_VERSION = 65;

function identityMethods({ address: own, rewardbase, coinbase }: ChainNodeDeps): Method[] {
  return [
    method({
      name: "chain_protocolVersion",
      summary: "Returns the version of the chain protocol.",
      params: {},
      result: numberQuantity,
      handle: () => PROTOCOL_VERSION,
    }),
    method({
      name: "chain_nodeAddress",
      summary: "Returns the address of the node's key.",
      params: {},
      result: address,
      handle: () => own,
    }),
    method({
      name: "eth_coinbase",
      aliases: ["eth_etherbase"],
      summary:
        "Returns the address of the node's key; on a development chain that of the account of the rewards.",
      params: {},
      result: address,
      handle: () => coinbase?.() ?? own,
    }),
    method({
      name: "chain_rewardbase",
      summary: "Returns the reward address of the node's own blocks.",
      params: {},
      result: address,
      handle: () => {
        const found = coinbase?.() ?? rewardbase();
        if (found === undefined) throw failure("rewardbase must be explicitly specified");
        return found;
      },
    }),
  ];
}

function switchMethods({ hashBySender }: ChainNodeDeps): Method[] {
  return [
    constantMethod(
      "chain_isParallelDBWrite",
      "Always returns true: the database is written concurrently.",
      true,
    ),
    constantMethod(
      "chain_isSenderTxHashIndexingEnabled",
      "Returns true when the node indexes sender transaction hashes.",
      hashBySender !== undefined,
    ),
    constantMethod(
      "chain_isConsoleLogEnabled",
      "Always returns false: contracts cannot write to the node's log.",
      false,
    ),
    constantMethod("eth_mining", "Always returns false: there is no proof of work.", false),
  ];
}

function constantMethod(name: string, summary: string, value: boolean): Method {
  return method({ name, summary, params: {}, result: boolean, handle: () => value });
}

/** The nonce of a block in Ethereum's form, 8 bytes. */
const blockNonce: Decoder<Uint8Array> = {
  label: "data",
  schema: schemaRefs.data,
  decode: (json) => {
    if (json === null) return new Uint8Array(8);
    const text = plainValue(json);
    if (typeof text !== "string") throw wrongKind(json, "*api.BlockNonce");
    return fixedText(text, "BlockNonce", 8);
  },
};

/** The methods about proof of work, with constant answers. */
function workMethods(): Method[] {
  return [
    method({
      name: "eth_hashrate",
      summary: "Always returns 0: there is no proof of work.",
      params: {},
      result: numberQuantity,
      handle: () => 0,
    }),
    method({
      name: "eth_getHashrate",
      summary: "Always returns 0, as a number: there is no proof of work.",
      params: {},
      result: plain<number>("integer", { type: "integer" }),
      handle: () => 0,
    }),
    method({
      name: "eth_getWork",
      summary: "Always fails: there is no proof of work.",
      params: {},
      result: plain<readonly string[]>("work", arraySchema({ type: "string" })),
      handle: () => {
        throw failure("no mining work available yet");
      },
    }),
    method({
      name: "eth_submitWork",
      summary: "Always returns false: there is no proof of work.",
      params: { nonce: blockNonce, hash, digest: hash },
      result: boolean,
      handle: () => false,
    }),
    method({
      name: "eth_submitHashrate",
      summary: "Always returns false: there is no proof of work.",
      params: { rate: quantity64, id: hash },
      result: boolean,
      handle: () => false,
    }),
  ];
}

/** The methods about uncles. There are none: Istanbul blocks are final. */
function uncleMethods(chain: Chain): Method[] {
  const count = nullable(numberQuantity);
  return [
    method({
      name: "eth_getUncleCountByBlockNumber",
      summary: "Returns 0, the number of uncles of a block; null for an unknown block.",
      params: { number: blockNumber },
      result: count,
      handle: ({ number }) => (findHead(chain, number) === undefined ? undefined : 0),
    }),
    method({
      name: "eth_getUncleCountByBlockHash",
      summary: "Returns 0, the number of uncles of a block; null for an unknown block.",
      params: { hash },
      result: count,
      handle: (args) => (chain.number(args.hash) === undefined ? undefined : 0),
    }),
    method({
      name: "eth_getUncleByBlockNumberAndIndex",
      summary: "Always returns null: blocks have no uncles.",
      params: { number: blockNumber, index: indexQuantity },
      result: nothing,
      handle: () => undefined,
    }),
    method({
      name: "eth_getUncleByBlockHashAndIndex",
      summary: "Always returns null: blocks have no uncles.",
      params: { hash, index: indexQuantity },
      result: nothing,
      handle: () => undefined,
    }),
  ];
}
