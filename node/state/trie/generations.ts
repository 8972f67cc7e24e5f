/** Directories of the trie database. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { freeBelow } from "../../observe/disk-space.ts";
import { type LevelStoreOptions, openLevelReader, openLevelStore } from "../../store/level-store.ts";
import { createMemoryStore } from "../../store/memory-store.ts";
import type { Store, StoreReader } from "../../store/store.ts";

/**
 * Trie databases, one store per generation. Only the generation named in the chain database is valid; the
 * next one is filled while the old one stands.
 */
export interface TrieStores {
  open(generation: number): Promise<Store>;
  /** Deletes everything of a generation, which must not be open. */
  remove(generation: number): Promise<void>;
  /** Bytes that a generation takes, and bytes that are free where they lie. */
  space(generation: number): Promise<Space>;
}

/** Room on disk, in bytes. */
export interface Space {
  readonly used: number;
  readonly free: number;
}

/** A larger write buffer halves the bytes written; it is only taken when it fills. */
const WRITE_BUFFER_BYTES = 32 * 1024 * 1024;

/**
 * Size up to which a directory is compacted at closing: the write buffer leaves many times the size of a
 * small trie.
 */
const TIDY_BYTES = 64 * 1024 * 1024;

/** Options of a trie database: nodes are checked against their hashes. */
export const TRIE_STORE: LevelStoreOptions = { writeBufferBytes: WRITE_BUFFER_BYTES, checksums: false };

/** Directories `0`, `1`, ... below `directory`. */
export function trieDirectories(directory: string, options: LevelStoreOptions = {}): TrieStores {
  const path = (generation: number): string => join(directory, String(generation));
  return {
    open: (generation) =>
      openLevelStore(path(generation), { ...TRIE_STORE, tidyBytes: TIDY_BYTES, ...options }),
    remove: (generation) => rm(path(generation), { recursive: true, force: true }),
    space: async (generation) => ({
      used: await sizeOf(path(generation)),
      free: await freeBelow(directory),
    }),
  };
}

/** Opens a generation below `directory` for reading in another thread of the process, which must have it open. */
export function openTrieReader(directory: string, generation: number): Promise<StoreReader> {
  return openLevelReader(join(directory, String(generation)), TRIE_STORE);
}

/** Tries that are gone when they are closed. */
export function memoryTries(): TrieStores {
  return {
    open: async () => createMemoryStore(),
    remove: () => Promise.resolve(),
    space: async () => ({ used: 0, free: Number.POSITIVE_INFINITY }),
  };
}

/** Files may go while they are counted. */
async function sizeOf(directory: string): Promise<number> {
  let size = 0;
  for (const name of await readdir(directory)) {
    size += await stat(join(directory, name)).then(
      (found) => found.size,
      () => 0,
    );
  }
  return size;
}
