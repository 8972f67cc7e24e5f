/**
 * Recovers the signers of many signatures on threads of their own, so that a block's senders cost the main
 * thread almost nothing. Small batches, batches above the budget, and everything when the thread has died are
 * done on the main thread, in slices between which other work runs.
 */

import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { endThread } from "../runtime/end-thread.ts";
import { Slice } from "../runtime/scheduler.ts";
import type { BlsClaim } from "./bls-curve.ts";
import { CLAIM_BYTES, packClaims } from "./claim-batch.ts";
import {
  JOB_BYTES,
  packJobs,
  type RecoveryJob,
  recoverSigner,
  unpackJobs,
  unpackSigners,
  type Wanted,
} from "./recovery-batch.ts";

/** Results of a batch in its order, undefined where nothing recovers. */
export type Signers = readonly (Uint8Array | undefined)[];

/** Recovers signers of batches of signatures; closing waits for running batches. */
export interface Recoverer extends AsyncDisposable {
  /** Returns the signers' addresses. Never rejects. */
  recover(batch: readonly RecoveryJob[]): Promise<Signers>;
  /** Returns the signers' public keys, 64 bytes. Never rejects. */
  recoverKeys(batch: readonly RecoveryJob[]): Promise<Signers>;
  /** Verifies BLS signatures; undefined where no thread could. Never rejects. */
  verifyClaims(batch: readonly BlsClaim[]): Promise<readonly (boolean | undefined)[]>;
  /** Starts the threads before the first batch. */
  start(): void;
}

/** Log for the death of a thread. */
export interface RecovererLog {
  warn(fields: object, message: string): void;
}

/** Options of a recoverer. */
export interface RecovererOptions {
  /** Number of threads; by default two, at most one per core. */
  readonly threads?: number;
  /** File of the thread; tests pass one that fails. */
  readonly workerFile?: URL;
  /** Maximum of packed bytes that wait for the threads. A batch above it runs on the main thread. */
  readonly budgetBytes?: number;
}

/** Receives the result; undefined when the thread has died. */
type Pending = (answer: Uint8Array | undefined) => void;

/** Minimum batch for a thread: a round trip costs the main thread as much as one recovery. */
const MIN_BATCH = 8;
/** Minimum part of a batch for one thread. */
const MIN_PART = 64;
const DEFAULT_BUDGET = 16 * 1024 * 1024;
/** Batches are outside the heap; without a limit each thread's young objects alone take up to 100 MB. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };
/** Number of deaths after which a thread is not started again. */
const MAX_DEATHS = 3;

/** More threads only compete with the main thread. */
const MAX_THREADS = 2;

/** Opens a recoverer. Its threads start with the first batch of 8 or more and keep no process alive when idle. */
export function openRecoverer(log: RecovererLog, options: RecovererOptions = {}): Recoverer {
  const count = options.threads ?? Math.min(MAX_THREADS, availableParallelism());
  const threads = Array.from({ length: count }, () => new ThreadRecoverer(log, options));
  let next = 0;
  const share = (batch: readonly RecoveryJob[], wanted: Wanted): Promise<Signers> => {
    const parts = Math.min(count, Math.max(1, Math.floor(batch.length / MIN_PART)));
    const size = Math.ceil(batch.length / parts);
    const finding = Array.from({ length: parts }, (_, i) => {
      const thread = threads[next++ % count] as ThreadRecoverer; // an index below the count
      return thread.recover(batch.slice(i * size, (i + 1) * size), wanted);
    });
    return inOneList(finding);
  };
  return {
    start: () => {
      for (const thread of threads) thread.start();
    },
    recover: (batch) => share(batch, "address"),
    recoverKeys: (batch) => share(batch, "key"),
    verifyClaims: (batch) => (threads[next++ % count] as ThreadRecoverer).verifyClaims(batch), // an index below the count
    [Symbol.asyncDispose]: async () => {
      await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
    },
  };
}

async function inOneList(finding: readonly Promise<Signers>[]): Promise<Signers> {
  const found = await Promise.all(finding);
  return found.length === 1 ? (found[0] ?? []) : found.flat();
}

class ThreadRecoverer {
  readonly #log: RecovererLog;
  readonly #workerFile: URL;
  readonly #budget: number;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #waitingBytes = 0;
  #nextId = 0;
  #deaths = 0;
  #closed = false;
  #onIdle: (() => void) | undefined;

  constructor(log: RecovererLog, options: RecovererOptions) {
    this.#log = log;
    this.#workerFile =
      options.workerFile ?? new URL(`./recovery-worker${extname(import.meta.url)}`, import.meta.url);
    this.#budget = options.budgetBytes ?? DEFAULT_BUDGET;
  }

  recover(batch: readonly RecoveryJob[], wanted: Wanted): Promise<Signers> {
    const bytes = batch.length * JOB_BYTES;
    const tooMuch = this.#waitingBytes + bytes > this.#budget;
    if (batch.length < MIN_BATCH || tooMuch || this.#closed || this.#deaths >= MAX_DEATHS) {
      return recoverHere(batch, wanted);
    }
    if (this.#worker === undefined && batch.length < MIN_PART) {
      this.start(); // for the next one: starting takes longer than this batch
      return recoverHere(batch, wanted);
    }
    return this.#send(packJobs(batch), wanted);
  }

  start(): void {
    if (!this.#closed) this.#worker ??= this.#start();
  }

  /** Starts no thread for claims: the caller can check them itself. */
  async verifyClaims(batch: readonly BlsClaim[]): Promise<readonly (boolean | undefined)[]> {
    const tooMuch = this.#waitingBytes + batch.length * CLAIM_BYTES > this.#budget;
    const isIdle = this.#worker === undefined || this.#closed;
    const answer =
      isIdle || tooMuch || batch.length === 0 ? undefined : await this.#ask(packClaims(batch), "claims");
    return batch.map((_, i) => (answer?.[i] === undefined ? undefined : answer[i] === 1));
  }

  /** Sends a copy of the bytes and keeps no jobs, which are many objects. */
  async #send(packed: Uint8Array<ArrayBuffer>, wanted: Wanted): Promise<Signers> {
    const copy = packed.slice();
    const answer = await this.#ask(packed, wanted);
    return answer === undefined ? recoverHere(unpackJobs(copy), wanted) : unpackSigners(answer, wanted);
  }

  async #ask(packed: Uint8Array<ArrayBuffer>, wanted: Wanted | "claims"): Promise<Uint8Array | undefined> {
    const bytes = packed.length; // read before the transfer empties it
    const id = this.#nextId++;
    const worker = (this.#worker ??= this.#start());
    this.#waitingBytes += bytes;
    try {
      return await new Promise((done) => {
        this.#pending.set(id, done);
        worker.ref();
        worker.postMessage({ id, packed, wanted }, [packed.buffer]);
      });
    } finally {
      this.#waitingBytes -= bytes;
    }
  }

  #start(): Worker {
    // flags of the program are not the thread's
    const worker = new Worker(this.#workerFile, { execArgv: [], resourceLimits: THREAD_MEMORY });
    worker.unref();
    worker.on("message", ({ id, answer }: { id: number; answer: Uint8Array }) => this.#settle(id, answer));
    let cause: unknown;
    worker.on("error", (error) => {
      cause = error;
    });
    worker.once("exit", (exitCode) => {
      if (!this.#closed || this.#pending.size > 0) this.#takeBack(exitCode, cause);
    });
    return worker;
  }

  #settle(id: number, answer: Uint8Array | undefined): void {
    this.#pending.get(id)?.(answer);
    this.#pending.delete(id);
    if (this.#pending.size > 0) return;
    this.#worker?.unref();
    this.#onIdle?.();
  }

  /** Runs a dead thread's batches on the main thread. The next large batch starts a new thread. */
  #takeBack(exitCode: number, error: unknown): void {
    this.#worker = undefined;
    this.#deaths++;
    const batches = this.#pending.size;
    this.#log.warn(
      { exitCode, batches, error },
      "signature recovery thread died, recovering on the main thread",
    );
    for (const id of this.#pending.keys()) this.#settle(id, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    if (this.#pending.size > 0) {
      await new Promise<void>((idle) => {
        this.#onIdle = idle;
      });
    }
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker !== undefined) await endThread(worker);
  }
}

async function recoverHere(batch: readonly RecoveryJob[], wanted: Wanted): Promise<Signers> {
  const slice = new Slice("block");
  const signers: (Uint8Array | undefined)[] = [];
  for (const job of batch) {
    signers.push(recoverSigner(job, wanted));
    await slice.yieldIfDue();
  }
  return signers;
}
