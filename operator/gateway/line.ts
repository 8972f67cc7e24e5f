/** The way on to the node: a few calls at a time, and of those that maintain it one, however long it takes. */
import { type ControlCall, type ControlMethod, controlMethods } from "../control/methods.ts";
import { diskUsage } from "./disk.ts";
import { callNode, IpcError, type NodeAnswer } from "./ipc.ts";
import { reportOf } from "./report.ts";

/** Carries a call out when there is room for it. Rejects with `IpcError`. */
export type Line = (call: ControlCall) => Promise<NodeAnswer>;

/** Where calls end. */
export interface LineOptions {
  readonly socketPath: string;
  /** A directory on the volume with the chain; undefined: nothing is told of the disk. */
  readonly dataDirectory: string | undefined;
  /** How long the node may take to answer, all that a report asks it together. */
  readonly nodeMs: number;
}

const MAX_CALLS = 8;

/** Creates the line. */
export function createLine(options: LineOptions): Line {
  let calls = 0;
  let maintained: ControlMethod | undefined;
  return async (call) => {
    const { maintenance, by } = controlMethods[call.method];
    if (calls >= MAX_CALLS) throw new IpcError("busy", "too many calls at a time");
    if (maintenance && maintained !== undefined) throw new IpcError("busy", `${maintained} is being called`);
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

function report({ socketPath, dataDirectory, nodeMs }: LineOptions): Promise<NodeAnswer> {
  const end = performance.now() + nodeMs;
  return reportOf({
    node: (method) => callNode(socketPath, { method, params: [] }, end - performance.now()),
    disk: async () =>
      dataDirectory === undefined ? undefined : diskUsage(dataDirectory).catch(() => undefined),
  });
}
