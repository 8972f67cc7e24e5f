/** What the node is and how it was started, as far as `chain`, `eth` and `admin` tell of it. */

import { blockNumber } from "../calls/arguments/block-number.ts";
import { findHead } from "../calls/lookup.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import {
  address,
  data,
  hash,
  indexQuantity,
  nullable,
  numberQuantity,
  quantity64,
} from "../jsonrpc/codecs/hex.ts";
import { boolean, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema } from "../jsonrpc/schemas.ts";

/** What these methods tell. */
export interface ChainFactsParts {
  readonly chain: Chain;
  readonly profile: RpcProfile;
  /** The node's own address. */
  readonly address: Uint8Array;
  /** Where rewards of the node's own blocks go, if somebody said so. */
  readonly rewardbase: () => Uint8Array | undefined;
  /** The hash of the transaction that its sender knows by this one; absent without that index. */
  readonly hashBySender?: ((senderTxHash: Uint8Array) => Uint8Array | undefined) | undefined;
}

/** See the head of this file. */
export function chainFactsMethods(parts: ChainFactsParts): Method[] {
  return [...identityMethods(parts), ...switchMethods(parts), ...workMethods(), ...uncleMethods(parts.chain)];
}

function identityMethods({ profile, address: own, rewardbase }: ChainFactsParts): Method[] {
  return [
    method({
      name: "chain_protocolVersion",
      summary: "The version of the chain protocol.",
      params: {},
      result: numberQuantity,
      handle: () => profile.line.protocolVersion,
    }),
    method({
      name: "chain_nodeAddress",
      aliases: ["eth_coinbase", "eth_etherbase"],
      summary: "The address of the node's own key.",
      params: {},
      result: address,
      handle: () => own,
    }),
    method({
      name: "chain_rewardbase",
      summary: "Where the rewards of the node's own blocks go.",
      params: {},
      result: address,
      handle: () => {
        const found = rewardbase();
        if (found === undefined) throw failure("rewardbase must be explicitly specified");
        return found;
      },
    }),
  ];
}

function switchMethods({ hashBySender }: ChainFactsParts): Method[] {
  return [
    fixed("chain_isParallelDBWrite", "Whether the database is written beside other work: always.", true),
    fixed(
      "chain_isSenderTxHashIndexingEnabled",
      "Whether transactions are found by a hash that only their sender knows.",
      hashBySender !== undefined,
    ),
    fixed("chain_isConsoleLogEnabled", "Whether contracts may write to the node's log: never.", false),
    fixed("eth_mining", "Whether the node searches for proofs of work: never.", false),
  ];
}

function fixed(name: string, summary: string, value: boolean): Method {
  return method({ name, summary, params: {}, result: boolean, handle: () => value });
}

/** Nobody works for blocks here. */
function workMethods(): Method[] {
  return [
    method({
      name: "eth_hashrate",
      summary: "Proofs of work tried a second: none.",
      params: {},
      result: numberQuantity,
      handle: () => 0,
    }),
    method({
      name: "eth_getWork",
      summary: "Always an error: blocks need no proof of work.",
      params: {},
      result: plain<readonly string[]>("work", arraySchema({ type: "string" })),
      handle: () => {
        throw failure("no mining work available yet");
      },
    }),
    method({
      name: "eth_submitWork",
      summary: "Always false: blocks need no proof of work.",
      params: { nonce: data, hash, digest: hash },
      result: boolean,
      handle: () => false,
    }),
    method({
      name: "eth_submitHashrate",
      summary: "Always false: blocks need no proof of work.",
      params: { rate: quantity64, id: hash },
      result: boolean,
      handle: () => false,
    }),
  ];
}

/** There are no uncles: a block that a quorum has sealed is the only one of its number. */
function uncleMethods(chain: Chain): Method[] {
  const count = nullable(numberQuantity);
  const none = nullable(text);
  return [
    method({
      name: "eth_getUncleCountByBlockNumber",
      summary: "How many uncles a block has: none; null where there is no block.",
      params: { number: blockNumber },
      result: count,
      handle: ({ number }) => (findHead(chain, number) === undefined ? undefined : 0),
    }),
    method({
      name: "eth_getUncleCountByBlockHash",
      summary: "The same by the block's hash.",
      params: { hash },
      result: count,
      handle: (args) => (chain.number(args.hash) === undefined ? undefined : 0),
    }),
    method({
      name: "eth_getUncleByBlockNumberAndIndex",
      summary: "An uncle of a block: always null.",
      params: { number: blockNumber, index: indexQuantity },
      result: none,
      handle: () => undefined,
    }),
    method({
      name: "eth_getUncleByBlockHashAndIndex",
      summary: "The same by the block's hash.",
      params: { hash, index: indexQuantity },
      result: none,
      handle: () => undefined,
    }),
  ];
}
