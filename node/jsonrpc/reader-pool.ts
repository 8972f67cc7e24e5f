/**
 * Reader threads run everything that may take long for a caller, away from consensus. Threads start on demand, one per
 * spare core, and at least two where memory allows. A call that exceeds its deadline ends its thread, and a new thread
 * takes the next call. The queue is bounded and fair: clients share the threads' time, and a full queue loses a call of
 * who has most in it.
 *
 * The last thread is for short calls, which would otherwise wait for the deadlines of endless ones. It starts when the
 * others are busy. A call that it has run for 200 ms while others wait is broken off and starts again elsewhere. The only
 * thread of a small node runs such a call again when its turn comes, for twice the time before it may be broken off.
 */
import { availableParallelism } from "node:os";
import { type FairAccount, FairQueue } from "../runtime/fair-queue.ts";
import { failure } from "./errors.ts";
import type { CallOrigin, Expiry } from "./method.ts";
import { noMemory, Reader, type ReaderJob, type ThreadOptions } from "./pooled-reader.ts";

/** Runs methods with `runs: "reader"` for the dispatcher. */
export interface ReaderPool {
  /** Returns the JSON text of the result; `params` is JSON text. Rejects with an `RpcError`. */
  call(name: string, params: string, terms: ReaderCallOptions): Promise<string>;
}

/** Limits of one call. */
export interface ReaderCallOptions extends CallOrigin {
  /** Replaces the pool's own deadline. */
  readonly expires?: Expiry | undefined;
  /** See `CallContext`. */
  readonly refusesPrograms?: boolean;
  /** True when the call must not be broken off and started again, because it writes files. */
  readonly runsOnce?: boolean;
}

/** A reader pool that owns threads. */
export interface ThreadPool extends ReaderPool, AsyncDisposable {
  /** Running threads. */
  readonly threads: number;
  /** Calls in the queue. */
  readonly waiting: number;
  /** Ends the idle threads; the next call starts a new one. */
  rest(): void;
  /**
   * Ends the threads, busy ones after their calls: every later call runs in one that starts with the current data.
   * Resolves when all have ended.
   */
  renew(): Promise<void>;
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

/** Time that a call has in the thread for short calls while others wait; in the only thread it doubles with each run. */
const SHORT_CALL_MS = 200;
const MAX_WAITING = 256;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** A call that waits or runs. */
interface PooledCall extends ReaderJob {
  readonly account: FairAccount<PooledCall>;
  readonly signal: AbortSignal;
  readonly runsOnce: boolean;
  /** Runs that were broken off. */
  breaks: number;
  spentMs: number;
}

/** True for a call that the thread for short calls does not take. */
function isLong({ runsOnce, breaks }: PooledCall): boolean {
  return runsOnce || breaks > 0;
}

/** The thread for short calls. */
interface ShortThread {
  readonly reader: Reader;
  /** Its call, or the last one. */
  readonly call: PooledCall;
}

/** Opens a pool, without starting a thread. */
export function openReaderPool(options: ReaderPoolOptions): ThreadPool {
  return new Pool(options);
}

class Pool implements ThreadPool {
  readonly #options: ReaderPoolOptions;
  readonly #maxThreads: number;
  readonly #queue = new FairQueue<PooledCall>();
  /** Idle threads for calls of any length. */
  readonly #idle: Reader[] = [];
  readonly #readers = new Set<Reader>();
  /** Threads that are ending. */
  readonly #endings = new Set<Promise<unknown>>();
  /** Busy threads that end after their calls. */
  readonly #outdated = new Set<Reader>();
  #short: ShortThread | undefined;
  #shortTimer: NodeJS.Timeout | undefined;
  #waitingShort = 0;
  #waitingBytes = 0;
  #lastId = 0;
  #closed = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
    this.#maxThreads = options.maxThreads ?? defaultReaderThreads();
  }

  get threads(): number {
    return this.#readers.size;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  call(
    name: string,
    params: string,
    { signal, caller, expires, refusesPrograms, runsOnce = false }: ReaderCallOptions,
  ): Promise<string> {
    const { isShort } = this.#options;
    if (this.#closed) return Promise.reject(failure("the node is stopping"));
    if (isShort?.() === true) return Promise.reject(noMemory("the node is short of memory: try again later"));
    if (signal.aborted) return Promise.reject(failure("request cancelled"));
    return new Promise((resolve, reject) => {
      const account = this.#queue.accountOf(caller ?? {});
      const forget = (): void => this.#refuse(call, "request cancelled");
      const settled = <T>(settle: (value: T) => void): ((value: T) => void) => {
        return (value) => {
          signal.removeEventListener("abort", forget); // a connection outlives its calls
          settle(value);
        };
      };
      const call: PooledCall = {
        account,
        signal,
        runsOnce,
        breaks: 0,
        spentMs: 0,
        request: { id: ++this.#lastId, name, params, refusesPrograms },
        bytes: params.length,
        expires,
        charge: (ms) => this.#queue.charge(account, ms),
        resolve: settled(resolve),
        reject: settled(reject),
      };
      this.#queue.add(account, call);
      this.#count(call);
      signal.addEventListener("abort", forget, { once: true });
      this.#serve();
      this.#shrink();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#shortTimer);
    while (!this.#queue.isEmpty) this.#take().reject(failure("the node is stopping"));
    await Promise.all([...[...this.#readers].map((reader) => reader.stop()), ...this.#endings]);
  }

  rest(): void {
    for (const reader of this.#readers) {
      if (!reader.isIdle) continue;
      this.#drop(reader);
      this.#awaitEnd(reader.stop());
    }
  }

  async renew(): Promise<void> {
    const ends = Array.from(this.#readers, ({ ended }) => ended);
    this.rest();
    for (const reader of this.#readers) this.#outdated.add(reader);
    await Promise.all([...ends, ...this.#endings]);
  }

  /** Refuses a call if it still waits. */
  #refuse(call: PooledCall, why: string): void {
    if (!this.#queue.remove(call.account, call)) return;
    this.#discount(call);
    call.reject(failure(why));
  }

  /** Refuses the newest calls of the clients with the most in the queue until the rest fits. */
  #shrink(): void {
    const { maxWaiting = MAX_WAITING, maxWaitingBytes = MAX_WAITING_BYTES } = this.#options;
    const why = "too many requests are waiting for a reader";
    while (this.#queue.size > maxWaiting) this.#refuse(this.#queue.newestOfMost(), why);
    while (this.#waitingBytes > maxWaitingBytes)
      this.#refuse(
        this.#queue.newestOfMost(({ bytes }) => bytes),
        why,
      );
  }

  #take(): PooledCall {
    const call = this.#queue.take();
    this.#discount(call);
    return call;
  }

  #count(call: PooledCall): void {
    if (!isLong(call)) this.#waitingShort++;
    this.#waitingBytes += call.bytes;
  }

  #discount(call: PooledCall): void {
    if (!isLong(call)) this.#waitingShort--;
    this.#waitingBytes -= call.bytes;
  }

  #serve(): void {
    while (!this.#queue.isEmpty && !this.#closed) {
      const reader = this.#idle.pop() ?? this.#startForAny();
      if (reader === undefined) return this.#serveShort();
      reader.take(this.#take());
    }
  }

  get #hasOneThread(): boolean {
    return this.#maxThreads === 1;
  }

  /** Gives the thread for short calls the next one, when it is free. The only thread takes calls of any length. */
  #serveShort(): void {
    clearTimeout(this.#shortTimer);
    if (this.#short?.reader.isIdle !== false) {
      const call = this.#queue.takeFitting((each) => this.#hasOneThread || !isLong(each));
      if (call === undefined) return;
      this.#discount(call);
      this.#short = { reader: this.#short?.reader ?? this.#start(), call };
      this.#short.reader.take(call);
    }
    if (this.#isAwaited(this.#short.call)) this.#limitShortCall(this.#short);
  }

  /** True when a call of the thread for short calls is to give way: in the only thread to those that did as seldom. */
  #isAwaited({ runsOnce, breaks }: PooledCall): boolean {
    if (!this.#hasOneThread) return this.#waitingShort > 0;
    const waiting = [...this.#queue.waiting()].flat().flatMap((account) => account.waiting);
    return !runsOnce && waiting.some((each) => each.breaks <= breaks);
  }

  /** Puts the call of the thread for short calls back when it has had its time, now or later. */
  #limitShortCall({ reader, call }: ShortThread): void {
    const restMs = SHORT_CALL_MS * 2 ** call.breaks - reader.ranMs;
    if (restMs > 0) {
      this.#shortTimer = setTimeout(() => this.#serve(), restMs).unref();
      return;
    }
    call.breaks++;
    call.spentMs += reader.ranMs;
    if (call.signal.aborted) {
      call.reject(failure("request cancelled"));
    } else {
      if (this.#hasOneThread) this.#queue.add(call.account, call);
      else this.#queue.putBack(call.account, call);
      this.#count(call);
    }
    reader.breakOff();
  }

  #startForAny(): Reader | undefined {
    const running = this.#readers.size - (this.#short === undefined ? 0 : 1);
    return running < this.#maxThreads - 1 ? this.#start() : undefined;
  }

  #start(): Reader {
    const reader = new Reader(this.#options, (gone) => {
      const ending = gone ?? (this.#outdated.has(reader) ? reader.stop() : undefined);
      if (ending !== undefined || this.#closed) this.#drop(reader);
      else if (reader !== this.#short?.reader) this.#idle.push(reader);
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
    if (reader === this.#short?.reader) this.#short = undefined;
    const at = this.#idle.indexOf(reader);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

/** A thread for each spare core, and a second one. */
export function defaultReaderThreads(): number {
  return Math.max(2, availableParallelism() - 1);
}
