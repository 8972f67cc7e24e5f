/**
 * The public networks: chain configuration, block 0 and boot nodes, as in `params/config.go@v2.2.2` and
 * `params/bootnodes.go@v2.2.2`. Configurations and genesis files are ready for `JSON.stringify`.
 */
import { jsonInteger } from "../exact-json.ts";
import { ADDRESS_BOOK_CODE } from "./kairos-code.ts";

/** A public network. */
export interface NetworkPreset {
  readonly name: string;
  /** Hash of block 0. */
  readonly genesisHash: `0x${string}`;
  /** Built-in chain configuration. */
  readonly config: object;
  /** `kni` URLs of the boot nodes. */
  readonly bootNodes: readonly string[];
  /** Genesis file; absent for the main network. */
  readonly genesis?: object;
}

/** Returns the last members of a public network's configuration, in the Go node's order. */
function sharedConfig(governingNode: `0x${string}`): object {
  return {
    istanbul: { epoch: 604_800, policy: 2, sub: 22 },
    blobSchedule: { osaka: { target: 1, max: 1, baseFeeUpdateFraction: 5_007_716 } },
    unitPrice: 25_000_000_000,
    deriveShaImpl: 2,
    governance: {
      governingNode,
      governanceMode: "single",
      govParamContract: `0x${"00".repeat(20)}`,
      reward: {
        mintingAmount: jsonInteger(9_600_000_000_000_000_000n),
        ratio: "34/54/12",
        useGiniCoeff: true,
        deferredTxFee: true,
        stakingUpdateInterval: 86_400,
        proposerUpdateInterval: 3_600,
        minimumStake: 5_000_000,
      },
    },
  };
}

/** Chain configuration of the main network (Cypress). */
const mainnetConfig = {
  chainId: 8217,
  istanbulCompatibleBlock: 86_816_005,
  londonCompatibleBlock: 86_816_005,
  ethTxTypeCompatibleBlock: 86_816_005,
  magmaCompatibleBlock: 99_841_497,
  koreCompatibleBlock: 119_750_400,
  shanghaiCompatibleBlock: 135_456_000,
  cancunCompatibleBlock: 147_534_000,
  kaiaCompatibleBlock: 162_900_480,
  pragueCompatibleBlock: 190_670_000,
  osakaCompatibleBlock: 213_333_000,
  kip103CompatibleBlock: 119_750_400,
  kip103ContractAddress: "0xd5ad6d61dd87edabe2332607c328f5cc96aecb95",
  kip160CompatibleBlock: 162_900_480,
  kip160ContractAddress: "0xa4df15717da40077c0ad528296adbbd046579ee9",
  randaoCompatibleBlock: 147_534_000,
  randaoRegistry: {
    records: { KIP113: "0x3e80e75975bdb8e04b800485dd28bebec6d97679" },
    owner: "0x04992a2b7e7ce809d409ade32185d49a96aaa32d",
  },
  ...sharedConfig("0x52d41ca72af615a1ac3301b0a93efa222ecc7541"),
};

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

/** Chain configuration of Kairos (Baobab). */
const kairosConfig = {
  chainId: 1001,
  istanbulCompatibleBlock: 75_373_312,
  londonCompatibleBlock: 80_295_291,
  ethTxTypeCompatibleBlock: 86_513_895,
  magmaCompatibleBlock: 98_347_376,
  koreCompatibleBlock: 111_736_800,
  shanghaiCompatibleBlock: 131_608_000,
  cancunCompatibleBlock: 141_367_000,
  kaiaCompatibleBlock: 156_660_000,
  pragueCompatibleBlock: 187_930_000,
  osakaCompatibleBlock: 209_134_000,
  kip103CompatibleBlock: 119_145_600,
  kip103ContractAddress: "0xd5ad6d61dd87edabe2332607c328f5cc96aecb95",
  kip160CompatibleBlock: 156_660_000,
  kip160ContractAddress: "0x3d478e73c9dbebb72332712d7265961b1868d193",
  randaoCompatibleBlock: 141_367_000,
  randaoRegistry: {
    records: { KIP113: "0x4beed0651c46ae5a7cb3b7737345d2ee733789e6" },
    owner: "0x04992a2b7e7ce809d409ade32185d49a96aaa32d",
  },
  ...sharedConfig("0x99fb17d324fa0e07f23b49d09028ac0919414db6"),
};

const ZEROS_65 = "00".repeat(65);

/** Genesis of Kairos. */
const kairosGenesis = {
  config: kairosConfig,
  timestamp: "0x5d132648",
  extraData: `0x${"00".repeat(32)}f89af854${[
    "99fb17d324fa0e07f23b49d09028ac0919414db6",
    "b74ff9dea397fe9e231df545eb53fe2adf776cb2",
    "571e53df607be97431a5bbefca1dffe5aef56f4d",
    "5cb1a7dccbd0dc446e3640898ede8820368554c8",
  ]
    .map((validator) => `94${validator}`)
    .join("")}b841${ZEROS_65}c0`,
  governanceData: null,
  blockScore: "0x1",
  alloc: {
    "0000000000000000000000000000000000000400": { code: ADDRESS_BOOK_CODE, balance: "0x0" },
    "4937a6f664630547f6b0c3c235c4f03a64ca36b1": { balance: "0x446c3b15f9926687d2c40534fdb564000000000000" },
  },
  number: "0x0",
  gasUsed: "0x0",
  parentHash: `0x${"00".repeat(32)}`,
};

/** The test network Kairos, formerly Baobab. */
export const kairos: NetworkPreset = {
  name: "Kairos",
  genesisHash: "0xe33ff05ceec2581ca9496f38a2bf9baad5d4eed629e896ccb33d1dc991bc4b4a",
  genesis: kairosGenesis,
  config: kairosConfig,
  bootNodes: [
    "kni://779d766628247ebda5f3e108e9303bd8efdb8eba9fd8d6c529e2614aec7207ebf6614fe7e61d0d99b75e8b23dd3a679b112fd0de7e4e71a7008f0718710da48f@ston45-kairos.node.kaia.io:32323?ntype=bn",
  ],
};

/** Returns the public network with this block 0, or `undefined` for any other chain. */
export function publicNetworkOf(genesisHash: string): NetworkPreset | undefined {
  return [mainnet, kairos].find((network) => network.genesisHash === genesisHash);
}

/** Returns the boot nodes for a node of a public network; none for core nodes and for other chains. */
export function publicBootNodes(genesisHash: string, type: "core" | "proxy" | "endpoint"): readonly string[] {
  if (type === "core") return [];
  return publicNetworkOf(genesisHash)?.bootNodes ?? [];
}
