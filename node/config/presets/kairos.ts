/** Chain configuration and genesis of the test network Kairos (Baobab), as in `kaia/params/config.go@v2.2.2`. */
import { ADDRESS_BOOK_CODE } from "./kairos-code.ts";
import { publicTerms } from "./public-terms.ts";

const ZEROS_65 = "00".repeat(65);

/** The chain configuration, ready for `JSON.stringify`. */
export const kairosConfig = {
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
  ...publicTerms("0x99fb17d324fa0e07f23b49d09028ac0919414db6"),
};

/** The genesis file, ready for `JSON.stringify`. */
export const kairosGenesis = {
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
