/** Filling of a block with the pool's transactions. */
import { expect, test } from "@jest/globals";
import { type Candidates, fillBlock } from "../../../node/consensus/proposal.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { aContext, aSent, aWorld } from "../../support/execution.ts";

/** Candidates of one account. */
function inOrder(transactions: readonly Transaction[]): Candidates {
  let at = 0;
  return {
    peek: () => transactions[at],
    shift: () => void at++,
    pop() {
      at = transactions.length;
    },
  };
}

test("a block is filled up to ten mebibytes less the reserve, so that no validator refuses it for its size", async () => {
  const large = Array.from({ length: 100 }, (_, nonce) =>
    aSent({ nonce: BigInt(nonce), gasFeeCap: 0n, gasTipCap: 0n, input: new Uint8Array(130_000) }),
  );
  const { transactions } = await fillBlock(await aWorld(), aContext(), {
    candidates: inOrder(large),
    drop: () => undefined,
    clock: systemClock,
    limitMs: 60_000,
    pause: () => undefined,
  });
  const bytes = transactions.reduce((sum, { raw }) => sum + raw.length, 0);
  expect(transactions).toHaveLength(72);
  expect(bytes).toBeLessThan(10_485_760 - 1_000_000);
});
