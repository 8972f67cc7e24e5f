/** Computes the peers to add to and to remove from a node. */

/** Observed peers of a node. */
export interface MeshView {
  /** Required URLs. */
  readonly wanted: readonly string[];
  /** URLs that were added before, as recorded in the status. */
  readonly mesh: readonly string[];
  /** Node ids of connected peers, 128 hex digits in lower case. */
  readonly connected: ReadonlySet<string>;
  /** Attempts to add peers since the node started; empty when unknown. */
  readonly attempts: AddAttempts;
}

/** By URL the time of the last attempt, and the number of consecutive failures. */
export type AddAttempts = ReadonlyMap<string, { readonly at: number; readonly times: number }>;

/** Calls to make, and required peers that are not connected. */
export interface MeshPlan {
  readonly remove: readonly string[];
  readonly add: readonly string[];
  /** Number of required peers that are not connected. */
  readonly missing: number;
  /** The attempts after these calls. */
  readonly attempts: AddAttempts;
}

/** Interval of attempts for a peer, with exponential backoff. The node dials added peers itself. */
const AGAIN_MS = 20_000;
const MAX_AGAIN_MS = 320_000;

/**
 * Peers that are wanted and not connected are added: the node may have restarted, or somebody may have removed
 * them. A peer that moved is removed first, since a node keeps the first URL of an id. Peers that somebody else
 * added are left alone.
 */
export function planMesh({ wanted, mesh, connected, attempts }: MeshView, now: number): MeshPlan {
  const keep = new Set(wanted);
  const remove = mesh.filter((url) => !keep.has(url));
  const moved = new Set(remove.map(peerId));
  const missing = wanted.filter((url) => !connected.has(peerId(url)));
  const due = new Set(missing.filter((url) => isDue(attempts.get(url), now)));
  const add = wanted.filter((url) => moved.has(peerId(url)) || due.has(url));
  const added = new Set(add);
  const after = missing.flatMap((url) => {
    const before = attempts.get(url);
    const times = before === undefined ? 0 : before.times;
    if (added.has(url)) return [[url, { at: now, times: times + 1 }] as const];
    return before === undefined ? [] : [[url, before] as const];
  });
  return { remove, add, missing: missing.length, attempts: new Map(after) };
}

function isDue(attempt: { readonly at: number; readonly times: number } | undefined, now: number): boolean {
  if (attempt === undefined) return true;
  return now - attempt.at >= Math.min(MAX_AGAIN_MS, AGAIN_MS * 2 ** Math.min(attempt.times - 1, 8));
}

/** Returns the node id in a URL. */
export function peerId(url: string): string {
  return /^kni:\/\/([0-9a-fA-F]{128})@/.exec(url)?.[1]?.toLowerCase() ?? url;
}
