/** From the peers that a node is to keep and those that it has to what it must be told. */

/** What is known of a node's peers. */
export interface MeshView {
  /** URLs to keep. */
  readonly wanted: readonly string[];
  /** URLs that the node was told to keep before, as the status says. */
  readonly told: readonly string[];
  /** Ids of the connected peers, 128 hex digits in lower case. */
  readonly connected: ReadonlySet<string>;
  /** What was told to the node since its program started; empty when nobody knows. */
  readonly tellings: AddAttempts;
}

/** By URL when a node was last told to keep it, and how often in a row that led to nothing. */
export type AddAttempts = ReadonlyMap<string, { readonly at: number; readonly times: number }>;

/** What the node must be told, and what of it is missing until then. */
export interface MeshPlan {
  readonly remove: readonly string[];
  readonly add: readonly string[];
  /** Wanted peers that are not connected. */
  readonly missing: number;
  /** Once all of it is told. */
  readonly tellings: AddAttempts;
}

/** The node dials by itself whom it was told; it is told again after so long, and after ever longer. */
const AGAIN_MS = 20_000;
const MAX_AGAIN_MS = 320_000;

/**
 * Peers that are wanted and not connected are added: the node may have started anew, or somebody may have removed
 * them. A peer that moved is removed first, since a node keeps the URL it knows an id by. Peers that somebody else
 * told it are left alone.
 */
export function planMesh({ wanted, told, connected, tellings }: MeshView, now: number): MeshPlan {
  const keep = new Set(wanted);
  const remove = told.filter((url) => !keep.has(url));
  const moved = new Set(remove.map(peerId));
  const missing = wanted.filter((url) => !connected.has(peerId(url)));
  const due = new Set(missing.filter((url) => isDue(tellings.get(url), now)));
  const add = wanted.filter((url) => moved.has(peerId(url)) || due.has(url));
  const added = new Set(add);
  const after = missing.flatMap((url) => {
    const before = tellings.get(url);
    const times = before === undefined ? 0 : before.times;
    if (added.has(url)) return [[url, { at: now, times: times + 1 }] as const];
    return before === undefined ? [] : [[url, before] as const];
  });
  return { remove, add, missing: missing.length, tellings: new Map(after) };
}

function isDue(telling: { readonly at: number; readonly times: number } | undefined, now: number): boolean {
  if (telling === undefined) return true;
  return now - telling.at >= Math.min(MAX_AGAIN_MS, AGAIN_MS * 2 ** Math.min(telling.times - 1, 8));
}

/** The id in a node URL. */
export function peerId(url: string): string {
  return /^kni:\/\/([0-9a-fA-F]{128})@/.exec(url)?.[1]?.toLowerCase() ?? url;
}
