/** Filling of a block with the pool's transactions and the bids behind them. */
import { expect, test } from "@jest/globals";
import { type Candidates, type FillOptions, fillBlock } from "../../../node/consensus/proposal.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aContext, addressOf, aSent, aWorld, PRICE, putContract } from "../../support/execution.ts";

/** Candidates of one account. */
function inOrder(transactions: readonly Transaction[]): Candidates {
  let at = 0;
  return {
    peek: () => transactions[at],
    following: () => transactions[at + 1],
    shift: () => void at++,
    pop() {
      at = transactions.length;
    },
  };
}

/** Fills a block from these candidates, and returns its transactions. */
async function fillFrom(
  world: World,
  transactions: readonly Transaction[],
  more: Partial<FillOptions> = {},
  context = aContext(),
): Promise<readonly Transaction[]> {
  const block = await fillBlock(world, context, {
    candidates: inOrder(transactions),
    drop: () => undefined,
    clock: systemClock,
    limitMs: 60_000,
    pause: () => undefined,
    ...more,
  });
  expect(block.outcome.receipts.map(({ transactionHash }) => transactionHash)).toEqual(
    block.transactions.map(({ hash }) => hash),
  );
  return block.transactions;
}

test("a block is filled up to ten mebibytes less the reserve, so that no validator refuses it for its size", async () => {
  const large = Array.from({ length: 100 }, (_, nonce) =>
    aSent({ nonce: BigInt(nonce), gasFeeCap: 0n, gasTipCap: 0n, input: new Uint8Array(130_000) }),
  );
  const transactions = await fillFrom(await aWorld(), large);
  const bytes = transactions.reduce((sum, { raw }) => sum + raw.length, 0);
  expect(transactions).toHaveLength(72);
  expect(bytes).toBeLessThan(10_485_760 - 1_000_000);
});

test("a limit of gas counts what transactions have used, and the whole limit of the next one", async () => {
  const transactions = Array.from({ length: 4 }, (_, nonce) =>
    aSent({ nonce: BigInt(nonce), gasFeeCap: 0n, gasTipCap: 0n }),
  );
  const gas = transactions[0]?.gas ?? 0n;
  const limits = [gas - 1n, gas, gas + 21_000n, gas + 20_999n, gas + 1_000_000n];
  const filled = limits.map(async (gasLimit) => fillFrom(await aWorld(), transactions, { gasLimit }));
  const counts = (await Promise.all(filled)).map(({ length }) => length);
  expect(counts).toEqual([0, 1, 2, 1, 4]);
});

test("a block is filled with as many blobs as the schedule allows it, one in each transaction", async () => {
  const sent = Array.from({ length: 4 }, (_, nonce) =>
    aSent({
      code: 0x7803,
      nonce: BigInt(nonce),
      fields: { blobVersionedHashes: [new Uint8Array(32).fill(1)], maxFeePerBlobGas: PRICE * 8n },
    }),
  );
  const rules = { blobGas: true, acceptedTypes: new Set([0x7803]) };
  const filled = [1, 3, 6].map(async (maxBlockBlobs) =>
    fillFrom(await aWorld(), sent, {}, aContext(rules, { maxBlockBlobs, head: { excessBlobGas: 0n } })),
  );
  expect((await Promise.all(filled)).map(({ length }) => length)).toEqual([1, 3, 4]);
});

const REVERTING = new Uint8Array(20).fill(0xee);
/** PUSH1 0 PUSH1 0 LOG0, then PUSH1 0 PUSH1 0 REVERT. */
const REVERT_CODE = Uint8Array.of(0x60, 0, 0x60, 0, 0xa0, 0x60, 0, 0x60, 0, 0xfd);

async function aWorldWithRevert(): Promise<World> {
  const world = await aWorld();
  putContract(world, REVERTING, REVERT_CODE);
  return world;
}

test("the transaction of a bid stands behind its target", async () => {
  const sent = [aSent({ nonce: 0n }), aSent({ nonce: 1n }), aSent({ nonce: 2n })];
  const [first, target, last] = sent as [Transaction, Transaction, Transaction];
  const bid = aSent({ by: [2], to: addressOf(3), value: 5n });
  const world = await aWorld();
  const bidBehind = (tx: Transaction): Transaction | undefined => (tx === target ? bid : undefined);
  expect(await fillFrom(world, sent, { bidBehind })).toEqual([first, target, bid, last]);
});

test("a bid that fails, or cannot run, leaves no trace in its block", async () => {
  const world = await aWorldWithRevert();
  const sent = [aSent({ nonce: 0n }), aSent({ nonce: 1n })];
  const balance = world.balance(addressOf(2));
  const bids = [aSent({ by: [2], to: REVERTING }), aSent({ by: [2], nonce: 7n })];
  const bidBehind = (tx: Transaction): Transaction | undefined => bids[sent.indexOf(tx)];
  expect(await fillFrom(world, sent, { bidBehind })).toEqual(sent);
  expect([world.balance(addressOf(2)), world.nonce(addressOf(2))]).toEqual([balance, 0n]);
});

function anyBid(): Transaction {
  return aSent({ by: [2] });
}

test("a bid behind a target that fails, or behind the time limit, is left out", async () => {
  const world = await aWorldWithRevert();
  const failing = aSent({ to: REVERTING });
  expect(await fillFrom(world, [failing], { bidBehind: anyBid })).toEqual([failing]);
  const slow = aSent({ by: [3] });
  expect(await fillFrom(world, [slow], { bidBehind: anyBid, limitMs: 0 })).toEqual([slow]);
});
