/** One copying for a migration, in a thread of its own or here, and what its owner hears of it. */
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { endThread } from "../../runtime/end-thread.ts";
import type { StoreReader } from "../../store/store.ts";
import type { TrieStores } from "../trie/generations.ts";
import type { CopyCounts } from "./copy-tries.ts";
import { copyGeneration } from "./migration-copy.ts";

/** A copying under way. */
export interface MigrationRun {
  /** Resolves when the new generation is on disk, close behind the chain. Rejects with what went wrong. */
  readonly done: Promise<void>;
  /** While a block is sealed and written the copying rests: both want the processor and the disk. */
  setYielding(isBlock: boolean): void;
  /** Ends it early; `done` rejects. Resolves when nothing is open any more. */
  stop(): Promise<void>;
}

/** Starts a copying into a generation. */
export type StartRun = (
  generation: number,
  parts: { readonly from: StoreReader; readonly report: (counts: CopyCounts) => void },
) => MigrationRun;

/** Copies in this thread: for stores that no other thread can open. */
export function runHere(chain: StoreReader, tries: TrieStores): StartRun {
  return (generation, { from, report }) => {
    const closing = new AbortController();
    const done = (async () => {
      await using to = await tries.open(generation);
      const { signal } = closing;
      await copyGeneration({ chain, from, to, signal, rest: () => undefined, report });
    })();
    return { setYielding: () => undefined, ...runControl(done, () => closing.abort()) };
  };
}

/** Data that the thread of `migration-worker.ts` starts with. */
export interface MigrationWorkerData {
  readonly chain: string;
  readonly from: string;
  readonly to: string;
  /** One number, 1 while a block is sealed and written. */
  readonly way: Int32Array<SharedArrayBuffer>;
}

/** Messages of the thread. */
export type MigrationMessage =
  | { readonly kind: "counts"; readonly counts: CopyCounts }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly message: string };

/** Batches and nodes are outside the heap; what is changed meanwhile is on it. */
const HEAP_BYTES = 256 * 1024 * 1024;
const YOUNG_MIB = 8;
/** A thread that does not end by itself is not waited for any longer. */
const MAX_ENDING_MS = 10_000;

/** Copies in a thread with so large a heap. Directories: that of the chain database, and the one with the generations. */
export function runInThread(chain: string, tries: string, heapBytes = HEAP_BYTES): StartRun {
  const resourceLimits = {
    maxYoungGenerationSizeMb: YOUNG_MIB,
    maxOldGenerationSizeMb: Math.ceil(heapBytes / 2 ** 20) - YOUNG_MIB,
  };
  const directory = (generation: number): string => join(tries, String(generation));
  return (generation, { report }) => {
    const [from, to] = [directory(generation - 1), directory(generation)];
    const way = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL(`./migration-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { chain, from, to, way } satisfies MigrationWorkerData,
      resourceLimits,
      env: {},
    });
    const done = Promise.withResolvers<void>();
    let failure: Error | undefined = new Error("the copying thread ended");
    worker.on("message", (news: MigrationMessage) => {
      if (news.kind === "counts") report(news.counts);
      else failure = news.kind === "done" ? undefined : new Error(news.message);
    });
    worker.on("error", (error) => (failure = error instanceof Error ? error : new Error(String(error))));
    // its stores are closed when it has ended, not before
    worker.once("exit", () => {
      if (failure === undefined) return done.resolve();
      done.reject(failure);
    });
    const setYielding = (isBlock: boolean): void => {
      Atomics.store(way, 0, Number(isBlock));
      if (!isBlock) Atomics.notify(way, 0);
    };
    const stop = (): void => void endThread(worker, MAX_ENDING_MS);
    return { setYielding, ...runControl(done.promise, stop) };
  };
}

function runControl(done: Promise<void>, abort: () => void): Pick<MigrationRun, "done" | "stop"> {
  done.catch(() => undefined); // whoever waits for it meets it
  return {
    done,
    async stop() {
      abort();
      await done.catch(() => undefined);
    },
  };
}
