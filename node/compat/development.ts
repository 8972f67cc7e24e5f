/** Answers of a development chain, which are those of Anvil and Hardhat Network where tools rely on them. */
import { type Decoder, optional } from "../jsonrpc/codec.ts";
import type { Adapter } from "../jsonrpc/method.ts";
import { type AdapterRow, adaptWith } from "./adapters.ts";
import { type ProfileName, type RpcOptions, rpcProfiles } from "./profiles.ts";

/** Makes the block optional: the newest one by default. */
const newestByDefault: Adapter = (definition) => {
  const block = definition.params["block"] as Decoder<unknown>; // each method of the row has one
  return { ...definition, params: { ...definition.params, block: optional(block, { number: "latest" }) } };
};

const rows: readonly AdapterRow[] = [
  {
    methods: [
      "chain_getBalance",
      "chain_getTransactionCount",
      "chain_getCode",
      "chain_getStorageAt",
      "eth_call",
    ],
    difference: "The block is the newest one by default.",
    adapt: newestByDefault,
  },
];

const { rows: serviceRows, options } = rpcProfiles.service;

const DEVELOPMENT: RpcOptions = {
  ...options,
  interfaces: { ...options.interfaces, adaptMethod: adaptWith([...serviceRows, ...rows]) },
  blockMembers: { ...options.blockMembers, miner: "rewardbase" },
  messagePrefix: "Ethereum",
  pendingOf: "all",
};

/** Returns the options of the methods of a node; a profile of a Go node is the same on a development chain. */
export function methodOptions(profile: ProfileName, isDevelopment: boolean): RpcOptions {
  return isDevelopment && profile === "service" ? DEVELOPMENT : rpcProfiles[profile].options;
}
