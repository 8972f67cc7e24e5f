/** The public networks: block 0, chain configuration and boot nodes. */
import { kairosConfig, kairosGenesis } from "./kairos.ts";
import { mainnetConfig } from "./mainnet.ts";

/** A public network. */
export interface NetworkPreset {
  readonly name: string;
  /** Hash of block 0. */
  readonly genesisHash: `0x${string}`;
  /** The built-in chain configuration, ready for `JSON.stringify`. */
  readonly config: object;
  /** `kni` URLs of the nodes that know the others. */
  readonly bootNodes: readonly string[];
  /** The genesis file, ready for `JSON.stringify`; absent where the accounts of block 0 are not included. */
  readonly genesis?: object;
}

/** The main network. Its genesis file has 1.5 MB of accounts and is not included. */
export const mainnet: NetworkPreset = {
  name: "main network",
  genesisHash: "0xc72e5293c3c3ba38ed8ae910f780e4caaa9fb95e79784f7ab74c3c262ea7137e",
  config: mainnetConfig,
  bootNodes: [
    "kni://18b36118cce093673499fc6e9aa196f047fe17a0de35b6f2a76a4557802f6abf9f89aa5e7330e93c9014b714b9df6378393611efe39aec9d3d831d6aa9d617ae@ston65.node.kaia.io:32323?ntype=bn",
    "kni://63f1c96874da85140ecca3ce24875cb5ef28fa228bc3572e16f690db4a48fc8067502d2f6e8f0c66fb558276a5ada1e4906852c7ae42b0003e9f9f25d1e123b1@ston873.node.kaia.io:32323?ntype=bn",
    "kni://94cc15e2014b86584908707de55800c0a2ea8a24dc5550dcb507043e4cf18ff04f21dc86ed17757dc63b1fa85bb418b901e5e24e4197ad4bbb0d96cd9389ed98@ston106.node.kaia.io:32323?ntype=bn",
  ],
};

/** The test network Kairos, once called Baobab. */
export const kairos: NetworkPreset = {
  name: "Kairos",
  genesisHash: "0xe33ff05ceec2581ca9496f38a2bf9baad5d4eed629e896ccb33d1dc991bc4b4a",
  genesis: kairosGenesis,
  config: kairosConfig,
  bootNodes: [
    "kni://779d766628247ebda5f3e108e9303bd8efdb8eba9fd8d6c529e2614aec7207ebf6614fe7e61d0d99b75e8b23dd3a679b112fd0de7e4e71a7008f0718710da48f@ston45-kairos.node.kaia.io:32323?ntype=bn",
  ],
};

/** The public network with this block 0, or undefined for any other chain. */
export function publicNetworkOf(genesisHash: string): NetworkPreset | undefined {
  return [mainnet, kairos].find((network) => network.genesisHash === genesisHash);
}

/** The boot nodes for a node of a public network, known by its block 0; core nodes have none, other chains neither. */
export function publicBootNodes(genesisHash: string, type: "core" | "proxy" | "endpoint"): readonly string[] {
  if (type === "core") return [];
  return publicNetworkOf(genesisHash)?.bootNodes ?? [];
}
