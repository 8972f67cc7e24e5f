/** What the chain is and where it stands: head, identity, suggested prices. */
import { toQuantity } from "../bytes/integer.ts";
import { priceBounds, suggestedPrice, suggestedTip } from "../calls/gas-price.ts";
import type { Chain } from "../chain/chain.ts";
import { numberQuantity, quantity } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { objectSchema } from "../jsonrpc/schemas.ts";
import type { ChainProtocol } from "../protocol/chain-protocol.ts";

/** What these methods read. */
export interface ChainInfoParts {
  readonly chain: Chain;
  readonly clientName: string;
  readonly sync: Pick<ChainProtocol, "syncing">;
}

/** `chain_` and `eth_` facts about the chain. */
export function chainInfoMethods({ chain, clientName, sync }: ChainInfoParts): Method[] {
  return [
    method({
      name: "chain_blockNumber",
      aliases: ["eth_blockNumber"],
      summary: "The number of the newest block.",
      params: {},
      result: numberQuantity,
      handle: () => chain.head().header.number,
    }),
    method({
      name: "chain_chainId",
      aliases: ["chain_chainID", "eth_chainId"],
      summary: "The chain's number, which signatures carry.",
      params: {},
      result: quantity,
      handle: () => chain.config.chainId,
    }),
    method({
      name: "chain_clientVersion",
      summary: "The node's name and version.",
      params: {},
      result: text,
      handle: () => clientName,
    }),
    method({
      name: "chain_syncing",
      aliases: ["eth_syncing"],
      summary: "How far the node is while it takes in blocks that others have; false otherwise.",
      params: {},
      result: plain<false | object>("progress or false", {
        oneOf: [objectSchema("progress"), { const: false }],
      }),
      handle: () => syncView(sync.syncing()),
    }),
    ...priceMethods(chain),
  ];
}

/** States are not pulled from peers: every block is executed. */
function syncView(facts: ReturnType<ChainProtocol["syncing"]>): false | object {
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

function priceMethods(chain: Chain): Method[] {
  return [
    method({
      name: "chain_gasPrice",
      aliases: ["eth_gasPrice"],
      summary: "The price of a unit of gas that the node suggests for the next block, in peb.",
      params: {},
      result: quantity,
      handle: () => suggestedPrice(chain),
    }),
    method({
      name: "chain_maxPriorityFeePerGas",
      aliases: ["eth_maxPriorityFeePerGas"],
      summary: "The tip that the node suggests; before there is a base fee, the unit price.",
      params: {},
      result: quantity,
      handle: () => suggestedTip(chain),
    }),
    method({
      name: "chain_lowerBoundGasPrice",
      aliases: ["eth_lowerBoundGasPrice"],
      summary: "The lowest base fee the chain can come to; before there is one, the unit price.",
      params: {},
      result: quantity,
      handle: () => priceBounds(chain).lower,
    }),
    method({
      name: "chain_upperBoundGasPrice",
      aliases: ["eth_upperBoundGasPrice"],
      summary: "The highest base fee the chain can come to; before there is one, the unit price.",
      params: {},
      result: quantity,
      handle: () => priceBounds(chain).upper,
    }),
  ];
}
