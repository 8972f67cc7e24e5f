/** One reader thread of the pool and its current call. */
import { type ResourceLimits, Worker } from "node:worker_threads";
import { closeCallGate, createCallGate } from "../runtime/call-gate.ts";
import { endThread } from "../runtime/end-thread.ts";
import { type CallError, failure, RpcError, rpcCode } from "./errors.ts";
import type { Expiry } from "./method.ts";
import type { ReaderAnswer, ReaderReply, ReaderRequest } from "./reader-thread.ts";

/** Options of reader threads. */
export interface ThreadOptions {
  /**
   * The module of the thread. It posts `up`, answers each `ReaderRequest` with one `ReaderAnswer` and ends on
   * null.
   */
  readonly entry: URL;
  /** Structured-clone data for the thread, such as the database directory. */
  readonly workerData?: unknown;
  /** Deadline of a call in milliseconds, counted from its start in a thread that is up. */
  readonly deadlineMs: number;
  /**
   * Maximum heap of a thread, in bytes. A call that needs more is answered with an error. Without it the
   * engine's own limit applies.
   */
  readonly heapBytes?: number | undefined;
  /** Called when a thread fails by itself; its call is answered with an internal error. */
  onBug(error: unknown): void;
}

/** A call and its promise. */
export interface ReaderJob {
  readonly request: ReaderRequest;
  readonly bytes: number;
  readonly expires: Expiry | undefined;
  /** Milliseconds of its deadline that runs have used which were broken off. */
  readonly spentMs: number;
  /** Charges the caller with the milliseconds that the call had the thread. */
  charge(ms: number): void;
  resolve(text: string): void;
  reject(error: Error): void;
}

/**
 * Time for a thread to load its code before it is terminated, because terminating a loading thread can crash
 * the process.
 */
const STARTING_MS = 30_000;
/** Time for a thread that is up to end by itself. */
const ENDING_MS = 500;
/** Size of the young generation of a thread with a limited heap. */
const YOUNG_MIB = 6;

/** One thread and its current call. */
export class Reader {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  /** Called when the thread is free for the next call, or, with a promise, when it ends. */
  readonly #onFree: (gone?: Promise<unknown>) => void;
  readonly #ended = Promise.withResolvers<void>();
  readonly #gate = createCallGate();
  #hasEnded = false;
  #isUp = false;
  #job: ReaderJob | undefined;
  #since = 0;
  #deadline: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ThreadOptions, onFree: (gone?: Promise<unknown>) => void) {
    this.#options = options;
    this.#onFree = onFree;
    const { entry, workerData, heapBytes } = options;
    this.#worker = new Worker(
      entry,
      heapBytes === undefined ? { workerData } : { workerData, resourceLimits: heapLimits(heapBytes) },
    );
    this.#worker.unref();
    this.#worker.on("message", (reply: ReaderReply) => {
      if (reply === "up") this.#begin();
      else this.#finish(reply);
    });
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => {
      this.#hasEnded = true;
      this.#ended.resolve();
      this.#fail(new Error("the reader thread ended"));
    });
  }

  /** Resolves when the thread has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** True while the thread has no call. */
  get isIdle(): boolean {
    return this.#job === undefined;
  }

  /** Milliseconds for which the call has run; 0 before the thread is up. */
  get ranMs(): number {
    return this.isIdle || !this.#isUp ? 0 : performance.now() - this.#since;
  }

  /** Starts a call, once the thread is up: until then the thread can still end by itself. */
  take(job: ReaderJob): void {
    this.#job = job;
    this.#since = performance.now();
    this.#worker.ref();
    if (this.#isUp) this.#hand(job);
    else this.#watch(STARTING_MS);
  }

  /** Ends the thread, which is up, without an answer to its call. */
  breakOff(): void {
    this.#stopped = true;
    this.#end();
    this.#onFree(this.#terminate());
  }

  #hand({ request, expires, spentMs }: ReaderJob): void {
    this.#since = performance.now();
    this.#watch((expires?.afterMs ?? this.#options.deadlineMs) - spentMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage({ ...request, gate: this.#gate });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#end()?.reject(failure("the node is stopping"));
    await endThread(this.#worker, this.#isUp ? ENDING_MS : STARTING_MS, () => this.#closeGate());
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
    else job?.reject(rpcError(reply.error));
    this.#onFree();
  }

  #expire(): void {
    this.#stopped = true;
    const message = this.#job?.expires?.message ?? "query timeout exceeded";
    this.#end()?.reject(failure(message, "deadline"));
    this.#onFree(this.#terminate());
  }

  async #terminate(): Promise<void> {
    await this.#closeGate();
    await this.#worker.terminate();
  }

  #closeGate(): Promise<void> {
    return closeCallGate(this.#gate, () => this.#hasEnded);
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    if (isOutOfMemory(error)) {
      this.#end()?.reject(noMemory("the call needs more memory than the node has for one"));
    } else {
      this.#options.onBug(error);
      this.#end()?.reject(new RpcError(rpcCode.internal, "internal error"));
    }
    this.#onFree(this.#worker.terminate());
  }

  #end(): ReaderJob | undefined {
    clearTimeout(this.#deadline);
    const job = this.#job;
    this.#job = undefined;
    job?.charge(performance.now() - this.#since);
    return job;
  }
}

function heapLimits(bytes: number): ResourceLimits {
  return {
    maxYoungGenerationSizeMb: YOUNG_MIB,
    maxOldGenerationSizeMb: Math.floor(bytes / 2 ** 20) - YOUNG_MIB,
  };
}

/** Returns an error that tells the caller to retry later. */
export function noMemory(message: string): RpcError {
  return new RpcError(rpcCode.limitExceeded, message);
}

/** Reports if the engine ended the thread because its heap was full. */
function isOutOfMemory(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** Returns the error that a thread sent. Its data is taken as the text that it is: it may be 20 MB. */
function rpcError({ code, message, data, reason }: CallError): RpcError {
  return new RpcError(code, message, data, reason);
}
