/** Pools on a fake chain with a fake clock. */
import type { Transaction } from "../../node/model/transaction.ts";
import { silentLog } from "../../node/observe/log.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import type { PoolError } from "../../node/txpool/error.ts";
import { openTxPool, type TxPoolOptions } from "../../node/txpool/open-pool.ts";
import type { Origin, TxPool } from "../../node/txpool/pool.ts";
import { FakeChain } from "./pool-chain.ts";

/** A clock and timers that move when the test says so. */
export class FakeTime {
  #now = 1_000_000;
  readonly #timers = new Set<{ due: number; readonly pause: number; readonly run: () => void }>();

  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  readonly every = (pause: number, run: () => void): (() => void) => {
    const timer = { due: this.#now + pause, pause, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  /** Lets time pass, running what falls due on the way. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.due - b.due);
      if (!next || next.due > end) break;
      this.#now = next.due;
      next.due += next.pause;
      next.run();
    }
    this.#now = end;
  }
}

/** A pool on a fake chain, with what a test needs to drive it. */
export interface PoolWorld extends AsyncDisposable {
  readonly pool: TxPool;
  readonly chain: FakeChain;
  readonly time: FakeTime;
  readonly metrics: ReturnType<typeof createMetrics>;
}

/** Opens a pool; what is not given is silent, empty and on a chain without forks. */
export async function aPool(given: Partial<TxPoolOptions> & { chain?: FakeChain } = {}): Promise<PoolWorld> {
  const { chain = new FakeChain() } = given;
  const time = new FakeTime();
  const metrics = createMetrics();
  const pool = await openTxPool({ log: silentLog, metrics, clock: time, every: time.every, ...given, chain });
  return { pool, chain, time, metrics, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() };
}

/** The message with which the pool refuses a transaction, or "accepted". */
export function outcome(pool: TxPool, transaction: Transaction, origin: Origin = "remote"): string {
  try {
    pool.add(transaction, origin);
    return "accepted";
  } catch (error) {
    return (error as PoolError).message;
  }
}
