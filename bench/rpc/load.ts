/** The load tool: one process for all nodes, with bare sockets, kept alive, one request under way on each. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Group, GroupResult } from "./lanes.ts";

/** Requests to send, and the duration. */
export interface LoadRequest {
  readonly groups: readonly Group[];
  readonly warmupMs: number;
  /** Not looked at when a group ends by itself or `count` says when. */
  readonly measureMs: number;
  /** Ends after this many answers of all groups. */
  readonly count?: number;
}

/** Results by group, in the order of the groups. */
export interface LoadResult {
  readonly seconds: number;
  readonly groups: readonly GroupResult[];
}

/** Response of the process. */
export type LoadReply = LoadResult | { readonly error: string };

/** The process. Disposing ends it. */
export interface LoadTool extends Disposable {
  /** Rejects when a node closes a connection or refuses a request. */
  run(request: LoadRequest): Promise<LoadResult>;
}

/** Starts the process. */
export function startLoadTool(): LoadTool {
  const child: ChildProcess = fork(fileURLToPath(new URL("load-process.ts", import.meta.url)));
  return {
    async run(request) {
      const reply = once(child, "message");
      child.send(request);
      const [answer] = (await reply) as [LoadReply];
      if ("error" in answer) throw new Error(answer.error);
      return answer;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
