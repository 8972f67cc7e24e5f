/** Tests of block rewards and their recipients. */
import { describe, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { BASE_RULES, type Rules } from "../../../node/config/rules.ts";
import { finalizeBlock } from "../../../node/execution/block.ts";
import { blockReward, feesOf, type RewardDeps, reportedReward } from "../../../node/execution/reward.ts";
import { type GovernanceParameters, parametersOf } from "../../../node/governance/parameters.ts";
import { noStaking, type StakingInfo } from "../../../node/governance/staking.ts";
import { aWorld } from "../../support/execution.ts";
import { aGenesisBlock, aHeader, testParameters } from "../../support/headers.ts";

const magma: Rules = { ...BASE_RULES, baseFee: true, burnHalf: true, immediateFeeTo: "rewardbase" };
const kore: Rules = { ...magma, splitsStakers: true };
const prague: Rules = { ...kore, liquidityPools: true };

const simple: GovernanceParameters = {
  ...testParameters,
  mintingAmount: 1000n,
  ratio: { validators: 50n, kif: 40n, kef: 10n, kpf: 0n },
  kip82: { proposer: 20n, stakers: 80n },
};
const weighted: GovernanceParameters = { ...simple, policy: "weighted", minimumStake: 5n };
const atOnce = (parameters: GovernanceParameters): GovernanceParameters => ({
  ...parameters,
  deferredTxFee: false,
});

const [maker, kif, kef, other, pool, kpf] = [1, 2, 3, 4, 5, 6].map((number) => fixedBytes(number, 20)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

function terms(
  rules: Rules,
  parameters: GovernanceParameters,
  totalFee: bigint,
  staking: StakingInfo = noStaking(0),
): RewardDeps {
  return { rules, parameters, totalFee, staking, rewardbase: maker };
}

/** Stakes by reward address. */
function rewardWithStakes(
  stakes: readonly (readonly [Uint8Array, bigint])[],
  pools: StakingInfo["pools"] = [],
): StakingInfo {
  const nodes = stakes.map(([reward, amount], i) => ({
    node: fixedBytes(100 + i, 20),
    stakingContract: fixedBytes(200 + i, 20),
    reward,
    amount,
  }));
  return { source: 0, nodes, kif, kef, kpf: undefined, pools };
}

function paymentsOf(reward: RewardDeps): Record<string, bigint> {
  return Object.fromEntries(
    blockReward(reward).credits.map(({ address, amount }) => [Number(toHex(address)), amount]),
  );
}

describe("without stakes the proposer gets everything", () => {
  test.each([
    ["deferred fees without a base fee whole", BASE_RULES, simple, 501n, 0n, 1501n],
    ["fees credited at once without a base fee once more", BASE_RULES, atOnce(simple), 501n, 0n, 1501n],
    ["but not on a weighted chain", BASE_RULES, atOnce(weighted), 501n, 0n, 1000n],
    ["half of deferred fees, the other half is burnt, rounded down", magma, simple, 501n, 250n, 1251n],
    ["no fees credited at once under a base fee", magma, atOnce(simple), 501n, 0n, 1000n],
    ["on a weighted chain fees beyond its own share", kore, weighted, 501n, 350n, 1151n],
    ["and never is more burnt than the fees", kore, weighted, 11n, 11n, 1000n],
    ["an unweighted chain burns half alone", kore, simple, 501n, 250n, 1251n],
  ])("%s", (_what, rules, parameters, totalFee, burnt, proposer) => {
    const reward = blockReward(terms(rules, parameters, totalFee));
    expect({ burnt: reward.burnt, proposer: reward.proposer }).toEqual({ burnt, proposer });
    expect(reward.credits).toEqual([{ address: maker, amount: proposer }]);
    expect([reward.stakers, reward.kif, reward.kef]).toEqual([0n, 0n, 0n]);
  });
});

describe("on a weighted chain with an address book", () => {
  test("minted amount and fees are split among proposer and funds; the remainder goes to the first fund", () => {
    const odd = { ...weighted, mintingAmount: 1001n };
    expect(paymentsOf(terms(BASE_RULES, odd, 2n, rewardWithStakes([])))).toEqual({
      1: 501n,
      2: 402n,
      3: 100n,
    });
    expect(paymentsOf(terms(magma, odd, 3n, rewardWithStakes([])))).toEqual({ 1: 501n, 2: 402n, 3: 100n });
  });

  test("stakers share by stake above the minimum; the remainder goes to the proposer", () => {
    const staking = rewardWithStakes([
      [maker, 6n],
      [other, 7n],
      [pool, 4n],
    ]);
    // 500 for validators: 100 for the maker, 400 for stakers of 1 and 2 beyond the minimum.
    expect(paymentsOf(terms(kore, weighted, 0n, staking))).toEqual({
      1: 101n + 133n,
      2: 400n,
      3: 100n,
      4: 266n,
    });
    const reward = blockReward(terms(kore, weighted, 300n, staking));
    expect(reward).toMatchObject({ burnt: 250n, proposer: 151n, stakers: 399n, kif: 400n, kef: 100n });
  });

  test("without stake above the minimum the stakers' share goes to the proposer", () => {
    expect(paymentsOf(terms(kore, weighted, 0n, rewardWithStakes([[other, 5n]])))).toEqual({
      1: 500n,
      2: 400n,
      3: 100n,
    });
  });

  test("a pool of liquidity gets its part of what its node gets, since it counts", () => {
    const staking = rewardWithStakes([[maker, 6n]], [{ node: fixedBytes(100, 20), pool, amount: 2n }]);
    // 100 of its own and 400 as the only staker, each shared 6 to 2.
    expect(paymentsOf(terms(prague, weighted, 0n, staking))).toEqual({ 1: 375n, 2: 400n, 3: 100n, 5: 125n });
    expect(paymentsOf(terms(kore, weighted, 0n, staking))).toEqual({ 1: 500n, 2: 400n, 3: 100n });
  });

  test("a pool outside the address book, and one without enough stake, get nothing", () => {
    const stranger = rewardWithStakes([[maker, 6n]], [{ node: fixedBytes(999, 20), pool, amount: 2n }]);
    expect(paymentsOf(terms(prague, weighted, 0n, stranger))).toEqual({ 1: 500n, 2: 400n, 3: 100n });
    const small = rewardWithStakes([[other, 4n]], [{ node: fixedBytes(100, 20), pool, amount: 9n }]);
    expect(paymentsOf(terms(prague, weighted, 0n, small))).toEqual({ 1: 500n, 2: 400n, 3: 100n });
  });

  test("the credits add up to the reward for any amounts", () => {
    for (let i = 0n; i < 200n; i++) {
      const parameters = { ...weighted, mintingAmount: 997n * i };
      const staking = rewardWithStakes([
        [maker, 5n + i],
        [other, 9n],
      ]);
      for (const rules of [BASE_RULES, magma, kore, prague]) {
        const reward = blockReward(terms(rules, parameters, 31n * i, staking));
        const sum = reward.credits.reduce((all, { amount }) => all + amount, 0n);
        expect(sum).toBe(reward.minted + reward.totalFee - reward.burnt);
        expect(sum).toBe(reward.proposer + reward.stakers + reward.kif + reward.kef);
      }
    }
  });
});

describe("the flexible reward", () => {
  const osaka: Rules = { ...prague, flexReward: true };
  const flexible: GovernanceParameters = {
    ...weighted,
    ratio: { validators: 50n, kif: 25n, kef: 15n, kpf: 10n },
    stakingRewardThreshold: 7n,
    useFlexReward: true,
  };
  const stakes = rewardWithStakes([
    [maker, 6n],
    [other, 9n],
    [pool, 4n],
  ]);
  const withFund = { ...stakes, kpf };

  test("pays the third fund, and stakers above the threshold of their own", () => {
    const reward = blockReward(terms(osaka, flexible, 300n, withFund));
    expect(reward).toMatchObject({
      burnt: 250n,
      proposer: 150n,
      stakers: 400n,
      kif: 250n,
      kef: 150n,
      kpf: 100n,
    });
    expect(paymentsOf(terms(osaka, flexible, 0n, withFund))).toEqual({
      1: 100n,
      2: 250n,
      3: 150n,
      4: 400n,
      6: 100n,
    });
  });

  test("gives the third fund's share to the proposer without its address, and names the fund with a share of 0", () => {
    expect(paymentsOf(terms(osaka, flexible, 0n, stakes))).toEqual({ 1: 200n, 2: 250n, 3: 150n, 4: 400n });
    const threeParts = { ...flexible, ratio: weighted.ratio };
    expect(paymentsOf(terms(osaka, threeParts, 0n, withFund))).toEqual({
      1: 100n,
      2: 400n,
      3: 100n,
      4: 400n,
      6: 0n,
    });
  });

  test("needs its fork and its parameter; without them a fourth part goes to the first fund", () => {
    const off = { ...flexible, useFlexReward: false };
    for (const reward of [terms(osaka, off, 0n, withFund), terms(prague, flexible, 0n, withFund)]) {
      // Stakers of 1 and 4 above the minimum share 400.
      expect(paymentsOf(reward)).toEqual({ 1: 100n + 80n, 2: 350n, 3: 150n, 4: 320n });
    }
    expect(paymentsOf(terms(magma, flexible, 0n, withFund))).toEqual({ 1: 500n, 2: 350n, 3: 150n });
  });

  test("counts a pool above the threshold for a node with the minimum stake alone", () => {
    const pools = [
      { node: fixedBytes(100, 20), pool, amount: 4n },
      { node: fixedBytes(101, 20), pool: fixedBytes(7, 20), amount: 9n },
    ];
    const pooled = rewardWithStakes(
      [
        [maker, 6n],
        [other, 4n],
      ],
      pools,
    );
    // 500 of the maker, shared 6 to 4 in each part; 10 is above the threshold of 7, 4 is below the minimum of 5.
    expect(paymentsOf(terms(osaka, flexible, 0n, pooled))).toEqual({ 1: 360n, 2: 250n, 3: 150n, 5: 240n });
  });

  test("reads its threshold modulo 2^64", () => {
    const read = parametersOf(new Map([["reward.stakingrewardthreshold", `${2n ** 64n + 7n}`]]));
    expect(read.stakingRewardThreshold).toBe(flexible.stakingRewardThreshold);
  });
});

describe("a negative minted amount is taken", () => {
  const voted = parametersOf(new Map([["reward.mintingamount", "-1"]]));
  const [taking, least] = [-1000n, voted.mintingAmount].map((mintingAmount) => ({
    ...weighted,
    mintingAmount,
  }));

  test("by shares that are rounded down, and no staker has one", () => {
    const stakes = rewardWithStakes([[other, 9n]]);
    expect(paymentsOf(terms(kore, taking ?? weighted, 300n, stakes))).toEqual({
      1: -250n,
      2: -400n,
      3: -100n,
    });
    // The fees burnt are -1 here: as the smaller one of no fee and the proposer's own share.
    expect(paymentsOf(terms(kore, least ?? weighted, 0n, stakes))).toEqual({ 1: -1n, 2: 2n, 3: -1n });
    expect(paymentsOf(terms(magma, least ?? weighted, 0n, stakes))).toEqual({ 1: -1n, 2: 1n, 3: -1n });
  });

  test("from an account as far as it goes", async () => {
    const world = await aWorld();
    world.addBalance(maker, 30n);
    const outcome = { receipts: [], gasUsed: 0n, bloom: new Uint8Array(256), totalFee: 0n };
    const pay = (mintingAmount: bigint): bigint => {
      const header = { ...aHeader(aGenesisBlock([]), []), rewardbase: maker };
      const parameters = { ...simple, mintingAmount };
      finalizeBlock(world, header, { outcome, rules: magma, parameters, staking: noStaking(0) });
      return world.balance(maker);
    };
    expect([-20n, -20n, 5n].map(pay)).toEqual([10n, 0n, 5n]);
  });
});

test("of two amounts for one pool the last counts", () => {
  const pools = [100, 101].map((number, i) => ({
    node: fixedBytes(number, 20),
    pool,
    amount: BigInt(i + 1),
  }));
  const both = rewardWithStakes(
    [
      [other, 6n],
      [fixedBytes(8, 20), 6n],
    ],
    pools,
  );
  // 400 for stakers of 2 and 3 above the minimum: 160 with 1 of 7 pooled and 240 with 2 of 8 pooled.
  expect(paymentsOf(terms(prague, weighted, 0n, both))).toEqual({
    1: 100n,
    2: 400n,
    3: 100n,
    4: 138n,
    5: 60n,
    8: 180n,
  });
});

test("the reported reward includes fees paid at once, half of them as burnt under a base fee", () => {
  const reported = reportedReward(terms(magma, atOnce(simple), 501n), other);
  expect(reported).toMatchObject({ totalFee: 501n, burnt: 250n, proposer: 1251n });
  const before = reportedReward(terms(BASE_RULES, atOnce(simple), 501n), other);
  expect(before).toMatchObject({ totalFee: 1002n, burnt: 0n, proposer: 2002n });
  expect(before.credits).toEqual([
    { address: maker, amount: 1501n },
    { address: other, amount: 501n },
  ]);
});

test("fees follow the unit price, the base fee, or the amounts paid", () => {
  const fees = { gasUsed: 10n, paid: 77n, baseFee: 3n };
  expect(feesOf(fees, BASE_RULES, { ...simple, unitPrice: 25n })).toBe(250n);
  expect(feesOf(fees, magma, simple)).toBe(30n);
  expect(feesOf(fees, { ...magma, effectivePrice: "base-fee-and-tip" }, simple)).toBe(77n);
});
