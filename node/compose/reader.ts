/**
 * The composition root of a reader thread: the chain's database on a handle of its own, and the methods that
 * scan. A thread has nothing of the node but this.
 */
import { parentPort, workerData } from "node:worker_threads";
import { storeReading } from "../calls/chain-reading.ts";
import { storeLogSource } from "../calls/log-source.ts";
import type { CallLimits } from "../calls/run-call.ts";
import { type ProfileName, rpcProfiles } from "../compat/profiles.ts";
import { serveReader } from "../jsonrpc/reader-thread.ts";
import { callMethods } from "../rpc/calls.ts";
import { debugStateMethods } from "../rpc/debug-state.ts";
import { logMethods } from "../rpc/logs.ts";
import { traceFileMethods } from "../rpc/trace-files.ts";
import { traceMethods } from "../rpc/traces.ts";
import { openLevelReader } from "../store/level-store.ts";

/** Data that a reader thread starts with. */
export interface ReaderData {
  /** Of the chain database. */
  readonly directory: string;
  /** Logs in one answer; 0 is no limit. */
  readonly maxLogs: number;
  readonly limits: CallLimits;
  readonly timeoutMs: number;
  /** Of one answer. */
  readonly maxBytes: number;
  readonly profile: ProfileName;
}

if (parentPort !== null) {
  const { directory, maxLogs, limits, timeoutMs, maxBytes, profile } = workerData as ReaderData; // what node-rpc.ts gives
  const store = await openLevelReader(directory);
  const open = storeReading(store);
  const { options: formOptions } = rpcProfiles[profile];
  const methods = [
    ...logMethods({ open: () => storeLogSource(store), maxLogs }),
    ...callMethods({ open, limits, timeoutMs }),
    ...debugStateMethods({ open, maxBytes, ...formOptions }),
    ...traceMethods({ open, limits, maxBytes, ...formOptions }),
    ...traceFileMethods({ open, limits, maxBytes, ...formOptions }),
  ];
  serveReader(parentPort, methods.map(formOptions.interfaces.adaptMethod), {
    onBug: (error) => {
      throw error instanceof Error ? error : new Error(String(error)); // the pool hears of it and starts another thread
    },
    onEnd: () => void store[Symbol.asyncDispose](),
  });
}
