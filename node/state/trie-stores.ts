import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type LevelStoreOptions, openLevelStore } from "../store/level-store.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";

/**
 * Where tries are kept: one store per generation, of which only the one named in the chain database is valid.
 * The next is filled while the old one stands.
 */
export interface TrieStores {
  open(generation: number): Promise<Store>;
  /** Deletes everything of a generation, which must not be open. */
  remove(generation: number): Promise<void>;
}

/** A larger write buffer halves the bytes written; it is only taken when it fills. */
const WRITE_BUFFER_BYTES = 32 * 1024 * 1024;

/** What the write buffer leaves behind of a small trie is many times the trie; tidying this much takes a moment. */
const TIDY_BYTES = 64 * 1024 * 1024;

/** Directories `0`, `1`, ... below `directory`. */
export function trieDirectories(directory: string, options: LevelStoreOptions = {}): TrieStores {
  const path = (generation: number): string => join(directory, String(generation));
  return {
    open: (generation) =>
      openLevelStore(path(generation), {
        writeBufferBytes: WRITE_BUFFER_BYTES,
        tidyBytes: TIDY_BYTES,
        ...options,
        checksums: false, // each node is checked against its hash
      }),
    remove: (generation) => rm(path(generation), { recursive: true, force: true }),
  };
}

/** Tries that are gone when they are closed. */
export function memoryTries(): TrieStores {
  return {
    open: async () => createMemoryStore(),
    remove: () => Promise.resolve(),
  };
}
