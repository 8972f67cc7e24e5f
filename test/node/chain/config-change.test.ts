/** Tests of changes of a stored configuration. */
import { expect, test } from "@jest/globals";
import { checkConfigChange, configConflict } from "../../../node/chain/config-change.ts";
import type { ForkSchedule } from "../../../node/config/forks.ts";

function schedule(forks: Record<string, number>): ForkSchedule {
  return { forks: new Map(Object.entries(forks)) };
}

const stored = schedule({
  istanbulCompatibleBlock: 0,
  londonCompatibleBlock: 10,
  magmaCompatibleBlock: 50,
  kip103CompatibleBlock: 20,
});

test.each([
  ["nothing changes", {}, 100, undefined],
  ["a fork ahead moves", { magmaCompatibleBlock: 60 }, 49, undefined],
  ["a fork behind moves", { magmaCompatibleBlock: 60 }, 50, 49],
  ["a fork ahead moves behind the head", { magmaCompatibleBlock: 30 }, 40, 29],
  ["a fork is added behind the head", { koreCompatibleBlock: 70 }, 70, 69],
  ["several move: the lowest counts", { magmaCompatibleBlock: 60, londonCompatibleBlock: 11 }, 100, 9],
  ["a treasury rebalance moves", { kip103CompatibleBlock: 30 }, 100, undefined],
  ["a fork of block 0 moves", { istanbulCompatibleBlock: 5, magmaCompatibleBlock: 60 }, 100, undefined],
  ["a fork comes to block 1", { koreCompatibleBlock: 1 }, 100, undefined],
])("%s", (_, changes, head, rewindTo) => {
  const next = schedule({ ...Object.fromEntries(stored.forks), ...changes });
  expect(configConflict(stored, next, head)?.rewindTo).toBe(rewindTo);
});

test("a conflict is refused in the Go node's words", () => {
  const forks = new Map(stored.forks);
  forks.delete("magmaCompatibleBlock");
  expect(() => checkConfigChange(stored, { forks }, 50)).toThrow(
    "mismatching Magma Block in database (have 50, want <nil>, rewindto 49)",
  );
});
