/** Contents of a directory's files, read again only after a change of the directory or of a file. */
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../runtime/clock.ts";

/** Directory, selection and parser of the files. */
export interface FollowedFiles<T> {
  /** An absolute path; a missing directory is empty. */
  readonly directory: string;
  readonly clock: Clock;
  /** Of names that do not begin with a dot; others are skipped. */
  readonly isWanted: (name: string) => boolean;
  /** Of the names in their order, so many are looked at. */
  readonly most?: number;
  /** Undefined for what is no such file; so is whatever throws. */
  readonly read: (text: string, path: string) => T | undefined;
}

/** Larger files are no key files and no wallets. */
export const MAX_FILE_BYTES = 256 * 1024;

/** A further change this shortly after the last one may not show in the directory's time. */
const UNSETTLED_MS = 2000;

/** A file rewritten in place does not show in the directory's time: files are looked at again after this long. */
const LOOK_AGAIN_MS = 5000;

interface Known<T> {
  readonly stamp: string;
  readonly found: T | undefined;
}

/** Gives what is there now, in the order of the names; the same array while nothing has changed. */
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
