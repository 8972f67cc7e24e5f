/**
 * How the memory that a node may take is shared out: a row a part. The program itself needs a fixed sum; of the rest
 * every part has its share, so that all of them full at once still fit. Without a limit parts are as large as usual.
 */

const MIB = 1 << 20;

/** Code, libraries, stacks, and what the allocator holds between two uses. */
const PROGRAM_BYTES = 96 * MIB;
/** With less a part would be too small for its work. */
export const LEAST_MEMORY: number = 384 * MIB;
/** Of a container's limit: the kernel counts sockets and pages of files there, too. */
const CONTAINER_SHARE = 0.9;

interface PartRow {
  /** Of what the program leaves, or, where `onHeap` is set, of the part `heap`. */
  readonly share: number;
  readonly onHeap?: true;
  /** It takes no more, however much there is. */
  readonly most: number;
  /** Bytes where there is no limit; `undefined`: the engine's choice. */
  readonly usual: number | undefined;
  readonly holds: string;
}

const SERVER_MOST = 2 ** 40;

/** Every part. Shares of what the program leaves come to 1 at most. */
export const memoryParts = {
  heap: { share: 0.36, most: 4096 * MIB, usual: undefined, holds: "objects of the main thread" },
  readers: { share: 0.17, most: 4096 * MIB, usual: undefined, holds: "objects of all threads that read" },
  copier: { share: 0.08, most: 256 * MIB, usual: 256 * MIB, holds: "objects of a migration's thread" },
  trieCache: { share: 0.08, most: SERVER_MOST, usual: 32 * MIB, holds: "clean trie nodes" },
  databaseCache: { share: 0.05, most: SERVER_MOST, usual: 16 * MIB, holds: "blocks of the chain database" },
  trieBuffers: {
    share: 0.05,
    most: 64 * MIB,
    usual: 64 * MIB,
    holds: "rows to be written to the trie's files",
  },
  unsent: { share: 0.07, most: 256 * MIB, usual: 256 * MIB, holds: "answers that clients have not taken" },
  halves: { share: 0.04, most: 128 * MIB, usual: 128 * MIB, holds: "requests that are not whole yet" },
  peers: { share: 0.08, most: 256 * MIB, usual: 256 * MIB, holds: "messages from and to peers" },
  waiting: { share: 0.02, most: 64 * MIB, usual: 64 * MIB, holds: "calls that wait for a thread" },
  dirtyNodes: { share: 0.12, onHeap: true, most: 32 * MIB, usual: 32 * MIB, holds: "changed trie nodes" },
  subscriptions: { share: 0.08, onHeap: true, most: 64 * MIB, usual: 64 * MIB, holds: "subscriptions" },
  events: {
    share: 0.03,
    onHeap: true,
    most: 32 * MIB,
    usual: 32 * MIB,
    holds: "events that not all subscribers have been notified of",
  },
  filters: { share: 0.06, onHeap: true, most: 64 * MIB, usual: 64 * MIB, holds: "filters that clients poll" },
  answer: { share: 0.08, onHeap: true, most: 25e6, usual: 25e6, holds: "the longest answer to one message" },
} as const satisfies Readonly<Record<string, PartRow>>;

/** A part's name. */
export type MemoryPart = keyof typeof memoryParts;

/** Bytes of every part; `undefined` where the engine chooses. */
export type MemoryShares = {
  readonly [Part in MemoryPart]: (typeof memoryParts)[Part]["usual"] extends undefined
    ? number | undefined
    : number;
};

/** What a node may take. */
export interface MemoryPlan {
  /** Bytes of the whole process; `undefined`: no limit. */
  readonly limit: number | undefined;
  readonly shares: MemoryShares;
}

/**
 * Shares out `limit` bytes. Parts whose size the operator chose come first. Too little for the rest gives the bytes
 * that it would take.
 */
export function planMemory(
  limit: number | undefined,
  chosen: Partial<MemoryShares>,
): MemoryPlan | { readonly needed: number } {
  if (limit === undefined) return { limit, shares: shareOut(() => undefined, chosen) };
  const taken = sum(Object.entries(chosen).map(([name, bytes]) => (isOnHeap(name) ? 0 : (bytes ?? 0))));
  const sharesTaken = sum(Object.keys(chosen).map((name) => (isOnHeap(name) ? 0 : partRow(name).share)));
  const left = limit - PROGRAM_BYTES - taken;
  const least = (LEAST_MEMORY - PROGRAM_BYTES) * (1 - sharesTaken);
  if (left < least) return { needed: Math.ceil(PROGRAM_BYTES + taken + least) };
  const whole = left / (1 - sharesTaken);
  const heap = Math.min(whole * memoryParts.heap.share, memoryParts.heap.most);
  return { limit, shares: shareOut((row) => (row.onHeap === true ? heap : whole), chosen) };
}

/** What a node takes of a container's memory when nobody says; `undefined` where there is no such limit. */
export function containerShare(containerBytes: number | undefined): number | undefined {
  return containerBytes && Math.floor(containerBytes * CONTAINER_SHARE);
}

function shareOut(
  wholeOf: (row: PartRow) => number | undefined,
  chosen: Partial<MemoryShares>,
): MemoryShares {
  const sized = (Object.keys(memoryParts) as MemoryPart[]).map((name) => {
    const row = partRow(name);
    const whole = wholeOf(row);
    const planned = whole === undefined ? row.usual : Math.floor(Math.min(whole * row.share, row.most));
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
