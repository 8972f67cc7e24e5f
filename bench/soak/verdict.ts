/** Bounds of a soak, one row each. */
import type { Sample } from "./samples.ts";
import type { Pause } from "./subject.ts";

/** All observations of a run. */
export interface Findings {
  readonly limitBytes: number;
  /** Of the whole time. */
  readonly samples: readonly Sample[];
  /** Of the same process: a while after the last restart, and at the end of the load. */
  readonly early: readonly Sample[];
  readonly late: readonly Sample[];
  /** Before any client came, and when all had gone. */
  readonly first: Sample;
  readonly last: Sample;
  readonly databaseBytes: number;
  readonly blocks: number;
  readonly transactions: number;
  /** Seconds of block times, ascending. */
  readonly times: readonly number[];
  readonly pauses: readonly Pause[];
  readonly failures: number;
  readonly lostBlocks: number;
  readonly migrations: number;
  readonly verified: boolean;
}

/** One bound: what was seen, what is allowed, both as they are shown. */
export interface Bound {
  readonly name: string;
  readonly seen: string;
  readonly allowed: string;
  readonly holds: boolean;
}

const MIB = 2 ** 20;
const GROWTH = 64 * MIB;
const MORE_FILES = 32;
const MORE_THREADS = 8;
/** Table files of a small chain, write buffers and logs; what a block and what a transaction take. */
const DATABASE = { start: 128 * MIB, block: 1_000, transaction: 1_500 };
/** Of the seconds in which it ran. */
const MISSED = 0.02;

/** All bounds. */
export function bounds(found: Findings): readonly Bound[] {
  const peak = Math.max(...found.samples.map(({ own }) => own));
  const growth = medianOwn(found.late) - medianOwn(found.early);
  const { start, block, transaction } = DATABASE;
  const room = start + found.blocks * block + found.transactions * transaction;
  const { missed, seconds } = missedSeconds(found);
  return [
    atMost("highest memory of its own, MiB", peak / MIB, found.limitBytes / MIB),
    atMost("growth of it under the same load, MiB", growth / MIB, GROWTH / MIB),
    atMost("open files when all clients have gone", found.last.files, found.first.files + MORE_FILES),
    atMost("threads then", found.last.threads, found.first.threads + MORE_THREADS),
    atMost("bytes of the data directory, MiB", found.databaseBytes / MIB, room / MIB),
    atMost(`seconds without a block, of ${seconds}`, missed, seconds * MISSED),
    atMost("reported blocks that were lost", found.lostBlocks, 0),
    atMost("errors that must not happen", found.failures, 0),
    {
      name: "migrations finished",
      seen: `${found.migrations}`,
      allowed: "1 at least",
      holds: found.migrations > 0,
    },
    {
      name: "flat state, trie and roots agree",
      seen: found.verified ? "yes" : "no",
      allowed: "yes",
      holds: found.verified,
    },
  ];
}

function atMost(name: string, seen: number, allowed: number): Bound {
  return { name, seen: format(seen), allowed: format(allowed), holds: seen <= allowed };
}

function format(value: number): string {
  return String(Math.round(value));
}

function medianOwn(samples: readonly Sample[]): number {
  const sorted = samples.map(({ own }) => own).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Seconds between two blocks less the one that is due, but for those in which the node was down. */
function missedSeconds({ times, pauses }: Pick<Findings, "times" | "pauses">): {
  missed: number;
  seconds: number;
} {
  let [missed, down] = [0, 0];
  for (const [i, time] of times.entries()) {
    const before = times[i - 1];
    if (before === undefined || time - before <= 1) continue;
    const isDown = pauses.some(({ from, to }) => from / 1000 < time && to / 1000 > before - 1);
    if (isDown) down += time - before - 1;
    else missed += time - before - 1;
  }
  return { missed, seconds: (times.at(-1) ?? 0) - (times[0] ?? 0) - down };
}
