/**
 * Division of a node's memory limit (docs/memory.md): one row for each part. The program has a fixed size; every part
 * has a share of the rest, so that all parts fit when they are full at once. Without a limit parts have default sizes.
 */
import { responseOptions } from "../jsonrpc/options.ts";
import { storeOptions } from "../store/options.ts";

const MIB = 1 << 20;

/** Code, libraries, stacks and free memory of the allocator. */
const PROGRAM_BYTES = 96 * MIB;
/** The smallest limit at which every part can do its work. */
export const MIN_MEMORY_BYTES: number = 384_000_000;
/** Usable share of a container's limit, which also counts sockets and the page cache. */
const CONTAINER_SHARE = 0.9;

interface PartRow {
  /** Share of the memory beside the program or, with `onHeap`, of the part `heap`. */
  readonly share: number;
  readonly onHeap?: true;
  /** Upper bound of the size. */
  readonly maxBytes: number;
  /** Size without a limit; `undefined` leaves it to the engine. */
  readonly defaultBytes: number | undefined;
  readonly holds: string;
}

const MAX_CACHE_BYTES = 2 ** 40;

/** All parts. The shares without `onHeap` add up to at most 1. */
export const memoryParts = {
  heap: { share: 0.36, maxBytes: 4096 * MIB, defaultBytes: undefined, holds: "objects of the main thread" },
  readers: {
    share: 0.17,
    maxBytes: 4096 * MIB,
    defaultBytes: undefined,
    holds: "objects of all reader threads",
  },
  copier: {
    share: 0.08,
    maxBytes: 256 * MIB,
    defaultBytes: 256 * MIB,
    holds: "objects of a migration's thread",
  },
  trieCache: { share: 0.08, maxBytes: MAX_CACHE_BYTES, defaultBytes: 32 * MIB, holds: "clean trie nodes" },
  databaseCache: {
    share: 0.03,
    maxBytes: MAX_CACHE_BYTES,
    defaultBytes: storeOptions.cacheBytes.default,
    holds: "blocks of the chain database",
  },
  trieBuffers: {
    share: 0.05,
    maxBytes: 64 * MIB,
    defaultBytes: 64 * MIB,
    holds: "rows to be written to the trie's files",
  },
  openTables: {
    share: 0.04,
    maxBytes: 512 * MIB,
    defaultBytes: 128 * MIB,
    holds: "indexes and filters of open table files",
  },
  unsent: {
    share: 0.07,
    maxBytes: 256 * MIB,
    defaultBytes: 256 * MIB,
    holds: "responses that clients have not read",
  },
  halves: {
    share: 0.04,
    maxBytes: 128 * MIB,
    defaultBytes: 128 * MIB,
    holds: "incomplete requests",
  },
  peers: { share: 0.08, maxBytes: 256 * MIB, defaultBytes: 256 * MIB, holds: "messages from and to peers" },
  dirtyNodes: {
    share: 0.12,
    onHeap: true,
    maxBytes: 32 * MIB,
    defaultBytes: 32 * MIB,
    holds: "changed trie nodes",
  },
  subscriptions: {
    share: 0.08,
    onHeap: true,
    maxBytes: 64 * MIB,
    defaultBytes: 64 * MIB,
    holds: "subscriptions",
  },
  events: {
    share: 0.03,
    onHeap: true,
    maxBytes: 32 * MIB,
    defaultBytes: 32 * MIB,
    holds: "events that some subscribers have not received",
  },
  filters: {
    share: 0.05,
    onHeap: true,
    maxBytes: 64 * MIB,
    defaultBytes: 64 * MIB,
    holds: "filters that clients poll",
  },
  texts: {
    share: 0.06,
    onHeap: true,
    maxBytes: 32 * MIB,
    defaultBytes: 32 * MIB,
    holds: "receipts and recent logs as JSON",
  },
  waiting: {
    share: 0.04,
    onHeap: true,
    maxBytes: 64 * MIB,
    defaultBytes: 64 * MIB,
    holds: "calls that wait for a thread",
  },
  calls: {
    share: 0.1,
    onHeap: true,
    maxBytes: 128 * MIB,
    defaultBytes: 64 * MIB,
    holds: "messages under way and their parameters",
  },
  answers: {
    share: 0.08,
    onHeap: true,
    maxBytes: 256 * MIB,
    defaultBytes: 128 * MIB,
    holds: "responses of batches that are being made",
  },
  answer: {
    share: 0.08,
    onHeap: true,
    maxBytes: responseOptions.maxAnswerBytes.default,
    defaultBytes: responseOptions.maxAnswerBytes.default,
    holds: "the response to one message; together long ones may have as much as those of batches",
  },
} as const satisfies Readonly<Record<string, PartRow>>;

/** Name of a part. */
export type MemoryPart = keyof typeof memoryParts;

/** Sizes of all parts in bytes; `undefined` where the engine decides. */
export type MemoryShares = {
  readonly [Part in MemoryPart]: (typeof memoryParts)[Part]["defaultBytes"] extends undefined
    ? number | undefined
    : number;
};

/** Memory limit of a node and its division. */
export interface MemoryPlan {
  /** Limit of the whole process in bytes; `undefined` for none. */
  readonly limit: number | undefined;
  readonly shares: MemoryShares;
}

/** Open table files of a process that the engine maps: their indexes and filters are pages of files. */
const MAPPED_TABLES = 1_000;
/** Index and filter of another one: some 45 KiB over accounts, 20 over trie nodes. */
const TABLE_BYTES = 32 * 1024;

/** Returns the number of table files that the chain database and the trie database may each keep open. */
export function openTablesOf({ openTables }: Pick<MemoryShares, "openTables">): number {
  return Math.floor((MAPPED_TABLES + openTables / TABLE_BYTES) / 2);
}

/**
 * Divides `limit` bytes. Parts with a configured size (`chosen`) come first. Returns the bytes needed when the rest is
 * too small.
 */
export function planMemory(
  limit: number | undefined,
  chosen: Partial<MemoryShares>,
): MemoryPlan | { readonly needed: number } {
  if (limit === undefined) return { limit, shares: divide(() => undefined, chosen) };
  const taken = sum(Object.entries(chosen).map(([name, bytes]) => (isOnHeap(name) ? 0 : (bytes ?? 0))));
  const sharesTaken = sum(Object.keys(chosen).map((name) => (isOnHeap(name) ? 0 : partRow(name).share)));
  const left = limit - PROGRAM_BYTES - taken;
  const least = (MIN_MEMORY_BYTES - PROGRAM_BYTES) * (1 - sharesTaken);
  if (left < least) return { needed: Math.ceil(PROGRAM_BYTES + taken + least) };
  const whole = left / (1 - sharesTaken);
  const heap = Math.min(whole * memoryParts.heap.share, memoryParts.heap.maxBytes);
  return { limit, shares: divide((row) => (row.onHeap === true ? heap : whole), chosen) };
}

/** Returns the default limit inside a container, or `undefined` when the container has none. */
export function containerShare(containerBytes: number | undefined): number | undefined {
  return containerBytes && Math.floor(containerBytes * CONTAINER_SHARE);
}

function divide(wholeOf: (row: PartRow) => number | undefined, chosen: Partial<MemoryShares>): MemoryShares {
  const sized = (Object.keys(memoryParts) as MemoryPart[]).map((name) => {
    const row = partRow(name);
    const whole = wholeOf(row);
    const planned =
      whole === undefined ? row.defaultBytes : Math.floor(Math.min(whole * row.share, row.maxBytes));
    return [name, chosen[name] ?? planned];
  });
  return Object.fromEntries(sized) as MemoryShares; // every key of the table
}

function partRow(name: string): PartRow {
  return memoryParts[name as MemoryPart]; // names come from the table
}

function isOnHeap(name: string): boolean {
  return partRow(name).onHeap === true;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
