/**
 * Reader threads: what may run long for a caller runs there, never next to consensus. Threads start on first need,
 * one per spare core; the queue is bounded; a call that passes its deadline takes its thread down with it and a fresh
 * one takes the next call.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { endThread } from "../crypto/end-thread.ts";
import { failure, RpcError } from "./errors.ts";
import type { Expiry } from "./method.ts";

/** What the dispatcher hands `runs: "reader"` methods to. */
export interface ReaderPool {
  /** The JSON text of the result; `params` is JSON text. Rejects with an `RpcError`. */
  call(name: string, params: string, terms: ReaderTerms): Promise<string>;
}

/** What ends a call before its answer. */
export interface ReaderTerms {
  readonly signal: AbortSignal;
  /** Instead of the pool's own deadline. */
  readonly expires?: Expiry | undefined;
}

/** A pool that has threads to stop. */
export interface ThreadPool extends ReaderPool, AsyncDisposable {
  /** Threads running now. */
  readonly threads: number;
  /** Calls that wait for a thread. */
  readonly waiting: number;
}

/** What a thread is told. */
export interface ReaderRequest {
  readonly id: number;
  readonly name: string;
  readonly params: string;
}

/** What a thread answers: a result, or an error object, both as JSON text. */
export type ReaderAnswer =
  | { readonly id: number; readonly result: string }
  | { readonly id: number; readonly error: string };

/** What a thread says: that it has loaded its code and takes requests, then its answers. */
export type ReaderReply = "up" | ReaderAnswer;

/** How a pool is made. */
export interface ReaderPoolOptions {
  /** The thread's module; it says `up`, answers each `ReaderRequest` with one `ReaderAnswer` and ends when given null. */
  readonly entry: URL;
  /** Structured-clone data for the thread, such as the database directory. */
  readonly workerData?: unknown;
  readonly maxThreads?: number;
  /** Calls that may wait for a thread; more are refused. */
  readonly maxWaiting?: number;
  /** A call's deadline from the moment a thread that is up takes it. */
  readonly deadlineMs?: number;
  /** A thread failed by itself; its call is answered with an internal error. */
  onBug(error: unknown): void;
}

interface Job {
  readonly request: ReaderRequest;
  readonly bytes: number;
  readonly expires: Expiry | undefined;
  resolve(text: string): void;
  reject(error: Error): void;
}

/** A thread that is terminated while it loads its code can take the process along: it gets this long. */
const STARTING_MS = 30_000;
/** What a thread that is up gets to end by itself. */
const ENDING_MS = 500;
/** Parameters of waiting calls together. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Opens a pool without any thread yet. */
export function openReaderPool(options: ReaderPoolOptions): ThreadPool {
  return new Pool(options);
}

class Pool implements ThreadPool {
  readonly #options: ReaderPoolOptions;
  readonly #maxThreads: number;
  readonly #queue: Job[] = [];
  readonly #idle: Reader[] = [];
  readonly #readers = new Set<Reader>();
  /** Threads that were taken down and may not be gone yet. */
  readonly #endings = new Set<Promise<unknown>>();
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

  call(name: string, params: string, { signal, expires }: ReaderTerms): Promise<string> {
    const { maxWaiting = 256 } = this.#options;
    if (this.#closed) return Promise.reject(failure("the node is stopping"));
    if (this.#queue.length >= maxWaiting || this.#queuedBytes + params.length > MAX_WAITING_BYTES) {
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
      const job: Job = {
        request: { id: ++this.#lastId, name, params },
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

  #forget(job: Job): void {
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
      const job = this.#queue.shift() as Job; // the queue is not empty
      this.#queuedBytes -= job.bytes;
      reader.take(job);
    }
  }

  #start(): Reader | undefined {
    if (this.#readers.size >= this.#maxThreads) return undefined;
    const reader = new Reader(this.#options, (gone) => {
      if (gone === undefined && !this.#closed) this.#idle.push(reader);
      else this.#drop(reader);
      if (gone !== undefined) this.#awaitEnd(gone);
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
    const at = this.#idle.indexOf(reader);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

/** One thread and the call it works on. */
class Reader {
  readonly #worker: Worker;
  readonly #options: ReaderPoolOptions;
  /** Told that it can take the next call, or, with a promise, that it ends. */
  readonly #onFree: (gone?: Promise<unknown>) => void;
  #isUp = false;
  #job: Job | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ReaderPoolOptions, onFree: (gone?: Promise<unknown>) => void) {
    this.#options = options;
    this.#onFree = onFree;
    this.#worker = new Worker(options.entry, { workerData: options.workerData });
    this.#worker.unref();
    this.#worker.on("message", (reply: ReaderReply) => {
      if (reply === "up") this.#begin();
      else this.#finish(reply);
    });
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the reader thread ended")));
  }

  /** A thread that is not up yet is handed the call later: until then it can still end by itself. */
  take(job: Job): void {
    this.#job = job;
    this.#worker.ref();
    if (this.#isUp) this.#hand(job);
    else this.#watch(STARTING_MS);
  }

  #hand({ request, expires }: Job): void {
    this.#watch(expires?.afterMs ?? this.#options.deadlineMs ?? 10_000);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(request);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#end()?.reject(failure("the node is stopping"));
    await endThread(this.#worker, this.#isUp ? ENDING_MS : STARTING_MS);
  }

  #begin(): void {
    this.#isUp = true;
    if (this.#job !== undefined) this.#hand(this.#job);
  }

  #watch(forMs: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#expire(), forMs);
  }

  #finish(reply: ReaderAnswer): void {
    if (reply.id !== this.#job?.request.id) return;
    const job = this.#end();
    this.#worker.unref();
    if ("result" in reply) job?.resolve(reply.result);
    else job?.reject(errorOf(reply.error));
    this.#onFree();
  }

  #expire(): void {
    this.#stopped = true;
    const message = this.#job?.expires?.message ?? "query timeout exceeded";
    this.#end()?.reject(failure(message));
    this.#onFree(this.#worker.terminate());
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#options.onBug(error);
    this.#end()?.reject(new RpcError(-32603, "internal error"));
    this.#onFree(this.#worker.terminate());
  }

  #end(): Job | undefined {
    clearTimeout(this.#deadline);
    const job = this.#job;
    this.#job = undefined;
    return job;
  }
}

/** An error object that a thread wrote, as the error it was. */
function errorOf(json: string): RpcError {
  const { code, message, data } = JSON.parse(json) as { code: number; message: string; data?: unknown };
  return new RpcError(code, message, data === undefined ? undefined : JSON.stringify(data));
}
