/**
 * Reader threads run everything that may take long for a caller, away from consensus. Threads start on
 * demand, one per spare core. A call that exceeds its deadline ends its thread, and a new thread takes the next call.
 * The queue is bounded and fair: clients share the threads' time, and a full queue loses a call of who has most in it.
 */
import { availableParallelism } from "node:os";
import { type Client, type FairAccount, FairQueue } from "../runtime/fair-queue.ts";
import { failure } from "./errors.ts";
import type { Expiry } from "./method.ts";
import { noMemory, Reader, type ReaderJob, type ThreadOptions } from "./pooled-reader.ts";

/** Runs methods with `runs: "reader"` for the dispatcher. */
export interface ReaderPool {
  /** Returns the JSON text of the result; `params` is JSON text. Rejects with an `RpcError`. */
  call(name: string, params: string, terms: ReaderCallOptions): Promise<string>;
}

/** Limits of one call. */
export interface ReaderCallOptions {
  readonly signal: AbortSignal;
  /** The connection, to which the thread's time is charged; a call without one is charged to nobody else. */
  readonly caller?: Client;
  /** Replaces the pool's own deadline. */
  readonly expires?: Expiry | undefined;
  /** See `CallContext`. */
  readonly refusesPrograms?: boolean;
}

/** A reader pool that owns threads. */
export interface ThreadPool extends ReaderPool, AsyncDisposable {
  /** Running threads. */
  readonly threads: number;
  /** Calls in the queue. */
  readonly waiting: number;
  /** Ends the idle threads; the next call starts a new one. */
  rest(): void;
  /** Ends the threads, busy ones after their calls: every later call runs in one that starts with the current data. */
  renew(): void;
}

/** Options of a pool. */
export interface ReaderPoolOptions extends ThreadOptions {
  readonly maxThreads?: number;
  /** Maximum calls in the queue; beyond it, calls of the client with the most are refused. */
  readonly maxWaiting?: number;
  /** Maximum bytes of parameters in the queue, likewise. */
  readonly maxWaitingBytes?: number;
  /** Returns true while memory is short: calls are refused then. */
  readonly isShort?: () => boolean;
}

const MAX_WAITING = 256;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

type Account = FairAccount<ReaderJob>;

/** A call in the queue. */
interface Waiting {
  readonly account: Account;
  readonly job: ReaderJob;
}

/** Opens a pool, without starting a thread. */
export function openReaderPool(options: ReaderPoolOptions): ThreadPool {
  return new Pool(options);
}

class Pool implements ThreadPool {
  readonly #options: ReaderPoolOptions;
  readonly #maxThreads: number;
  readonly #queue = new FairQueue<ReaderJob>();
  readonly #idle: Reader[] = [];
  readonly #readers = new Set<Reader>();
  /** Threads that are ending. */
  readonly #endings = new Set<Promise<unknown>>();
  /** Busy threads that end after their calls. */
  readonly #outdated = new Set<Reader>();
  #waiting = 0;
  #waitingBytes = 0;
  #lastId = 0;
  #closed = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
    this.#maxThreads = options.maxThreads ?? Math.max(1, availableParallelism() - 1);
  }

  get threads(): number {
    return this.#readers.size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  call(
    name: string,
    params: string,
    { signal, caller, expires, refusesPrograms }: ReaderCallOptions,
  ): Promise<string> {
    const { isShort } = this.#options;
    if (this.#closed) return Promise.reject(failure("the node is stopping"));
    if (isShort?.() === true) return Promise.reject(noMemory("the node is short of memory: try again later"));
    if (signal.aborted) return Promise.reject(failure("request cancelled"));
    return new Promise((resolve, reject) => {
      const account = this.#queue.accountOf(caller ?? {});
      const forget = (): void => this.#refuse({ account, job }, "request cancelled");
      const settled = <T>(settle: (value: T) => void): ((value: T) => void) => {
        return (value) => {
          signal.removeEventListener("abort", forget); // a connection outlives its calls
          settle(value);
        };
      };
      const job: ReaderJob = {
        request: { id: ++this.#lastId, name, params, refusesPrograms },
        bytes: params.length,
        expires,
        ended: (ms) => this.#queue.charge(account, ms),
        resolve: settled(resolve),
        reject: settled(reject),
      };
      this.#queue.add(account, job);
      this.#waiting++;
      this.#waitingBytes += job.bytes;
      signal.addEventListener("abort", forget, { once: true });
      this.#serve();
      this.#shrink();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    while (!this.#queue.isEmpty) this.#take().reject(failure("the node is stopping"));
    await Promise.all([...[...this.#readers].map((reader) => reader.stop()), ...this.#endings]);
  }

  rest(): void {
    for (const reader of this.#idle.splice(0)) {
      this.#readers.delete(reader);
      this.#awaitEnd(reader.stop());
    }
  }

  renew(): void {
    this.rest();
    for (const reader of this.#readers) this.#outdated.add(reader);
  }

  /** Refuses a call if it still waits. */
  #refuse({ account, job }: Waiting, why: string): void {
    if (!this.#queue.remove(account, job)) return;
    this.#left(job);
    job.reject(failure(why));
  }

  /** Refuses the newest calls of the clients with the most in the queue until the rest fits. */
  #shrink(): void {
    const { maxWaiting = MAX_WAITING, maxWaitingBytes = MAX_WAITING_BYTES } = this.#options;
    const why = "too many requests are waiting for a reader";
    while (this.#waiting > maxWaiting)
      this.#refuse(
        this.#newestOfMost(() => 1),
        why,
      );
    while (this.#waitingBytes > maxWaitingBytes)
      this.#refuse(
        this.#newestOfMost(({ bytes }) => bytes),
        why,
      );
  }

  /** The newest waiting call of the client with the most, as `weigh` counts them, and of its connections likewise. */
  #newestOfMost(weigh: (job: ReaderJob) => number): Waiting {
    const weightOf = ({ waiting }: Account): number => waiting.reduce((sum, job) => sum + weigh(job), 0);
    let most = -1;
    let accounts: readonly Account[] = [];
    for (const each of this.#queue.waiting()) {
      const weight = each.reduce((sum, account) => sum + weightOf(account), 0);
      if (weight >= most) [most, accounts] = [weight, each];
    }
    const account = accounts.reduce((a, b) => (weightOf(b) >= weightOf(a) ? b : a));
    const job = account.waiting.at(-1);
    if (job === undefined) throw new RangeError("no call waits");
    return { account, job };
  }

  #take(): ReaderJob {
    const job = this.#queue.take();
    this.#left(job);
    return job;
  }

  #left({ bytes }: ReaderJob): void {
    this.#waiting--;
    this.#waitingBytes -= bytes;
  }

  #serve(): void {
    while (!this.#queue.isEmpty && !this.#closed) {
      const reader = this.#idle.pop() ?? this.#start();
      if (reader === undefined) return;
      reader.take(this.#take());
    }
  }

  #start(): Reader | undefined {
    if (this.#readers.size >= this.#maxThreads) return undefined;
    const reader = new Reader(this.#options, (gone) => {
      const ending = gone ?? (this.#outdated.has(reader) ? reader.stop() : undefined);
      if (ending === undefined && !this.#closed) this.#idle.push(reader);
      else this.#drop(reader);
      if (ending !== undefined) this.#awaitEnd(ending);
      this.#serve();
    });
    this.#readers.add(reader);
    return reader;
  }

  #awaitEnd(gone: Promise<unknown>): void {
    this.#endings.add(gone);
    void gone.then(() => this.#endings.delete(gone));
  }

  #drop(reader: Reader): void {
    this.#readers.delete(reader);
    this.#outdated.delete(reader);
    const at = this.#idle.indexOf(reader);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}
