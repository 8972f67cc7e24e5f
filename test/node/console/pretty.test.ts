/** Tests of the formatter of results. */
import { expect, test } from "@jest/globals";
import { BigNumber } from "bignumber.js";
import { colours, noColours, pretty } from "../../../node/console/pretty.ts";

test.each<[what: string, value: unknown, shown: string]>([
  [
    "control characters",
    "a\u0007\u0001\u007f\u200b\u{1f600}\u{e0001}",
    '"a\\a\\x01\\x7f\\u200b\u{1f600}\\U000e0001"',
  ],
  ["a regular expression", /a+/g, "/a+/g"],
  ["a class of its own", new Map(), "<Map [object Map]>"],
  ["a large number", new BigNumber("1e30"), "1e+30"],
  ["an object in a list", [{ a: 1 }, 2], "[{\n    a: 1\n}, 2]"],
  ["what is nested too deep", [[[[[1]]]]], "[[[[[...]]]]]"],
  [
    "the same of objects",
    { a: { b: { c: { d: { e: 1 } } } } },
    "{\n  a: {\n    b: {\n      c: {\n        d: {...}\n      }\n    }\n  }\n}",
  ],
  ["hidden members", { _x: 1, toString: () => "", valueOf: 1 }, "{}"],
  [
    "a member that cannot be read",
    {
      get broken(): never {
        throw new Error("no");
      },
    },
    "{\n  broken: undefined\n}",
  ],
])("%s", (_, value, shown) => {
  expect(pretty(value, noColours)).toBe(shown);
});

test("colours tell kinds apart", () => {
  expect(pretty({ a: "s", b: 1, c: null }, colours)).toBe(
    '{\n  a: \u001b[32m"s"\u001b[0m,\n  b: \u001b[31m1\u001b[0m,\n  c: \u001b[1mnull\u001b[22m\n}',
  );
});
