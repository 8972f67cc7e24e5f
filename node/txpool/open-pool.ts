/** Opens the pool with its edges: the chain that it follows, its journal and its timers. */
import { CryptoError } from "../crypto/error.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ProveSidecar } from "./blobs.ts";
import { PoolError } from "./error.ts";
import type { ExceptionRules } from "./exceptions.ts";
import { Journal, readJournal } from "./journal.ts";
import { declarePoolMetrics, declareThrottlerGauges, declareThrottlerMetrics } from "./metrics.ts";
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from "./options.ts";
import { Pool, type TxPool } from "./pool.ts";
import type { PoolChain } from "./pool-chain.ts";
import { PoolRules } from "./pool-rules.ts";
import { Throttler } from "./throttler.ts";

/** Runs a function at an interval until the returned function is called. */
export type Every = (intervalMs: number, run: () => void) => () => void;

/** Parts and settings of the pool. */
export interface TxPoolOptions {
  readonly chain: PoolChain;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Overrides of `DEFAULT_POOL_OPTIONS`. */
  readonly options?: Partial<PoolOptions>;
  /** Path of the journal of local accounts; without it they are not kept. */
  readonly journalPath?: string | undefined;
  /** Finds the senders of many transactions at once; without it each is found at its admission. */
  readonly recoverSenders?: ((transactions: readonly Transaction[]) => Promise<void>) | undefined;
  /** Checks the proofs of blobs; without it no transaction with blobs is taken in. */
  readonly prove?: ProveSidecar | undefined;
  /** True while memory is short: the pool does not grow. */
  readonly isShort?: (() => boolean) | undefined;
  /** Rules for senders who need no balance. */
  readonly exceptions?: ExceptionRules | undefined;
  /** Timers; those of Node.js by default. */
  readonly every?: Every;
}

const EVICTION_INTERVAL_MS = 60_000;
const RELEASE_INTERVAL_MS = 1000;
const MIN_JOURNAL_INTERVAL_MS = 1000;
/** Room for a transaction's prefix and list header on top of its size limit. */
const FRAME_MARGIN = 16;
/** Bytes of a blob with commitment, proofs of its 128 cells and their RLP. */
const MAX_BLOB_BYTES = 140_000;

/** Opens the pool: follows the chain, reads the journal and starts the timers. Disposing it stops all of them. */
export async function openTxPool(given: TxPoolOptions): Promise<TxPool> {
  const { chain, clock, log, every = interval } = given;
  const options = { ...DEFAULT_POOL_OPTIONS, ...given.options };
  const metrics = declarePoolMetrics(given.metrics, () => core.index);
  const { isShort, exceptions } = given;
  const core: PoolRules = new PoolRules({ chain, options, clock, metrics, isShort, exceptions });
  await using parts = new AsyncDisposableStack();
  const journal = options.noLocals ? undefined : openJournal(parts, given);
  const throttler = new Throttler(clock, declareThrottlerMetrics(given.metrics));
  declareThrottlerGauges(given.metrics, throttler);
  if (options.throttleSpam) throttler.start();
  const { prove = cannotProve, recoverSenders: recover = recoverNone } = given;
  const pool = new Pool({ core, options, journal, throttler, prove, recover });
  parts.defer(
    chain.onHead((block, receipts) => {
      throttler.observe(block, receipts);
      pool.reset(block);
    }),
  );
  parts.defer(every(RELEASE_INTERVAL_MS, () => pool.addReleased()));
  if (journal) {
    await loadJournal(pool, given, options);
    await journal.rotate(pool.locals());
    const rotate = () => {
      journal.rotate(pool.locals()).catch((error: unknown) => {
        log.error({ error }, "cannot rewrite the transaction journal");
      });
    };
    parts.defer(every(Math.max(MIN_JOURNAL_INTERVAL_MS, options.journalIntervalMs), rotate));
  }
  parts.defer(every(EVICTION_INTERVAL_MS, () => evict(core, log)));
  return closable(pool, parts.move());
}

function openJournal(parts: AsyncDisposableStack, { journalPath, log }: TxPoolOptions): Journal | undefined {
  return journalPath === undefined ? undefined : parts.use(new Journal({ path: journalPath, log }));
}

async function loadJournal(pool: Pool, given: TxPoolOptions, options: PoolOptions): Promise<void> {
  const { chain, journalPath, log } = given;
  if (journalPath === undefined) return;
  let read = 0;
  let refused = 0;
  const maxTransaction = options.maxSize + FRAME_MARGIN + chain.maxBlobs * MAX_BLOB_BYTES;
  for await (const batch of readJournal({ path: journalPath, maxTransaction, log })) {
    await pool.recover(batch);
    read += batch.length;
    refused += pool.addAll(batch.filter(isBare), "local").filter((error) => error !== undefined).length;
    for (const transaction of batch) {
      if (!isBare(transaction))
        refused += await pool.addWithBlobs(transaction, "local").then(zero, countRefusal);
    }
  }
  if (read > 0) log.info({ read, refused }, "read the transaction journal");
}

function isBare({ fields }: Transaction): boolean {
  return fields.sidecar === undefined;
}

function zero(): 0 {
  return 0;
}

function countRefusal(error: unknown): 1 {
  if (error instanceof PoolError || error instanceof CryptoError) return 1;
  throw error;
}

async function recoverNone(): Promise<void> {
  // The pool finds the signer of each transaction when it is added.
}

async function cannotProve(): Promise<boolean> {
  return false;
}

function evict(core: PoolRules, log: Log): void {
  const count = core.evict();
  if (count > 0) log.debug({ count }, "dropped expired transactions");
}

function closable(pool: Pool, parts: AsyncDisposableStack): TxPool {
  return Object.assign(pool, { [Symbol.asyncDispose]: () => parts.disposeAsync() });
}

function interval(intervalMs: number, run: () => void): () => void {
  const timer = setInterval(run, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
