/** Tests of the execution of a block. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { executeTransactions } from "../../../node/execution/block.ts";
import { aContext, addressOf, aSent, aWorld } from "../../support/execution.ts";

test("other work runs between the transactions of a block when the caller yields", async () => {
  const world = await aWorld();
  const done = (): bigint => world.nonce(addressOf(1));
  const transactions = [0n, 1n, 2n].map((nonce) => aSent({ nonce, gas: 21_000n }));
  const asked: bigint[] = [];
  const turns: bigint[] = [];
  const pause = (): Promise<void> | undefined => {
    asked.push(done());
    if (done() !== 2n) return undefined;
    setImmediate(() => turns.push(done()));
    return nextTurn();
  };
  const { receipts } = await executeTransactions(world, transactions, aContext(), pause);
  expect(receipts).toHaveLength(3);
  expect(asked).toEqual([1n, 2n, 3n]);
  expect(turns).toEqual([2n]);
});
