/** The clock of a development chain. */
import { expect, test } from "@jest/globals";
import { AdjustableClock } from "../../../node/runtime/adjustable-clock.ts";

test("a clock that begins anew goes on from there without an offset", () => {
  let machine = 10_000;
  const clock = new AdjustableClock({ now: () => machine });
  clock.move(5_000);
  clock.advanceTo(90_000);
  expect(clock.now()).toBe(90_000);
  clock.restart(2_000);
  expect([clock.now(), clock.offsetMs]).toEqual([2_000, 0]);
  machine += 300;
  clock.move(50);
  expect([clock.now(), clock.offsetMs]).toEqual([2_350, 50]);
  clock.set(7_000);
  expect([clock.now(), clock.offsetMs]).toEqual([7_000, 4_700]);
});
