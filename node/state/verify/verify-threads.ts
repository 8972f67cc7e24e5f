/** Verifies the parts of a state in threads: each takes the next part when it is done with one. */
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { enlargeInThreads } from "../../runtime/young-space.ts";
import { StoreError, type StoreErrorCode } from "../../store/error.ts";
import { StateError, type StateErrorCode } from "../error.ts";
import type { AccountsPart, PartCounts } from "./accounts-part.ts";

/** Directories of the two databases, which this process has open. */
export interface StateDirectories {
  readonly chain: string;
  readonly trie: string;
}

/** Data that a thread starts with. */
export interface VerifyThreadData {
  readonly directories: StateDirectories;
  readonly parts: readonly AccountsPart[];
  /** Index of the next part; `STOPPED` or more when the work ends early. */
  readonly next: Int32Array<SharedArrayBuffer>;
}

/** An error on its way from a thread. */
export interface VerifyFault {
  readonly from: "state" | "store" | "other";
  readonly code: string;
  readonly message: string;
}

/** Messages of a thread. */
export type VerifyNews =
  | { readonly kind: "accounts"; readonly accounts: number }
  | { readonly kind: "counts"; readonly counts: PartCounts }
  | { readonly kind: "failed"; readonly fault: VerifyFault };

/** Index that no part has. */
export const STOPPED = 2 ** 20;
/** More threads than this wait for the disk, and each takes some 30 MiB. */
const MAX_THREADS = 4;
/** Pages of rows die young. */
const YOUNG_MIB = 24;

/** Verifies all parts. `progress` may throw to end the work. Rejects with the first failure. */
export async function verifyInThreads(
  directories: StateDirectories,
  parts: readonly AccountsPart[],
  progress: (accounts: number) => void,
): Promise<readonly PartCounts[]> {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const counts: PartCounts[] = [];
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    Atomics.store(next, 0, STOPPED);
  };
  const hear = (news: VerifyNews): void => {
    if (news.kind === "counts") counts.push(news.counts);
    else if (news.kind === "failed") fail(verifyError(news.fault));
    else if (failure === undefined) progress(news.accounts);
  };
  const workerData: VerifyThreadData = { directories, parts, next };
  enlargeInThreads();
  const threads = Array.from({ length: Math.min(MAX_THREADS, availableParallelism(), parts.length) }, () => {
    const worker = new Worker(new URL(`./verify-thread${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
      env: {},
    });
    worker.on("message", (news: VerifyNews) => {
      try {
        hear(news);
      } catch (error) {
        fail(error);
      }
    });
    worker.on("error", fail);
    return new Promise((resolve) => worker.once("exit", resolve));
  });
  await Promise.all(threads);
  if (failure !== undefined) throw failure.error;
  if (counts.length < parts.length) throw new Error("a thread of the verification ended");
  return counts;
}

/** Makes an error of a thread ready for its way. */
export function verifyFault(error: unknown): VerifyFault {
  const { code = "", message } = error as { code?: string; message: string };
  if (error instanceof StateError) return { from: "state", code, message };
  return { from: error instanceof StoreError ? "store" : "other", code, message };
}

function verifyError({ from, code, message }: VerifyFault): Error {
  if (from === "state") return new StateError(code as StateErrorCode, message);
  return from === "store" ? new StoreError(code as StoreErrorCode, message) : new Error(message);
}
