/** Loans in a block: the proposer's transaction, an approval and the swap, all of them or none. */
import { expect, test } from "@jest/globals";
import type { Lender } from "../../../node/consensus/loans.ts";
import { type Candidates, type FillOptions, fillBlock } from "../../../node/consensus/proposal.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aContext, addressOf, aSent, aWorld, PRICE, putContract } from "../../support/execution.ts";

const REVERTING = new Uint8Array(20).fill(0xee);
const COST = 1_000_000n * PRICE;
/** Keys of a sender who has nothing, and of the proposer. */
const [POOR, LENDER] = [7, 2] as const;

/** Candidates of several accounts in the order of a list; an account's next one is the next with its sender's key. */
class Listed implements Candidates {
  readonly #left: (readonly [key: number, tx: Transaction])[];

  constructor(left: readonly (readonly [key: number, tx: Transaction])[]) {
    this.#left = [...left];
  }

  peek(): Transaction | undefined {
    return this.#left[0]?.[1];
  }

  following(): Transaction | undefined {
    return this.#left.slice(1).find(([key]) => key === this.#left[0]?.[0])?.[1];
  }

  shift(): void {
    this.#left.shift();
  }

  pop(): void {
    const key = this.#left[0]?.[0];
    this.#left.splice(0, this.#left.length, ...this.#left.filter(([each]) => each !== key));
  }
}

interface Filled {
  readonly transactions: readonly Transaction[];
  readonly dropped: readonly Transaction[];
}

async function fill(
  world: World,
  list: readonly (readonly [key: number, tx: Transaction])[],
  more: Partial<FillOptions> = {},
): Promise<Filled> {
  const dropped: Transaction[] = [];
  const { transactions, outcome } = await fillBlock(world, aContext(), {
    candidates: new Listed(list),
    drop: (tx) => void dropped.push(tx),
    clock: systemClock,
    limitMs: 60_000,
    pause: () => undefined,
    lender: lenderIn(world),
    ...more,
  });
  expect(outcome.receipts).toHaveLength(transactions.length);
  return { transactions, dropped };
}

const approve = aSent({ by: [POOR], nonce: 0n });
const swap = aSent({ by: [POOR], nonce: 1n });
const failingSwap = aSent({ by: [POOR], nonce: 1n, to: REVERTING });
const single = aSent({ by: [POOR], nonce: 0n });
const after = aSent({ by: [POOR], nonce: 2n, gas: 21_000n, gasFeeCap: 0n, gasTipCap: 0n });
const transfers = [aSent({ by: [1], nonce: 0n }), aSent({ by: [1], nonce: 1n })] as const;
const [first, second] = transfers;

/** Lends both fees to `POOR`. */
function lenderIn(world: World, value = 2n * COST): Lender {
  return {
    canLend: (before, tx) => (before === approve ? tx === swap || tx === failingSwap : false),
    lend: () =>
      aSent({
        by: [LENDER],
        nonce: world.nonce(addressOf(LENDER)),
        to: addressOf(POOR),
        value,
        gas: 21_000n,
      }),
  };
}

async function aWorldWithRevert(): Promise<World> {
  const world = await aWorld();
  putContract(world, REVERTING, Uint8Array.of(0x60, 0, 0x60, 0, 0xfd));
  return world;
}

test("the loan, the approval and the swap stand together in the swap's place", async () => {
  const world = await aWorld();
  const lent = lenderIn(world).lend(approve, swap);
  const list = [
    [POOR, approve],
    [1, first],
    [POOR, swap],
    [1, second],
    [POOR, after],
  ] as const;
  const { transactions, dropped } = await fill(world, list);
  expect(transactions).toEqual([first, lent, approve, swap, second, after]);
  expect(dropped).toEqual([]);
});

test("a swap alone has its loan before it", async () => {
  const world = await aWorld();
  const lender = { ...lenderIn(world, COST), canLend: (_: unknown, tx: Transaction) => tx === single };
  const lent = lender.lend(undefined, single);
  expect((await fill(world, [[POOR, single]], { lender })).transactions).toEqual([lent, single]);
});

test("nothing of a loan is left when its swap fails, and the sender is skipped", async () => {
  const world = await aWorldWithRevert();
  const balances = (): bigint[] => [POOR, LENDER].map((key) => world.balance(addressOf(key)));
  const before = balances();
  const list = [
    [1, first],
    [POOR, approve],
    [POOR, failingSwap],
    [POOR, after],
    [1, second],
  ] as const;
  const { transactions, dropped } = await fill(world, list);
  expect(transactions).toEqual([first, second]);
  expect(dropped.slice(1)).toEqual([approve, failingSwap]); // behind the one that lends, of which no pool knows
  expect(balances()).toEqual(before);
  expect([POOR, LENDER].map((key) => world.nonce(addressOf(key)))).toEqual([0n, 0n]);
});

test("nothing of a loan is left when one of its transactions cannot run", async () => {
  const world = await aWorld();
  const lender = lenderIn(world, COST);
  const list = [
    [POOR, approve],
    [POOR, swap],
    [1, first],
  ] as const;
  expect((await fill(world, list, { lender })).transactions).toEqual([first]);
  expect([world.balance(addressOf(POOR)), world.nonce(addressOf(LENDER))]).toEqual([0n, 0n]);
});

test("a bid behind the swap stands behind the whole loan, one behind the approval is left out", async () => {
  const world = await aWorld();
  const lent = lenderIn(world).lend(approve, swap);
  const list = [
    [POOR, approve],
    [POOR, swap],
  ] as const;
  const bid = aSent({ by: [3] });
  const bidBehind = (target: Transaction): Transaction | undefined => (target === swap ? bid : undefined);
  expect((await fill(world, list, { bidBehind })).transactions).toEqual([lent, approve, swap, bid]);
  const other = await aWorld();
  const behindApproval = (target: Transaction): Transaction | undefined =>
    target === approve ? bid : undefined;
  expect((await fill(other, list, { bidBehind: behindApproval })).transactions).toEqual([
    lent,
    approve,
    swap,
  ]);
});

test("a loan that does not fit into the block as a whole ends it", async () => {
  const world = await aWorld();
  const free = { gasFeeCap: 0n, gasTipCap: 0n };
  const large = Array.from({ length: 72 }, (_, nonce) =>
    aSent({ nonce: BigInt(nonce), ...free, input: new Uint8Array(130_000) }),
  );
  const largeSwap = aSent({ by: [POOR], nonce: 1n, input: new Uint8Array(119_000) });
  const lender = { ...lenderIn(world), canLend: (_: unknown, tx: Transaction) => tx === largeSwap };
  const list = [
    ...large.map((tx) => [1, tx] as const),
    [POOR, approve],
    [POOR, largeSwap],
    [3, aSent({ by: [3], ...free })],
  ] as const;
  const { transactions } = await fill(world, list, { lender });
  expect(transactions).toHaveLength(72);
  expect(transactions.map(({ hash }) => hash)).not.toContain(approve.hash);
});
