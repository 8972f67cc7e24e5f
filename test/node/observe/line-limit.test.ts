/** Tests of the limit on log lines. */
import { expect, test } from "@jest/globals";
import { createLineLimit } from "../../../node/observe/line-limit.ts";

test("lines within the interval are counted in the next one", () => {
  let nowMs = 1000;
  const lines: number[] = [];
  const limited = createLineLimit({ now: () => nowMs }, 100);
  for (let i = 0; i < 5; i++) limited((others) => lines.push(others));
  nowMs += 100;
  for (let i = 0; i < 2; i++) limited((others) => lines.push(others));
  nowMs += 100;
  limited((others) => lines.push(others));
  expect(lines).toEqual([0, 4, 1]);
});
