/** Durations of trace options as the Go node parses them (`time.ParseDuration`). */
import { expect, test } from "@jest/globals";
import { durationMs } from "../../../node/calls/arguments/trace-config.ts";

test.each([
  ["0", 0],
  ["-0", 0],
  ["1m30s", 90_000],
  ["-1.5s", -1_500],
  [".5s", 500],
  ["5.s", 5_000],
  ["2\u00b5s1\u03bcs", 0.003],
])("the duration %s", (text, ms) => {
  expect(durationMs(text)).toBeCloseTo(ms);
});

test.each([
  ["", 'time: invalid duration ""'],
  ["-.s", 'time: invalid duration "-.s"'],
  ["+-5s", 'time: invalid duration "+-5s"'],
  ["99999999999h", 'time: invalid duration "99999999999h"'],
  ["1", 'time: missing unit in duration "1"'],
  ["5s.5", 'time: missing unit in duration "5s.5"'],
  ["0x", 'time: unknown unit "x" in duration "0x"'],
  ['5"\u00e9', 'time: unknown unit "\\"\\xc3\\xa9" in duration "5\\"\\xc3\\xa9"'],
])("%j is none", (text, message) => {
  expect(() => durationMs(text)).toThrow(message);
});
