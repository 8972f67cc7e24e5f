/** Tests of rate limits by owner. */
import { expect, test } from "@jest/globals";
import { createOwnerRate } from "../../../node/runtime/owner-rate.ts";

const limits = { each: { perSecond: 10, burst: 20 }, all: { perSecond: 100, burst: 50 }, owners: 3 };

/** An allowance, with a clock that the test turns; `take` tells how many of so many packets may pass. */
function anAllowance() {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const allowance = createOwnerRate(limits, clock);
  const take = (owner: string, count: number): number =>
    Array.from({ length: count }, () => allowance(owner)).filter((may) => may).length;
  return { clock, take };
}

test("an owner has its burst, then its rate, while others are served", () => {
  const { clock, take } = anAllowance();
  expect([take("8.8.8.8", 100), take("8.8.4.4", 15)]).toEqual([20, 15]);
  clock.ms += 1000;
  expect(take("8.8.8.8", 100)).toBe(10);
  clock.ms += 3_600_000;
  expect(take("8.8.8.8", 100)).toBe(20);
});

test("the total limit holds even when owners are no longer tracked", () => {
  const { clock, take } = anAllowance();
  const all = [1, 2, 3, 4, 5, 6, 7].map((last) => take(`1.0.0.${last}`, 20));
  expect(all).toEqual([20, 20, 10, 0, 0, 0, 0]);
  clock.ms += 100;
  expect(take("1.0.0.1", 20)).toBe(10);
});

test("an owner is tracked while fewer than the given number of others come", () => {
  const { take } = anAllowance();
  take("1.0.0.0", 1);
  take("1.0.0.1", 20);
  for (const last of [2, 3, 4]) take(`1.0.0.${last}`, 1);
  expect(take("1.0.0.1", 20)).toBe(0);
});
