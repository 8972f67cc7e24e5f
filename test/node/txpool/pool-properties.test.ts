/** Tests of the invariants of the pool under random operations. */
import { expect, test } from "@jest/globals";
import { type AddressText, addressText } from "../../../node/bytes/hex.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { senderOf } from "../../../node/model/transaction.ts";
import type { PoolOptions } from "../../../node/txpool/options.ts";
import { effectiveTip } from "../../../node/txpool/price-order.ts";
import { BASE_FEE_RULES, FakeChain } from "../../support/pool-chain.ts";
import { aPool, outcome, type PoolWorld } from "../../support/pool-open.ts";
import { type Choices, seededChoices } from "../../support/pool-random.ts";
import { aSigner, aTransaction, CHAIN_ID, type TestSigner } from "../../support/pool-transactions.ts";

/** Small enough that every limit is met all the time. */
const LIMITS: Partial<PoolOptions> = {
  pendingPerAccount: 3,
  pendingTotal: 20,
  queuedPerAccount: 5,
  queuedTotal: 14,
  lifetimeMs: 5 * 60_000,
};
const CAPACITY = 34;
const RICH = 10n ** 12n;
const signers = Array.from({ length: 9 }, (_, index) => aSigner(index + 1));
const STEPS = 1500;

/** Everything the pool shows at one moment. */
interface Picture {
  readonly pending: Map<AddressText, Transaction[]>;
  readonly queued: Map<AddressText, Transaction[]>;
  readonly all: ReadonlySet<Transaction>;
  readonly executable: ReadonlySet<Transaction>;
}

function pictureOf({ pool }: PoolWorld): Picture {
  const { pending, queued } = pool.content();
  const executable = new Set([...pending.values()].flat());
  return { pending, queued, executable, all: new Set([...executable, ...[...queued.values()].flat()]) };
}

const senderText = (tx: Transaction) => addressText(senderOf(tx, CHAIN_ID));

/** The rules that may cost a transaction its place, apart from those of one step. */
class Losses {
  readonly locals = new Set<AddressText>();
  readonly failed = new Set<Transaction>();

  allowed(tx: Transaction, before: Picture, after: Picture, world: PoolWorld): boolean {
    return this.#isSpent(tx, world) || this.#isCrowdedOut(tx, before, after) || this.failed.has(tx);
  }

  #isSpent(tx: Transaction, { chain }: PoolWorld): boolean {
    const state = chain.stateAtHead();
    const sender = senderOf(tx, CHAIN_ID);
    return tx.nonce < state.nonce(sender) || state.balance(sender) < tx.value + tx.gas * tx.gasFeeCap;
  }

  #isCrowdedOut(tx: Transaction, before: Picture, after: Picture): boolean {
    const sender = senderText(tx);
    if (before.all.size >= CAPACITY) return true;
    if (this.locals.has(sender)) return false;
    const queued = after.all.size - after.executable.size;
    const own = after.queued.get(sender)?.length ?? 0;
    return after.executable.size >= 20 || queued >= 14 || own >= 5;
  }
}

/** Broken invariants of the pool; none, if all is well. */
function* faults(picture: Picture, world: PoolWorld, locals: ReadonlySet<AddressText>): Generator<string> {
  const { pool } = world;
  const { pending, queued } = pool.status();
  if (pending !== picture.executable.size) yield "pending is miscounted";
  if (pending + queued !== picture.all.size) yield "queued is miscounted";
  if (picture.all.size > CAPACITY) yield "more than the capacity";
  for (const tx of picture.all) if (pool.get(tx.hash) !== tx) yield "a transaction is not found by its hash";
  for (const signer of signers) yield* accountFaults(picture, world, { signer, locals });
  yield* totalFaults(picture, locals);
}

function* accountFaults(
  picture: Picture,
  { pool, chain }: PoolWorld,
  { signer, locals }: { signer: TestSigner; locals: ReadonlySet<AddressText> },
): Generator<string> {
  const text = addressText(signer.address);
  const own = picture.pending.get(text) ?? [];
  const waiting = picture.queued.get(text) ?? [];
  const next = chain.nonceOf(signer) + BigInt(own.length);
  if (pool.nonce(signer.address) !== next) yield "a wrong next nonce";
  yield* executableFaults(own, chain.nonceOf(signer), chain.baseFee ?? 0n);
  yield* waitingFaults(waiting, next, chain.baseFee ?? 0n);
  if (!locals.has(text) && waiting.length > 5) yield "too many waiting in an account";
}

function* executableFaults(own: readonly Transaction[], first: bigint, baseFee: bigint): Generator<string> {
  if (own.some(({ nonce }, index) => nonce !== first + BigInt(index))) yield "a gap among executable nonces";
  if (own.some((tx) => tx.gasFeeCap < baseFee)) yield "an executable one below the base fee";
}

function* waitingFaults(waiting: readonly Transaction[], next: bigint, baseFee: bigint): Generator<string> {
  const ascending = waiting.every(({ nonce }, index) => nonce > (waiting[index - 1]?.nonce ?? next - 1n));
  if (!ascending) yield "waiting nonces out of order";
  const [head] = waiting;
  if (head?.nonce === next && head.gasFeeCap >= baseFee) yield "one waits for nothing";
}

/** Over a total only what may not be cut is left. */
function* totalFaults(picture: Picture, locals: ReadonlySet<AddressText>): Generator<string> {
  const remote = (lists: Map<AddressText, Transaction[]>) =>
    [...lists].filter(([address]) => !locals.has(address)).map(([, list]) => list.length);
  const waiting = picture.all.size - picture.executable.size;
  if (picture.executable.size > 20 && Math.max(0, ...remote(picture.pending)) > 3)
    yield "pending not limited";
  if (waiting > 14 && remote(picture.queued).length > 0) yield "queued not limited";
}

/** Takes all a proposer would: each time the best of what the accounts have next. */
function* orderFaults(picture: Picture, { pool, chain }: PoolWorld): Generator<string> {
  const order = pool.byPrice(chain.baseFee);
  const left = new Map([...picture.pending].map(([address, list]) => [address, [...list]]));
  for (let tx = order.peek(); tx; tx = order.peek()) {
    const tip = effectiveTip(tx, chain.baseFee);
    const better = [...left.values()].some(([head]) => head && effectiveTip(head, chain.baseFee) > tip);
    if (better) yield "a better one was passed over";
    if (left.get(senderText(tx))?.shift() !== tx) yield "not the next of its account";
    order.shift();
  }
  if ([...left.values()].some((list) => list.length > 0)) yield "the proposer does not see all";
}

function randomTransaction(choices: Choices, { chain }: PoolWorld): Transaction {
  const from = choices.pick(signers);
  const nonce = chain.nonceOf(from) + BigInt(choices.int(9));
  const value = choices.int(6) === 0 ? RICH / 2n : BigInt(choices.int(1000));
  return aTransaction({ from, nonce, price: 20 + choices.int(20), value });
}

function randomHead(choices: Choices, { chain, pool }: PoolWorld): void {
  for (const signer of signers) {
    const pending = pool.content().pending.get(addressText(signer.address))?.length ?? 0;
    const executed = choices.int(2) === 0 ? choices.int(pending + 2) : 0;
    const balance = choices.int(8) === 0 ? 10n ** 6n : RICH;
    chain.setAccount(signer, { nonce: chain.nonceOf(signer) + BigInt(executed), balance });
  }
  chain.baseFee = BigInt(20 + choices.int(12));
  chain.advance();
}

/** One random step; gives back which transactions this step alone may make disappear. */
function randomStep(
  choices: Choices,
  world: PoolWorld,
  losses: Losses,
): (tx: Transaction, before: Picture) => boolean {
  const kind = choices.int(20);
  if (kind === 0) randomHead(choices, world);
  if (kind === 1) {
    world.time.pass(choices.int(4 * 60_000));
    return (tx, before) => !before.executable.has(tx);
  }
  if (kind === 2) markFailed(choices, world, losses);
  if (kind < 3) return () => false;
  const local = kind === 3;
  const added = randomTransaction(choices, world);
  const accepted = outcome(world.pool, added, local ? "local" : "remote") === "accepted";
  if (local && accepted) losses.locals.add(senderText(added));
  return (tx) =>
    senderText(tx) === senderText(added) && tx.nonce === added.nonce && tx.gasFeeCap < added.gasFeeCap;
}

function markFailed(choices: Choices, { pool }: PoolWorld, losses: Losses): void {
  const next = pool.byPrice(0n).peek();
  if (!next || choices.int(2) === 0) return;
  pool.drop(next.hash);
  losses.failed.add(next);
}

test.each([11, 12])("whatever happens, the pool keeps its promises (seed %i)", async (seed) => {
  const choices = seededChoices(seed);
  const chain = new FakeChain({ rules: BASE_FEE_RULES, baseFee: 25n });
  for (const signer of signers) chain.setAccount(signer, { balance: RICH });
  await using world = await aPool({ chain, options: LIMITS });
  const losses = new Losses();
  let announced: Transaction[] = [];
  world.pool.onPending((transactions) => announced.push(...transactions));
  let before = pictureOf(world);
  for (let step = 0; step < STEPS; step++) {
    announced = [];
    const mayLeave = randomStep(choices, world, losses);
    const after = pictureOf(world);
    const found = [...faults(after, world, losses.locals)];
    if (losses.failed.isDisjointFrom(after.all)) found.push(...orderFaults(after, world));
    for (const tx of before.all.difference(after.all)) {
      if (world.pool.get(tx.hash)) found.push("one that left is still found");
      if (!mayLeave(tx, before) && !losses.allowed(tx, before, after, world)) found.push("one was lost");
    }
    const promoted = after.executable.difference(before.executable);
    if (promoted.size !== announced.length) found.push("not announced, or too much");
    if (announced.some((tx) => !promoted.has(tx))) found.push("announced, but not executable");
    expect({ step, found }).toEqual({ step, found: [] });
    before = after;
  }
});
