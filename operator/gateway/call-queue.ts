/** Queue of calls to the node: a few at a time, and one maintenance call at a time. */

import { statfs } from "node:fs/promises";
import type { DiskUsage } from "../control/answers.ts";
import { type ControlCall, type ControlMethod, controlMethods } from "../control/methods.ts";
import { callNode, IpcError, type NodeAnswer } from "./ipc.ts";
import { readinessReasons } from "./readiness.ts";
import { reportOf } from "./report.ts";

/** Runs a call when capacity is free. Rejects with `IpcError`. */
export type CallQueue = (call: ControlCall) => Promise<NodeAnswer>;

/** Destinations of calls. */
export interface CallQueueOptions {
  readonly socketPath: string;
  /** A directory on the data volume; undefined disables reports of free space. */
  readonly dataDirectory: string | undefined;
  /** URL of the node's `/readyz`; undefined disables reports of its reasons. */
  readonly readiness?: string | undefined;
  /** Time limit of the node's response, or of all calls of a report together. */
  readonly nodeMs: number;
}

const MAX_CALLS = 8;

/** Creates the queue. */
export function createCallQueue(options: CallQueueOptions): CallQueue {
  let calls = 0;
  let maintained: ControlMethod | undefined;
  return async (call) => {
    const { maintenance, by } = controlMethods[call.method];
    if (calls >= MAX_CALLS) throw new IpcError("busy", "too many concurrent calls");
    if (maintenance && maintained !== undefined) throw new IpcError("busy", `${maintained} is in progress`);
    calls++;
    if (maintenance) maintained = call.method;
    try {
      return by === "node" ? await callNode(options.socketPath, call, options.nodeMs) : await report(options);
    } finally {
      calls--;
      if (maintenance) maintained = undefined;
    }
  };
}

function report({ socketPath, dataDirectory, readiness, nodeMs }: CallQueueOptions): Promise<NodeAnswer> {
  const end = performance.now() + nodeMs;
  return reportOf({
    node: (method, ...params) => callNode(socketPath, { method, params }, end - performance.now()),
    disk: async () =>
      dataDirectory === undefined ? undefined : diskUsage(dataDirectory).catch(() => undefined),
    reasons: async () =>
      readiness === undefined ? undefined : readinessReasons(readiness).catch(() => undefined),
  });
}

/** Measures the file system of `directory`. Rejects with the error of the file system. */
async function diskUsage(directory: string): Promise<DiskUsage> {
  const { blocks, bavail, bsize } = await statfs(directory);
  return { sizeBytes: blocks * bsize, freeBytes: bavail * bsize };
}
