/** The genesis of the public test network Kairos (Baobab), as its Go nodes have it. */
import { jsonInteger } from "../exact-json.ts";
import { ADDRESS_BOOK_CODE } from "./kairos-code.ts";

const ZEROS_65 = "00".repeat(65);

/** Block at which each fork begins. */
export const kairosForks = {
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
  kip160CompatibleBlock: 156_660_000,
  randaoCompatibleBlock: 141_367_000,
};

/** The genesis file, ready for `JSON.stringify`. The contracts that later forks name are not in it. */
export const kairosGenesis = {
  config: {
    chainId: 1001,
    ...kairosForks,
    istanbul: { epoch: 604_800, policy: 2, sub: 22 },
    unitPrice: 25_000_000_000,
    deriveShaImpl: 2,
    governance: {
      governingNode: "0x99fb17d324fa0e07f23b49d09028ac0919414db6",
      governanceMode: "single",
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
  },
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
