/**
 * Cases of Ethereum's execution APIs, played against a node on a recorded chain: the answers have the published members
 * and forms, or differ by a rule.
 */
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { shapeDifferences } from "../support/answer-shape.ts";
import { judgeVector } from "../support/vectors-kinds.ts";

const CASES = join(import.meta.dirname, "../vectors/execution-apis");

test("answers have the shapes of the execution APIs, but where this chain differs", async () => {
  const { passed, failures, excluded } = await judgeVector(CASES);
  expect(failures).toEqual([]);
  expect(passed).toBe(45);
  expect(excluded).toMatchObject({ "api-method": 9, "api-other-chain": 5, "api-transaction-members": 5 });
}, 120_000);

test.each([
  ["a member that is missing", { a: "0x1" }, {}, ["result.a is missing"]],
  ["a member more", [{}], [{ b: 1 }], ["result[].b is more"]],
  [
    "another length of a hash",
    { hash: "0x11" },
    { hash: "0x1111" },
    [expect.stringMatching(/^result.hash: /)],
  ],
  ["leading zeros of a quantity", "0x123", "0x0123", [expect.stringMatching(/^result: expected /)]],
  ["nothing for something", { a: 1 }, null, [expect.stringMatching(/found null$/)]],
  ["another value of the form", { gas: "0x5208", input: "0x" }, { gas: "0x1", input: "0x1234" }, []],
])("the shape shows %s", (_what, expected, found, differences) => {
  expect(shapeDifferences(expected, found)).toEqual(differences);
});
