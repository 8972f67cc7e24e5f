import { expect, test } from "@jest/globals";
import { BASE_RULES, type Rules } from "../../../node/config/rules.ts";
import { blockReward } from "../../../node/execution/reward.ts";
import type { Parameters } from "../../../node/governance/parameters.ts";

const magma: Rules = { ...BASE_RULES, baseFee: true, burnHalf: true, immediateFeeTo: "rewardbase" };
const kore: Rules = { ...magma, splitsStakers: true };

const parameters: Parameters = {
  unitPrice: 25n,
  deriveShaImpl: 0,
  mintingAmount: 1000n,
  proposerPercent: 50n,
  proposerBasePercent: 20n,
  weighted: false,
  epoch: 10,
  committeeSize: 1,
  baseFee: { lowerBound: 0n, upperBound: 0n, gasTarget: 0n, maxBlockGasUsed: 0n, denominator: 0n },
};
const weighted = { ...parameters, weighted: true };

test.each([
  [
    "deferred fees without a base fee go to the proposer whole",
    BASE_RULES,
    parameters,
    true,
    501n,
    0n,
    1501n,
  ],
  [
    "fees credited at once without a base fee are credited again",
    BASE_RULES,
    parameters,
    false,
    501n,
    0n,
    1501n,
  ],
  ["but not on a weighted chain", BASE_RULES, weighted, false, 501n, 0n, 1000n],
  ["half of deferred fees is burnt, rounded down", magma, parameters, true, 501n, 250n, 1251n],
  ["fees credited at once are not paid again with a base fee", magma, parameters, false, 501n, 0n, 1000n],
  ["a weighted chain burns the proposer's own share from the rest", kore, weighted, true, 501n, 350n, 1151n],
  ["and never more than the fees", kore, weighted, true, 11n, 11n, 1000n],
  ["an unweighted chain does not", kore, parameters, true, 501n, 250n, 1251n],
])("%s", (_what, rules, terms, deferred, totalFee, burnt, proposer) => {
  expect(blockReward(totalFee, { rules, parameters: terms, deferred })).toEqual({
    minted: 1000n,
    totalFee,
    burnt,
    proposer,
  });
});
