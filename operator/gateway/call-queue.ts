/** Queue of calls to the node: a few at a time, and one maintenance call at a time. */
import { once } from "node:events";
import { statfs } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { type DiskUsage, readReasons } from "../control/answers.ts";
import { type ControlCall, type ControlMethod, controlMethods } from "../control/methods.ts";
import { callNode, IpcError, type NodeAnswer } from "./ipc.ts";
import { reportOf } from "./report.ts";

/** Loaded without `import`, which evaluates every export of the module, including a fetch client of 4 MiB. */
const { get } = process.getBuiltinModule("node:http");

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
/** Time limit of a request for `/readyz`, in milliseconds. */
const READY_MS = 1_000;
const MAX_READY_BYTES = 4_096;

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

/** Reads the reasons for which the node is not ready for clients. Rejects when the node does not respond in time, or the response is invalid. */
async function readinessReasons(url: string): Promise<readonly string[]> {
  const request = get(url, { signal: AbortSignal.timeout(READY_MS), agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage]; // the event has this argument
  let text = "";
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > MAX_READY_BYTES) throw new Error("the response is too long");
  }
  const { reasons } = JSON.parse(text) as { reasons?: unknown };
  return readReasons(reasons);
}
