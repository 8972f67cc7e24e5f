/**
 * The round machine under everything that a network, a disk and traitors can do to it. `KNIT_BFT_SEEDS` is how many
 * runs there are in all, `KNIT_BFT_SEED` the first seed: both together repeat one that failed.
 */
import { expect, test } from "@jest/globals";
import { planOf } from "../../../support/bft/plan.ts";
import type { Outcome } from "../../../support/bft/simulated.ts";
import { simulate } from "../../../support/bft/simulation.ts";

const SEEDS = Number(process.env["KNIT_BFT_SEEDS"] ?? 60);
const FIRST = Number(process.env["KNIT_BFT_SEED"] ?? 0);

test.each([
  [4, 0.75],
  [7, 0.2],
  [22, 0.04],
  [50, 0.01],
])(
  "%i validators never decide on two blocks, and go on once the network is good",
  (validators, share) => {
    for (let i = 0; i < Math.ceil(SEEDS * share); i++) {
      const outcome: Outcome = simulate(planOf(FIRST + i, validators));
      expect(outcome.blocks).toBeGreaterThanOrEqual(2);
    }
  },
  1_800_000,
);

test("the same seed gives the same run", () => {
  expect(simulate(planOf(3, 7))).toEqual(simulate(planOf(3, 7)));
});
