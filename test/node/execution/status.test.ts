/** Tests of the statuses of failed transactions. */
import { expect, test } from "@jest/globals";
import { failures } from "../../../node/evm/failure.ts";
import { statusOf } from "../../../node/execution/transition.ts";
import { STATUS_TEXTS } from "../../../node/model/receipt-status.ts";

test("a failure whose text a status has is written as that status, any other one as 2", () => {
  const byText = new Map([...STATUS_TEXTS].map(([status, text]) => [text, status]));
  const all = Object.values(failures);
  expect(all.map((failure) => statusOf(failure))).toEqual(
    all.map(({ message }) => ({ status: byText.get(message) ?? 2, failure: message })),
  );
  expect(new Set(all.map((failure) => statusOf(failure).status)).size).toBe(9);
});
