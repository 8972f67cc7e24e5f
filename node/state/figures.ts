/** How the state stands, for those who steer and watch it. */
import type { History } from "./history.ts";
import type { TrieKeeper } from "./trie-keeper.ts";

/** Block numbers and bytes at one moment. */
export interface StateFigures {
  /** The oldest block whose state can be read. */
  readonly oldest: number;
  /** The oldest block that `State.rewind` can go back to. */
  readonly oldestRewind: number;
  /** The block whose trie is on disk; `undefined` where none is. */
  readonly flushedTo: number | undefined;
  /** Changed trie nodes in memory. */
  readonly dirtyBytes: number;
  /** What the engine of the trie's database tells of itself; `undefined` also while that is not open. */
  readonly trieProperty: (name: string) => string | undefined;
}

/** Reads them off. */
export function stateFigures(keeper: TrieKeeper, history: History): StateFigures {
  return {
    oldest: Math.max(0, history.oldest),
    oldestRewind: history.oldestRecent,
    flushedTo: keeper.marker,
    dirtyBytes: keeper.tries.dirtyBytes,
    trieProperty: (name) => keeper.property(name),
  };
}
