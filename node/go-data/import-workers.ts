/** The workers of an import: each takes the next task when it is free. */
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { endThread } from "../runtime/end-thread.ts";
import { enlargeInThreads } from "../runtime/young-space.ts";
import {
  type ImportFault,
  type ImportTask,
  type ImportWork,
  type ImportWorkData,
  importError,
  openImportWork,
  type WrittenRows,
} from "./import-work.ts";

/** Messages of a thread; `done` when it is free. */
export type ImportNews =
  | WrittenRows
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly fault: ImportFault };

/** More threads than this wait for each other: all write to the same two databases. */
const MAX_THREADS = 4;
/** Young objects of a thread; nothing but batches, which are outside the heap, grows old. */
const YOUNG_MIB = 24;

/** Consumer of what is written; a task is not done before it has resolved. */
export type OnWritten = (written: WrittenRows) => Promise<void>;

/** One that does tasks. */
interface ImportWorker {
  /** Does a task, and tells each batch of it. Rejects with its failure, and may be given another one then. */
  perform(task: ImportTask, tell: (written: WrittenRows) => void): Promise<void>;
  end(): Promise<void>;
}

/** Number of threads on this machine: on one core the work is done without any. */
export function defaultThreads(): number {
  const cores = availableParallelism();
  return cores === 1 ? 0 : Math.min(MAX_THREADS, cores);
}

/** Workers of one import: so many threads, or this thread when there are none. Disposing ends them. */
export class ImportWorkers implements AsyncDisposable {
  readonly #stop: Int32Array<SharedArrayBuffer>;
  readonly #workers: readonly ImportWorker[];

  constructor(threads: number, data: Omit<ImportWorkData, "stop">) {
    this.#stop = new Int32Array(new SharedArrayBuffer(4));
    const given: ImportWorkData = { ...data, stop: this.#stop };
    if (threads > 0) enlargeInThreads();
    this.#workers =
      threads > 0 ? Array.from({ length: threads }, () => new ImportThread(given)) : [new LocalWorker(given)];
  }

  /** Does tasks. Rejects with the first failure, a `GoDataError` or `StoreError`, or with the signal's reason. */
  async run(tasks: Iterator<ImportTask>, onWritten: OnWritten, signal: AbortSignal): Promise<void> {
    const work = this.#workers.map(async (worker) => {
      for (let next = tasks.next(); next.done !== true; next = tasks.next()) {
        signal.throwIfAborted();
        let noted = Promise.resolve();
        await worker.perform(next.value, (written) => {
          noted = noted.then(() => onWritten(written));
          noted.catch(() => undefined); // awaited below
        });
        await noted;
      }
    });
    const stop = (): void => void Atomics.store(this.#stop, 0, 1);
    signal.addEventListener("abort", stop);
    try {
      await Promise.all(work);
    } catch (error) {
      stop();
      await Promise.allSettled(work);
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Atomics.store(this.#stop, 0, 1);
    await Promise.all(this.#workers.map((worker) => worker.end()));
  }
}

/** Does tasks in this thread. */
class LocalWorker implements ImportWorker {
  readonly #work: Promise<ImportWork>;

  constructor(data: ImportWorkData) {
    this.#work = openImportWork(data);
    this.#work.catch(() => undefined); // the first task meets it
  }

  async perform(task: ImportTask, tell: (written: WrittenRows) => void): Promise<void> {
    await (await this.#work).perform(task, tell);
  }

  async end(): Promise<void> {
    const work = await this.#work.catch(() => undefined);
    await work?.[Symbol.asyncDispose]();
  }
}

class ImportThread implements ImportWorker {
  readonly #worker: Worker;
  readonly #exit: Promise<unknown>;
  /** Resolves when the thread is free. */
  #free: PromiseWithResolvers<void> = openPromise();
  #tell: (written: WrittenRows) => void = () => undefined;
  /** Set when the thread has ended. */
  #end: Error | undefined;

  constructor(workerData: ImportWorkData) {
    this.#worker = new Worker(new URL(`./import-thread${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
      env: {},
    });
    this.#worker.on("message", (news: ImportNews) => {
      if (news.kind === "done") this.#free.resolve();
      else if (news.kind === "failed") this.#free.reject(importError(news.fault));
      else this.#tell(news);
    });
    this.#worker.on("error", (error) => this.#free.reject(error));
    this.#exit = new Promise((resolve) => this.#worker.once("exit", resolve)).then(() => {
      this.#end = new Error("a thread of the import ended");
      this.#free.reject(this.#end);
    });
  }

  async perform(task: ImportTask, tell: (written: WrittenRows) => void): Promise<void> {
    await this.#free.promise;
    if (this.#end !== undefined) throw this.#end;
    this.#free = openPromise();
    this.#tell = tell;
    this.#worker.postMessage(task, []);
    await this.#free.promise;
  }

  /** Resolves when the thread has ended, also when it has before. */
  async end(): Promise<void> {
    await Promise.race([this.#exit, endThread(this.#worker)]);
  }
}

/** A promise that may be rejected before anybody waits for it. */
function openPromise(): PromiseWithResolvers<void> {
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => undefined);
  return opened;
}
