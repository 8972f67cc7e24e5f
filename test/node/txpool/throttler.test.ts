/** Tests of the spam throttler. */
import { describe, expect, test } from "@jest/globals";
import { createBlock } from "../../../node/model/block.ts";
import type { Receipt } from "../../../node/model/receipt.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { declareThrottlerMetrics } from "../../../node/txpool/metrics.ts";
import { DEFAULT_THROTTLER, SpamScores } from "../../../node/txpool/spam-scores.ts";
import { Throttler } from "../../../node/txpool/throttler.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { aPool } from "../../support/pool-open.ts";
import { aSigner, aTransaction, withChanges } from "../../support/pool-transactions.ts";

const BAD = new Uint8Array(20).fill(0xbd);
const GOOD = new Uint8Array(20).fill(0x60);
const QUICK = { ...DEFAULT_THROTTLER, initialThreshold: 10, minimumThreshold: 5, throttleSeconds: 60 };

const failing = (count: number, to: Uint8Array | undefined = BAD) =>
  Array.from({ length: count }, () => ({ to, failed: true }));

const NOTHING = { status: 9 } as Receipt; // only its status is read
const blockOf = (transactions: readonly Transaction[]) => createBlock(new FakeChain().head(), transactions);
const toBad = (nonce: number) => aTransaction({ to: BAD, nonce });

/** Reports whether two failures make a suspect after blocks that fail, then quiet ones. */
function isSuspect(blocks: number, quiet: number): boolean {
  const suspects = new SpamScores(QUICK);
  for (let i = 0; i < blocks; i++) suspects.observe(failing(1, GOOD), 0);
  for (let i = 0; i < quiet; i++) suspects.observe([{ to: GOOD, failed: false }], 0);
  suspects.observe(failing(2), 0);
  return suspects.isSuspect(BAD, 0);
}

function aThrottler(config = {}): Throttler {
  const throttler = new Throttler({ now: () => 0 }, declareThrottlerMetrics(createMetrics()));
  throttler.start({ ...QUICK, activateTxPoolSize: 10, ...config });
  throttler.observe(blockOf([toBad(0), toBad(1), toBad(2)]), [NOTHING, NOTHING, NOTHING]);
  return throttler;
}

describe("suspects", () => {
  test("an address where many transactions fail is a suspect for a time, and weighs anew afterwards", () => {
    const suspects = new SpamScores(QUICK);
    suspects.observe(failing(2), 0);
    expect(suspects.candidates()).toEqual([{ address: BAD, weight: 9 }]);
    expect(suspects.isSuspect(BAD, 0)).toBe(false);
    suspects.observe(failing(1), 1000);
    expect(suspects.suspects()).toEqual([BAD]);
    expect(suspects.candidates()).toEqual([]);
    expect([suspects.isSuspect(BAD, 60_999), suspects.isSuspect(BAD, 61_000)]).toEqual([true, false]);
    suspects.observe([], 61_000);
    expect(suspects.suspects()).toEqual([]);
  });

  test("a candidate's address does not keep the block that it stands in", () => {
    const suspects = new SpamScores(QUICK);
    const block = new Uint8Array(100_000).fill(0xbd);
    suspects.observe(failing(2, block.subarray(50, 70)), 0);
    expect(suspects.candidates().map(({ address }) => [address, address.buffer.byteLength])).toEqual([
      [BAD, 20],
    ]);
  });

  test("the threshold falls while many fail, to its least, and rises again", () => {
    expect(isSuspect(0, 0)).toBe(false);
    expect(isSuspect(1, 0)).toBe(true);
    expect(isSuspect(1, 1)).toBe(false);
  });

  test("every block takes weight off, down to nothing", () => {
    const suspects = new SpamScores(QUICK);
    suspects.observe(failing(1), 0);
    for (let block = 0; block < 4; block++) suspects.observe([], 0);
    expect(suspects.candidates()).toEqual([]);
  });

  test("an allowed address is never one, and creations weigh on nobody", () => {
    const suspects = new SpamScores(QUICK);
    suspects.allow([BAD]);
    suspects.observe([...failing(9), { to: undefined, failed: true }], 0);
    expect(suspects.isSuspect(BAD, 0)).toBe(false);
    expect(suspects.allowedAddresses()).toEqual([BAD]);
    suspects.allow([]);
    expect(suspects.isSuspect(BAD, 0)).toBe(true);
  });

  test("no more candidates are kept than set", () => {
    const suspects = new SpamScores({ ...QUICK, maxCandidates: 2 });
    for (let i = 1; i <= 50; i++) suspects.observe(failing(1, new Uint8Array(20).fill(i)), 0);
    expect(suspects.candidates().length).toBeLessThanOrEqual(2);
  });
});

describe("the throttler", () => {
  test("holds suspects' transactions back while the pool is full enough, and lets some through a second", () => {
    const throttler = aThrottler({ throttleTps: 2 });
    expect(throttler.holdsBack(toBad(3), 10)).toBe(false);
    expect(throttler.holdsBack(aTransaction({ to: GOOD }), 11)).toBe(false);
    for (let nonce = 0; nonce < 20; nonce++) expect(throttler.holdsBack(toBad(nonce), 11)).toBe(true);
    const seconds = Array.from({ length: 6 }, () => throttler.release().map(({ nonce }) => nonce));
    expect(seconds).toEqual([[0n, 1n], [2n, 3n], [4n, 5n], [6n, 7n], [8n, 9n], []]);
  });

  test("holds back no more bytes than it may", () => {
    const throttler = aThrottler({ throttleTps: 100_000 });
    const large = withChanges(toBad(0), { raw: new Uint8Array(1024 * 1024) });
    for (let i = 0; i < 20; i++) throttler.holdsBack(large, 11);
    expect(throttler.release()).toHaveLength(8);
    expect(throttler.holdsBack(large, 11)).toBe(true);
    expect(throttler.release()).toHaveLength(1);
  });

  test("says when it runs and when not, and lets go of what it held when it is stopped", () => {
    const throttler = aThrottler();
    throttler.holdsBack(toBad(3), 11);
    expect(() => throttler.start()).toThrow("spam throttler is already running");
    throttler.stop();
    expect(throttler.release()).toHaveLength(1);
    expect(throttler.holdsBack(toBad(4), 11)).toBe(false);
    expect(() => throttler.stop()).toThrow("spam throttler was already stopped");
    for (const ask of ["config", "allowedAddresses", "suspects", "candidates"] as const) {
      expect(() => throttler[ask]()).toThrow("spam throttler is not running");
    }
    throttler.start();
    expect(throttler.config()).toEqual(DEFAULT_THROTTLER);
    expect(throttler.suspects()).toEqual([]);
  });
});

test("in the pool, a peer's transactions wait for their second; a client's never do", async () => {
  await using world = await aPool({ options: { throttleSpam: true } });
  const { pool, chain, time } = world;
  pool.throttler.stop();
  pool.throttler.start({ ...QUICK, activateTxPoolSize: 0 });
  pool.add(aTransaction({ from: aSigner(9), to: GOOD }), "local");
  const failed = [0, 1, 2].map((nonce) => aTransaction({ from: aSigner(8), to: BAD, nonce }));
  chain.advance(
    failed,
    failed.map(() => ({ status: 9 }) as Receipt),
  );
  const [first, second] = [
    aTransaction({ from: aSigner(1), to: BAD }),
    aTransaction({ from: aSigner(2), to: BAD }),
  ];
  expect(pool.addAll([first], "remote")[0]?.code).toBe("throttled");
  expect(pool.addAll([second], "local")).toEqual([undefined]);
  expect(pool.status().pending).toBe(2);
  const reported: Transaction[] = [];
  pool.onPending((transactions) => reported.push(...transactions));
  time.pass(1000);
  expect(pool.status().pending).toBe(3);
  expect(reported).toEqual([first]);
});
