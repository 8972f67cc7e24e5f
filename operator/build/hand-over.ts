/** What a node does before it is told to stop: it saves its trie nodes, so that the next one starts warm. */
import { pod } from "../api/names.ts";
import type { NodeResource, Part } from "../api/resource.ts";

/** Seconds that a pod has to end: saving, and then the node's own end. */
export const GRACE_SECONDS = 300;
/** Seconds that saving may take; blocks and calls go on meanwhile. */
const SAVE_SECONDS = 240;

/** `lifecycle` of the node's container; nothing where the Node does not ask for it. */
export function handOver({ spec }: NodeResource): Part {
  if (!spec.maintenance.trieCache.onShutdown) return {};
  const command = [...pod.program, "save-cache", "--endpoint", pod.socket, "--timeout", `${SAVE_SECONDS}s`];
  return { lifecycle: { preStop: { exec: { command } } } };
}
