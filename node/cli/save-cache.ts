/**
 * `knit save-cache`: has a running node save its trie nodes, and waits until they are on disk; before the node is
 * told to stop, for example, so that it starts warm.
 */
import { setTimeout } from "node:timers/promises";
import { timeoutSignal } from "../runtime/clock.ts";
import { askNode } from "../transport/client.ts";
import type { Job } from "./chain-commands.ts";
import { type Answer, answerOf, endpointOf } from "./rpc-command.ts";
import { openQuietShutdown } from "./signals.ts";

const LOOK_MS = 200;

/** Resolves to the exit code: 0 when all is saved, 2 when the node cannot. Throws when there is no answer in time. */
export async function saveCache(job: Job): Promise<number> {
  const { shell, resolved } = job;
  const endpoint = endpointOf(job);
  using shutdown = openQuietShutdown(shell.signals);
  const deadline = timeoutSignal(resolved.values.timeout);
  const signal = AbortSignal.any([shutdown.signal, deadline]);
  const ask = async (method: string): Promise<Answer> =>
    answerOf(await askNode(endpoint, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }), signal));
  const outcome = await save(ask, signal).catch((error: unknown) => {
    if (!deadline.aborted) throw error;
    throw new Error(`not saved within ${resolved.values.timeout / 1000} s`, { cause: error });
  });
  if (typeof outcome === "string") {
    shell.stderr.write(`trie nodes not saved: ${outcome}\n`);
    return 2;
  }
  shell.stdout.write(`saved ${outcome} bytes of trie nodes\n`);
  return 0;
}

/** The bytes that were saved, or why none were. A saving that runs already is as good as one of our own. */
async function save(ask: (method: string) => Promise<Answer>, signal: AbortSignal): Promise<number | string> {
  const { error: refusal } = await ask("admin_saveTrieNodeToDisk");
  for (;;) {
    const { result, error } = await ask("admin_saveTrieNodeStatus");
    if (error !== undefined) return refusal?.message ?? error.message;
    const { isSaving, bytes, err } = result as { isSaving: boolean; bytes: number; err: string }; // a node's answer
    if (isSaving) await setTimeout(LOOK_MS, undefined, { signal });
    else if (err !== "null") return err;
    else return bytes > 0 ? bytes : (refusal?.message ?? "the node says nothing of it");
  }
}
