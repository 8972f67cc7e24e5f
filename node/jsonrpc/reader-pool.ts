/**
 * Reader threads run everything that may take long for a caller, away from consensus. Threads start on
 * demand, one per spare core. The queue is bounded. A call that exceeds its deadline ends its thread, and a
 * new thread takes the next call.
 */
import { availableParallelism } from "node:os";
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
  /** Maximum calls in the queue; more are refused. */
  readonly maxWaiting?: number;
  /** Maximum bytes of parameters in the queue. */
  readonly maxWaitingBytes?: number;
  /** Returns true while memory is short: calls are refused then. */
  readonly isShort?: () => boolean;
}

const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Opens a pool, without starting a thread. */
export function openReaderPool(options: ReaderPoolOptions): ThreadPool {
  return new Pool(options);
}

class Pool implements ThreadPool {
  readonly #options: ReaderPoolOptions;
  readonly #maxThreads: number;
  readonly #queue: ReaderJob[] = [];
  readonly #idle: Reader[] = [];
  readonly #readers = new Set<Reader>();
  /** Threads that are ending. */
  readonly #endings = new Set<Promise<unknown>>();
  /** Busy threads that end after their calls. */
  readonly #outdated = new Set<Reader>();
  #queuedBytes = 0;
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
    return this.#queue.length;
  }

  call(
    name: string,
    params: string,
    { signal, expires, refusesPrograms }: ReaderCallOptions,
  ): Promise<string> {
    const { maxWaiting = 256, maxWaitingBytes = MAX_WAITING_BYTES, isShort } = this.#options;
    if (this.#closed) return Promise.reject(failure("the node is stopping"));
    if (isShort?.() === true) return Promise.reject(noMemory("the node is short of memory: try again later"));
    if (this.#queue.length >= maxWaiting || this.#queuedBytes + params.length > maxWaitingBytes) {
      return Promise.reject(failure("too many requests are waiting for a reader"));
    }
    if (signal.aborted) return Promise.reject(failure("request cancelled"));
    return new Promise((resolve, reject) => {
      const forget = (): void => this.#forget(job);
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
        resolve: settled(resolve),
        reject: settled(reject),
      };
      this.#queue.push(job);
      this.#queuedBytes += job.bytes;
      signal.addEventListener("abort", forget, { once: true });
      this.#serve();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.reject(failure("the node is stopping"));
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

  #forget(job: ReaderJob): void {
    const at = this.#queue.indexOf(job);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    this.#queuedBytes -= job.bytes;
    job.reject(failure("request cancelled"));
  }

  #serve(): void {
    while (this.#queue.length > 0 && !this.#closed) {
      const reader = this.#idle.pop() ?? this.#start();
      if (reader === undefined) return;
      const job = this.#queue.shift() as ReaderJob; // the queue is not empty
      this.#queuedBytes -= job.bytes;
      reader.take(job);
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
