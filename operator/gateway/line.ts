/** The way on to the node: a few calls at a time, and of those that maintain it one, however long it takes. */
import { type ControlCall, type ControlMethod, controlMethods } from "../control/methods.ts";
import { diskUsage } from "./disk.ts";
import { callNode, IpcError, type NodeAnswer } from "./ipc.ts";

/** Carries a call out when there is room for it. Rejects with `IpcError`, or as the file system does. */
export type Line = (call: ControlCall) => Promise<NodeAnswer>;

/** Where calls end. */
export interface LineOptions {
  readonly socketPath: string;
  /** A directory on the volume with the chain; undefined: nothing is told of the disk. */
  readonly dataDirectory: string | undefined;
  /** How long the node may take to answer. */
  readonly nodeMs: number;
}

const MOST_CALLS = 8;

/** Creates the line. */
export function createLine({ socketPath, dataDirectory, nodeMs }: LineOptions): Line {
  let calls = 0;
  let maintained: ControlMethod | undefined;
  return async (call) => {
    const { maintenance, by } = controlMethods[call.method];
    if (calls >= MOST_CALLS) throw new IpcError("busy", "too many calls at a time");
    if (maintenance && maintained !== undefined) throw new IpcError("busy", `${maintained} is being called`);
    calls++;
    if (maintenance) maintained = call.method;
    try {
      return by === "node" ? await callNode(socketPath, call, nodeMs) : await ownAnswer(dataDirectory);
    } finally {
      calls--;
      if (maintenance) maintained = undefined;
    }
  };
}

async function ownAnswer(dataDirectory: string | undefined): Promise<NodeAnswer> {
  if (dataDirectory === undefined) throw new IpcError("refused", "the gateway was given no --data directory");
  const result = await diskUsage(dataDirectory);
  return { text: JSON.stringify({ jsonrpc: "2.0", id: 1, result }), isError: false };
}
