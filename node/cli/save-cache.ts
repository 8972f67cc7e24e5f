/**
 * `knit save-cache`: makes a running node save its trie node cache and waits for the result, for example
 * before a restart with a warm cache.
 */

import { setTimeout } from "node:timers/promises";
import { optionValues } from "../options/resolve.ts";
import { timeoutSignal } from "../runtime/clock.ts";
import { askNode } from "../transport/client.ts";
import type { CommandJob } from "./chain-commands.ts";
import { callingOptions } from "./options.ts";
import { endpointOf, type NodeResponse, parseResponse } from "./rpc-command.ts";
import { openQuietShutdown } from "./signals.ts";

const LOOK_MS = 200;

/**
 * Resolves to the exit code: 0 when the cache is saved, 2 when the node cannot save it. Throws on a timeout.
 */
export async function saveCache(job: CommandJob): Promise<number> {
  const { shell, resolved } = job;
  const endpoint = endpointOf(job);
  using shutdown = openQuietShutdown(shell.signals);
  const { timeoutMs } = optionValues(callingOptions, resolved);
  const deadline = timeoutSignal(timeoutMs);
  const signal = AbortSignal.any([shutdown.signal, deadline]);
  const ask = async (method: string): Promise<NodeResponse> =>
    parseResponse(
      await askNode(endpoint, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }), signal),
    );
  const outcome = await save(ask, signal).catch((error: unknown) => {
    if (!deadline.aborted) throw error;
    throw new Error(`not saved within ${timeoutMs / 1000} s`, { cause: error });
  });
  if (typeof outcome === "string") {
    shell.stderr.write(`trie nodes not saved: ${outcome}\n`);
    return 2;
  }
  shell.stdout.write(`saved ${outcome} bytes of trie nodes\n`);
  return 0;
}

/** Returns the bytes saved, or the reason for none. Waits for a save that is already running. */
async function save(
  ask: (method: string) => Promise<NodeResponse>,
  signal: AbortSignal,
): Promise<number | string> {
  const { error: refusal } = await ask("admin_saveTrieNodeCacheToDisk");
  for (;;) {
    const { result, error } = await ask("admin_saveTrieNodeStatus");
    if (error !== undefined) return refusal?.message ?? error.message;
    const { isSaving, bytes, err } = result as { isSaving: boolean; bytes: number; err: string }; // a node's answer
    if (isSaving) await setTimeout(LOOK_MS, undefined, { signal });
    else if (err !== "null") return err;
    else return bytes > 0 ? bytes : (refusal?.message ?? "the node reports no result");
  }
}
