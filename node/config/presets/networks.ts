/**
 * The public networks: chain configuration, block 0 and boot nodes, as in `params/config.go@v2.2.2` and
 * `params/bootnodes.go@v2.2.2`. Configurations and genesis files are ready for `JSON.stringify`.
 */
import { toHex } from "../../bytes/hex.ts";
import { jsonInteger } from "../exact-json.ts";
import { ADDRESS_BOOK_CODE } from "./kairos-code.ts";
import { mainnetCode } from "./mainnet-code.ts";

/** A public network. */
export interface NetworkPreset {
  readonly name: string;
  /** Hash of block 0. */
  readonly genesisHash: `0x${string}`;
  /** Built-in chain configuration. */
  readonly config: object;
  /** `kni` URLs of the boot nodes. */
  readonly bootNodes: readonly string[];
  /** Returns the genesis file. */
  readonly genesis: () => object;
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

const ZEROS_65 = "00".repeat(65);

/** Returns extra data: 32 bytes of vanity and the RLP of validators, an empty seal and no committed seals. */
function extraData(heads: string, validators: readonly string[]): string {
  const list = validators.map((validator) => `94${validator}`).join("");
  return `0x${"00".repeat(32)}${heads}${list}b841${ZEROS_65}c0`;
}

/** Returns the genesis of the main network, whose credit contract alone has 1.5 MB of hex. */
function mainnetGenesis(): object {
  const { addressBook, credit } = mainnetCode();
  return {
    config: mainnetConfig,
    timestamp: "0x5d10c5d1",
    extraData: extraData("f901d6f9018f", [
      "56e3a565e31f8fb0ba0b12c03355518c64372120",
      "386ca3cb8bb13f48d1a6adc1fb8df09e7bb7f9c8",
      "f8c9c61c5e7f2b6219d1c28b94e5cb3cdc802594",
      "bca8ffa45cc8e30bbc0522cdf1a1e0ebf540dfe2",
      "f113ec8c22765d485309cf1d025d1b975245b9f8",
      "0b59cae1f03534209fdb9ddf5ea65b310cd7060c",
      "ec6c1cede510be308f0fdbbc8dbdf238829bdb34",
      "45ed4bf508ca2061a8b4a16e278ea85a8f87a70b",
      "a2ba8f7798649a778a1fd66d3035904949fec555",
      "e3d92072d8b9a59a0427485a1b5f459271df457c",
      "1782834bf8847e235f21f2c1f13fca4d5dff6621",
      "e783fc94fddaeebef7293d6c5864cff280f121e1",
      "56e8c1463c341abf8b168c3079ea41ce8a387e18",
      "e93a890fb7ec5e993b1a7fd77b0d13a0763eff3d",
      "16c192585a0ab24b552783b4bf7d8dc9f6855c35",
      "ed6ee8a1877f9582858dbe2509abb0ac33e5f24e",
      "2bdd279522b8a0843831fbb94cfbb24a913597c5",
      "f6623192aa096e192024ecb381b04c58df9a6075",
      "52d41ca72af615a1ac3301b0a93efa222ecc7541",
    ]),
    governanceData: null,
    blockScore: "0x1",
    alloc: {
      "0000000000000000000000000000000000000000": { code: toHex(credit), balance: "0x0" },
      "0000000000000000000000000000000000000400": { code: toHex(addressBook), balance: "0x0" },
      "22835801c15abee19f408c78cad1da41cbb6f0da": { balance: "0xcecb8bc4978532dc1600000" },
      "24f55a6f46f126aa7209c882c275fedb6c108164": { balance: "0x6765c793fa10079d0000000" },
      "79bf6868cb4f7d3dd43d915690f3556669afcf4e": { balance: "0x6765c793fa10079d0000000" },
      ba411543b06dca2fcc3730b2b09f40c5bb5cddd5: { balance: "0x6765c793fa10079d0000000" },
      "854ca8508c8be2bb1f3c244045786410cb7d5d0a": { balance: "0x3635c9adc5dea00000" },
    },
    number: "0x0",
    gasUsed: "0x0",
    parentHash: `0x${"00".repeat(32)}`,
  };
}

/** The main network. */
export const mainnet: NetworkPreset = {
  name: "main network",
  genesisHash: "0xc72e5293c3c3ba38ed8ae910f780e4caaa9fb95e79784f7ab74c3c262ea7137e",
  genesis: mainnetGenesis,
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

/** Genesis of Kairos. */
const kairosGenesis = {
  config: kairosConfig,
  timestamp: "0x5d132648",
  extraData: extraData("f89af854", [
    "99fb17d324fa0e07f23b49d09028ac0919414db6",
    "b74ff9dea397fe9e231df545eb53fe2adf776cb2",
    "571e53df607be97431a5bbefca1dffe5aef56f4d",
    "5cb1a7dccbd0dc446e3640898ede8820368554c8",
  ]),
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
  genesis: () => kairosGenesis,
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
