/** From the peers that a node is to keep and those that it has to what it must be told. */

/** What is known of a node's peers. */
export interface MeshView {
  /** URLs to keep. */
  readonly wanted: readonly string[];
  /** URLs that the node was told to keep before. */
  readonly told: readonly string[];
  /** Ids of the connected peers, 128 hex digits in lower case. */
  readonly connected: ReadonlySet<string>;
}

/** What the node must be told, and what of it is missing until then. */
export interface MeshPlan {
  readonly remove: readonly string[];
  readonly add: readonly string[];
  /** Wanted peers that are not connected. */
  readonly missing: number;
}

/**
 * Peers that are wanted and not connected are added again each time: the node may have started anew, or somebody
 * may have removed them. A peer that moved is removed first, since a node keeps the URL it knows an id by.
 */
export function planMesh({ wanted, told, connected }: MeshView): MeshPlan {
  const keep = new Set(wanted);
  const remove = told.filter((url) => !keep.has(url));
  const moved = new Set(remove.map(peerId));
  const add = wanted.filter((url) => moved.has(peerId(url)) || !connected.has(peerId(url)));
  return { remove, add, missing: wanted.filter((url) => !connected.has(peerId(url))).length };
}

/** The id in a node URL. */
export function peerId(url: string): string {
  return /^kni:\/\/([0-9a-fA-F]{128})@/.exec(url)?.[1]?.toLowerCase() ?? url;
}
