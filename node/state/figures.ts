/** Figures of the state for status methods and metrics. */
import type { Store } from "../store/store.ts";
import type { History } from "./history/history.ts";
import type { Flushes, TrieStore } from "./trie/trie-store.ts";

/** Block numbers and bytes at one moment. */
export interface StateFigures {
  /** Oldest block whose state can be read. */
  readonly oldest: number;
  /** The oldest block that `State.rewind` can go back to. */
  readonly oldestRewind: number;
  /** The block whose trie is on disk; `undefined` where none is. */
  readonly flushedTo: number | undefined;
  /** Changed trie nodes in memory. */
  readonly dirtyBytes: number;
  readonly flushes: Flushes;
  /** The trie's database; `undefined` while it is not open. */
  readonly trie: Pick<Store, "property" | "bytesIn"> | undefined;
}

/** Reads them off. */
export function stateFigures(trieStore: TrieStore, history: History): StateFigures {
  return {
    oldest: Math.max(0, history.oldest),
    oldestRewind: history.oldestRecent,
    flushedTo: trieStore.marker,
    dirtyBytes: trieStore.tries.dirtyBytes,
    flushes: trieStore.flushes,
    trie: trieStore.opened,
  };
}
