/**
 * Static nodes: those of a list that may be replaced while the node runs, and those that callers add. Comes in: node
 * URLs. Goes out: nodes to keep connected, to the dialer.
 */
import type { NodeId } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Dialer } from "./dialer.ts";
import { formatNodeUrl, type NodeUrl } from "./node-url.ts";

/** The static nodes of a node. */
export class StaticNodes {
  readonly #dialer: Pick<Dialer, "add" | "remove">;
  readonly #added = new Set<string>();
  #listed: ReadonlyMap<string, NodeUrl> = new Map();

  constructor(dialer: Pick<Dialer, "add" | "remove">) {
    this.#dialer = dialer;
  }

  /** Adds a node for a caller. It stays when the list no longer has it. */
  add(url: NodeUrl): void {
    this.#added.add(mapKey(url.id));
    this.#dialer.add(url);
  }

  /** Removes a node, also one of the list. Returns false for an unknown one. */
  remove(id: NodeId): boolean {
    this.#added.delete(mapKey(id));
    return this.#dialer.remove(id);
  }

  /**
   * Replaces the list. Nodes that left it are not dialled any more, but stay connected; a node with another address is
   * dialled there when its connection ends. Nodes that a caller removed come back with their next change only.
   */
  replace(nodes: readonly NodeUrl[]): void {
    const next = new Map(nodes.map((url) => [mapKey(url.id), url]));
    for (const [key, url] of this.#listed) {
      const kept = next.get(key);
      const isGone = kept === undefined && !this.#added.has(key);
      if (isGone || (kept !== undefined && isMoved(url, kept))) this.#dialer.remove(url.id);
    }
    for (const [key, url] of next) {
      const before = this.#listed.get(key);
      if (before === undefined || isMoved(before, url)) this.#dialer.add(url);
    }
    this.#listed = next;
  }
}

function isMoved(before: NodeUrl, after: NodeUrl): boolean {
  return formatNodeUrl(before) !== formatNodeUrl(after);
}
