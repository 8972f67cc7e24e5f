/** The chain's head and id, and the node's name and sync status. */
import { toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import { numberQuantity, quantity } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { recordSchema } from "../jsonrpc/schemas.ts";
import type { ChainProtocol } from "../protocol/chain-protocol.ts";

/** Dependencies of the methods about the chain. */
export interface ChainInfoDeps {
  readonly chain: Chain;
  readonly clientName: string;
  readonly sync: Pick<ChainProtocol, "syncing">;
}

const progressSchema = recordSchema({
  startingBlock: quantity.schema,
  currentBlock: quantity.schema,
  highestBlock: quantity.schema,
  pulledStates: quantity.schema,
  knownStates: quantity.schema,
});

/** The methods of `chain` and `eth` about the chain. */
export function chainInfoMethods({ chain, clientName, sync }: ChainInfoDeps): Method[] {
  return [
    method({
      name: "chain_blockNumber",
      aliases: ["eth_blockNumber"],
      summary: "Returns the number of the newest block.",
      params: {},
      result: numberQuantity,
      handle: () => chain.head().header.number,
    }),
    method({
      name: "chain_chainId",
      aliases: ["chain_chainID", "eth_chainId"],
      summary: "Returns the chain id.",
      params: {},
      result: quantity,
      handle: () => chain.config.chainId,
    }),
    method({
      name: "chain_clientVersion",
      summary: "Returns the name and the version of the node.",
      params: {},
      result: text,
      handle: () => clientName,
    }),
    method({
      name: "chain_syncing",
      aliases: ["eth_syncing"],
      summary: "Returns the progress of the sync; false when the node is in sync.",
      params: {},
      result: plain<false | object>("progress or false", { oneOf: [progressSchema, { const: false }] }),
      handle: () => syncJson(sync.syncing()),
    }),
  ];
}

/** Formats the sync status. The state counters are 0: the node executes blocks and downloads no states. */
function syncJson(facts: ReturnType<ChainProtocol["syncing"]>): false | object {
  if (facts === undefined) return false;
  const { startingBlock, currentBlock, highestBlock } = facts;
  return {
    startingBlock: toQuantity(startingBlock),
    currentBlock: toQuantity(currentBlock),
    highestBlock: toQuantity(highestBlock),
    pulledStates: "0x0",
    knownStates: "0x0",
  };
}
