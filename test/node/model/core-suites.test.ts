/** Tests of the published suites of encodings and transactions. */
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import {
  compareRlpSuite,
  compareTransactionSuite,
  type RlpCase,
  readSuite,
  type TransactionCase,
} from "../../support/core-vectors.ts";

const pathOf = (name: string) => fileURLToPath(new URL(`../../vectors/core-tests/${name}`, import.meta.url));

test("the published suite of encodings is judged as it says", () => {
  const { passed, failures } = compareRlpSuite(readSuite<RlpCase>(pathOf("rlp.json.gz")));
  expect(failures).toEqual([]);
  expect(passed).toBe(27);
});

test("the published suite of transactions is judged as it says", () => {
  const suite = readSuite<TransactionCase>(pathOf("kaia-transaction.json.gz"));
  const { passed, failures } = compareTransactionSuite(suite);
  expect(failures).toEqual([]);
  expect(passed).toBe(3 * 91);
});

test("a wrong verdict is named", () => {
  const { failed, failures } = compareRlpSuite({ "a.json": { one: { in: "VALID", out: "8100" } } });
  expect(failed).toBe(1);
  expect(failures).toEqual(['a.json one: expected "VALID", found "INVALID"']);
});
