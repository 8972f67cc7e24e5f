/** Contents of a directory's files, read again only after a change of the directory or of a file. */
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../runtime/clock.ts";

/** Directory, selection and parser of the files. */
export interface FollowedFiles<T> {
  /** An absolute path; an absent directory is empty. */
  readonly directory: string;
  readonly clock: Clock;
  /** Selects file names; names with a leading dot are always skipped. */
  readonly isWanted: (name: string) => boolean;
  /** Maximum number of files, in the order of their names. */
  readonly most?: number;
  /** Parses a file. A file that gives `undefined` or throws is skipped. */
  readonly read: (text: string, path: string) => T | undefined;
}

/** Maximum size of a file in bytes; larger files are skipped. */
export const MAX_FILE_BYTES = 256 * 1024;

/** Time after a change within which a further one may not change the directory's modification time. */
const UNSETTLED_MS = 2000;

/**
 * Interval of checks of the files, because a file rewritten in place does not change the directory's
 * modification time.
 */
const LOOK_AGAIN_MS = 5000;

interface Known<T> {
  readonly stamp: string;
  readonly found: T | undefined;
}

/**
 * Returns a function that returns the parsed files in the order of their names; the same array until a
 * change.
 */
export function followFiles<T>(files: FollowedFiles<T>): () => readonly T[] {
  const { directory, clock } = files;
  let known: ReadonlyMap<string, Known<T>> = new Map();
  let all: readonly T[] = [];
  let seen = "";
  let validUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.now();
    const stats = statOf(directory);
    const stamp = stats === undefined ? "missing" : stampOf(stats);
    if (stamp === seen && now < validUntil) return all;
    known = scan(files, known);
    all = [...known.values()].flatMap(({ found }) => found ?? []);
    seen = stamp;
    validUntil = stats !== undefined && now - stats.mtimeMs < UNSETTLED_MS ? now : now + LOOK_AGAIN_MS;
    return all;
  };
}

function scan<T>(files: FollowedFiles<T>, before: ReadonlyMap<string, Known<T>>): Map<string, Known<T>> {
  const known = new Map<string, Known<T>>();
  for (const name of fileNames(files)) {
    const path = join(files.directory, name);
    const stats = statOf(path);
    if (!stats?.isFile() || stats.size > MAX_FILE_BYTES) continue;
    const stamp = stampOf(stats);
    const last = before.get(name);
    known.set(name, last?.stamp === stamp ? last : { stamp, found: readOne(files, path) });
  }
  return known;
}

function fileNames({ directory, isWanted, most }: FollowedFiles<unknown>): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith(".") && isWanted(name))
      .sort()
      .slice(0, most);
  } catch {
    return []; // missing or unreadable: nothing is there
  }
}

function readOne<T>({ read }: FollowedFiles<T>, path: string): T | undefined {
  try {
    return read(readFileSync(path, "utf8"), path);
  } catch {
    return undefined; // unreadable, or gone since
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function stampOf({ mtimeMs, ctimeMs, ino, size }: Stats): string {
  return `${mtimeMs} ${ctimeMs} ${ino} ${size}`;
}
