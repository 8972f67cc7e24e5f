/** Tests of the batches of sender recovery over turns of the event loop. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { SignerBatches } from "../../../node/calls/signer-batches.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { aTransaction, withChanges } from "../../support/pool-transactions.ts";

const some = (count: number) => Array.from({ length: count }, (_, nonce) => aTransaction({ nonce }));

function aGathering() {
  const recovered: (readonly Transaction[])[] = [];
  const gathered = new SignerBatches(async (transactions) => void recovered.push(transactions));
  return {
    recovered,
    join: (transactions: readonly Transaction[]) => transactions.map((tx) => gathered.join(tx)),
  };
}

test("submissions at a low rate do not wait", async () => {
  const { recovered, join } = aGathering();
  for (let turn = 0; turn < 3; turn++) {
    expect(join(some(7))).toEqual(Array.from({ length: 7 }, () => undefined));
    await setImmediate();
  }
  expect(recovered).toEqual([]);
});

test("after a turn with many submissions, those of the next turn share one batch", async () => {
  const { recovered, join } = aGathering();
  expect(join(some(8)).every((waiting) => waiting === undefined)).toBe(true);
  await setImmediate();
  const next = some(20);
  const waiting = join(next);
  expect(waiting.every((each) => each instanceof Promise)).toBe(true);
  expect(recovered).toEqual([]);
  for (const each of waiting) await each;
  expect(recovered).toEqual([next]);
});

test("one with many signatures waits, whoever else submits", async () => {
  const { recovered, join } = aGathering();
  const [one] = some(1);
  const [signature] = one?.signatures ?? [];
  if (one === undefined || signature === undefined) throw new Error("no signature");
  const many = withChanges(one, { signatures: Array.from({ length: 8 }, () => signature) });
  const [waiting] = join([many]);
  await waiting;
  expect(recovered).toEqual([[many]]);
});

test("batches end with a turn of few submissions", async () => {
  const { recovered, join } = aGathering();
  expect(join(some(8))).toHaveLength(8);
  await setImmediate();
  const [last] = join(some(1));
  await last;
  expect(recovered).toHaveLength(1);
  expect(join(some(1))).toEqual([undefined]);
});
