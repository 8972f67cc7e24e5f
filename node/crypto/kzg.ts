/**
 * KZG commitments and proofs of blobs (EIP-4844) and of their cells (EIP-7594), on a thread of its own that the
 * first call starts: its library needs seconds to load and tens of megabytes. Proofs at a single point, for
 * contracts, are in `kzg-point.ts`.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { endThread } from "../runtime/end-thread.ts";
import { type Client, type FairAccount, FairQueue } from "../runtime/fair-queue.ts";
import { CryptoError } from "./error.ts";
import { CELLS, type KzgCells } from "./kzg-backend.ts";
import type { KzgAnswer, KzgJob } from "./kzg-jobs.ts";

/** A blob (131,072 bytes), its commitment (48) and the 128 cell proofs (48 each) of a version-1 sidecar. */
export interface BlobCellsClaim {
  readonly blob: Uint8Array;
  readonly commitment: Uint8Array;
  readonly proofs: readonly Uint8Array[];
}

/** Settings that have good defaults. */
export interface KzgOptions {
  /** File of the thread; tests pass one that fails. */
  readonly workerFile?: URL;
}

/** Waits for an answer: a stranger, whose calls take turns with those of others, or a block, which comes first. */
export type KzgClient = Client | "block";

/**
 * Blobs. Answers are false or undefined for bytes that are no blob, point or proof. Rejects with `CryptoError`
 * `busy` when 64 calls are waiting (of strangers, one of who has most in the queue), `thread-died` (the next call starts
 * another thread) and `closed`.
 */
export interface Kzg extends AsyncDisposable {
  /** Returns the library in use; "wasm" is slow to start, so warn about it. */
  backend(): Promise<"native" | "wasm">;
  commitmentOf(blob: Uint8Array): Promise<Uint8Array | undefined>;
  blobProofOf(blob: Uint8Array, commitment: Uint8Array): Promise<Uint8Array | undefined>;
  cellsOf(blob: Uint8Array): Promise<KzgCells | undefined>;
  verifyBlobCells(claim: BlobCellsClaim, client?: KzgClient): Promise<boolean>;
}

/** Bytes of a blob: 4,096 field elements. */
export const BLOB_BYTES = 131_072;
const POINT_BYTES = 48;
/** Calls of strangers that may wait, 8 MB of blobs, and as many of blocks. */
const MAX_WAITING = 64;

const WORKER_FILE = new URL(`./kzg-worker${extname(import.meta.url)}`, import.meta.url);

interface Question {
  readonly job: KzgJob;
  /** Undefined for a question of a block. */
  readonly account: FairAccount<Question> | undefined;
  readonly resolve: (answer: KzgAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** Starts nothing before the first call. Closing lets the calls under way reject. */
export function openKzg(options: KzgOptions = {}): Kzg {
  const thread = new KzgThread(options.workerFile ?? WORKER_FILE);
  const ask = (job: KzgJob, client?: KzgClient): Promise<KzgAnswer> => thread.ask(job, client);
  // What each job answers is written in kzg-jobs.ts.
  return {
    backend: async () => (await ask({ do: "backend" })) as "native" | "wasm",
    commitmentOf: async (blob) =>
      isBlob(blob) ? ((await ask({ do: "commitmentOf", blob })) as Uint8Array | undefined) : undefined,
    blobProofOf: async (blob, commitment) =>
      isBlob(blob) && isPoint(commitment)
        ? ((await ask({ do: "blobProofOf", blob, commitment })) as Uint8Array | undefined)
        : undefined,
    cellsOf: async (blob) =>
      isBlob(blob) ? ((await ask({ do: "cellsOf", blob })) as KzgCells | undefined) : undefined,
    verifyBlobCells: async ({ blob, commitment, proofs }, client) =>
      isBlob(blob) &&
      isPoint(commitment) &&
      proofs.length === CELLS &&
      proofs.every(isPoint) &&
      (await ask({ do: "verifyBlobCells", blob, commitment, proofs }, client)) === true,
    [Symbol.asyncDispose]: () => thread.close(),
  };
}

function isBlob(bytes: Uint8Array): boolean {
  return bytes.length === BLOB_BYTES;
}

function isPoint(bytes: Uint8Array): boolean {
  return bytes.length === POINT_BYTES;
}

/** One thread, started by the first question. It has one question at a time, so that one of a block waits for no other. */
class KzgThread {
  readonly #file: URL;
  readonly #blocks: Question[] = [];
  readonly #strangers = new FairQueue<Question>();
  #running: { readonly question: Question; readonly sinceMs: number } | undefined;
  #worker: Worker | undefined;
  #closed = false;

  constructor(file: URL) {
    this.#file = file;
  }

  ask(job: KzgJob, client: KzgClient = {}): Promise<KzgAnswer> {
    if (this.#closed) return Promise.reject(new CryptoError("closed", "KZG was closed"));
    const { promise, resolve, reject } = Promise.withResolvers<KzgAnswer>();
    const account = client === "block" ? undefined : this.#strangers.accountOf(client);
    this.#add({ job, account, resolve, reject });
    this.#goOn();
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#fail(new CryptoError("closed", "KZG was closed"));
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker !== undefined) await endThread(worker);
  }

  #add(question: Question): void {
    const { account, reject } = question;
    const busy = new CryptoError("busy", `${MAX_WAITING} calls of KZG are waiting`);
    if (account === undefined) {
      if (this.#blocks.length >= MAX_WAITING) reject(busy);
      else this.#blocks.push(question);
      return;
    }
    this.#strangers.add(account, question);
    if (this.#strangers.size <= MAX_WAITING) return;
    const dropped = this.#strangers.newestOfMost();
    if (dropped.account !== undefined) this.#strangers.remove(dropped.account, dropped);
    dropped.reject(busy);
  }

  /** Gives the thread the next question when it has none. A thread without one does not keep the program alive. */
  #goOn(): void {
    if (this.#running !== undefined) return;
    const question = this.#take();
    if (question === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#running = { question, sinceMs: performance.now() };
    this.#worker ??= this.#start();
    this.#worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(question.job);
  }

  #take(): Question | undefined {
    const first = this.#blocks.shift();
    return first !== undefined || this.#strangers.isEmpty ? first : this.#strangers.take();
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { execArgv: [] });
    worker.on("message", (answer: KzgAnswer) => {
      if (this.#running === undefined) return;
      const { question, sinceMs } = this.#running;
      if (question.account !== undefined)
        this.#strangers.charge(question.account, performance.now() - sinceMs);
      this.#running = undefined;
      question.resolve(answer);
      this.#goOn();
    });
    worker.on("error", (cause) => this.#end(worker, cause));
    worker.on("exit", () => this.#end(worker, undefined));
    return worker;
  }

  /** The next question starts another thread. */
  #end(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#fail(new CryptoError("thread-died", "the thread of KZG died", { cause }));
  }

  #fail(error: CryptoError): void {
    this.#running?.question.reject(error);
    this.#running = undefined;
    for (let question = this.#take(); question !== undefined; question = this.#take()) question.reject(error);
  }
}
