import { mapKey } from "../bytes/hex.ts";

/** Hashes that a peer is known to have; when it is full the oldest are forgotten. */
export interface KnownSet {
  readonly size: number;
  has(hash: Uint8Array): boolean;
  add(hash: Uint8Array): void;
}

/** An empty set for at most `capacity` hashes. */
export function createKnownSet(capacity: number): KnownSet {
  const keys = new Set<string>();
  return {
    get size() {
      return keys.size;
    },
    has: (hash) => keys.has(mapKey(hash)),
    add(hash) {
      keys.add(mapKey(hash));
      if (keys.size <= capacity) return;
      const [oldest] = keys;
      if (oldest !== undefined) keys.delete(oldest);
    },
  };
}
