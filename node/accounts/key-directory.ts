/**
 * The key files of a directory, read again only when the directory or a file in it has changed. Hidden files,
 * editor backups (`~`), directories and whatever does not look like a key file are skipped.
 */
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { mapKey } from "../bytes/hex.ts";
import type { Clock } from "../observe/clock.ts";
import { AccountsError } from "./error.ts";
import { keyFileAddress } from "./key-file.ts";

/** One key file: `url` is `keystore://` and the absolute path. */
export interface KeyEntry {
  readonly address: Uint8Array;
  readonly path: string;
  readonly url: string;
}

/** The files as they are now. */
export interface KeyDirectory {
  /** All key files in the order of their URLs; one address may appear more than once. */
  entries(): readonly KeyEntry[];
  /** The file of an address. Throws `AccountsError` `ambiguous` when there are several. */
  find(address: Uint8Array): KeyEntry | undefined;
  /** True when at least one file is of this address. */
  has(address: Uint8Array): boolean;
}

/** Larger files are no key files. */
export const MOST_FILE_BYTES = 256 * 1024;

/** A further change this shortly after the last one may not show in the directory's time. */
const UNSETTLED_MS = 2000;

/** A file rewritten in place does not show in the directory's time: files are looked at again after this long. */
const LOOK_AGAIN_MS = 5000;

interface Known {
  readonly stamp: string;
  readonly entry: KeyEntry | undefined;
}

/** Follows `directory`, an absolute path, by its time of change. A missing directory is empty. */
export function createKeyDirectory(directory: string, clock: Clock): KeyDirectory {
  let known = new Map<string, Known>();
  let entries: readonly KeyEntry[] = [];
  let byAddress = new Map<string, KeyEntry[]>();
  let seen = "";
  let validUntil = Number.NEGATIVE_INFINITY;

  const look = (): void => {
    const now = clock.now();
    const stats = statOf(directory);
    const stamp = stats === undefined ? "missing" : stampOf(stats);
    if (stamp === seen && now < validUntil) return;
    known = scan(directory, known);
    entries = [...known.values()].flatMap(({ entry }) => entry ?? []);
    byAddress = Map.groupBy(entries, ({ address }) => mapKey(address));
    seen = stamp;
    validUntil = stats !== undefined && now - stats.mtimeMs < UNSETTLED_MS ? now : now + LOOK_AGAIN_MS;
  };

  return {
    entries: () => {
      look();
      return entries;
    },
    has: (address) => {
      look();
      return byAddress.has(mapKey(address));
    },
    find: (address) => {
      look();
      const matches = byAddress.get(mapKey(address)) ?? [];
      if (matches.length < 2) return matches[0];
      const paths = matches.map(({ path }) => path).join(", ");
      throw new AccountsError("ambiguous", `multiple keys match address (${paths})`);
    },
  };
}

function scan(directory: string, before: ReadonlyMap<string, Known>): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const name of fileNames(directory)) {
    const path = join(directory, name);
    const stats = statOf(path);
    if (!stats?.isFile() || stats.size > MOST_FILE_BYTES) continue;
    const stamp = stampOf(stats);
    const last = before.get(name);
    known.set(name, last?.stamp === stamp ? last : { stamp, entry: readEntry(path) });
  }
  return known;
}

function fileNames(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith(".") && !name.endsWith("~"))
      .sort();
  } catch {
    return []; // missing or unreadable: no keys
  }
}

function readEntry(path: string): KeyEntry | undefined {
  try {
    const address = keyFileAddress(readFileSync(path, "utf8"));
    return address && { address, path, url: `keystore://${path}` };
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
