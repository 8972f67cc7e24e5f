/**
 * The key files of a directory, read again only when the directory or a file in it has changed. Hidden files,
 * editor backups (`~`), directories and whatever does not look like a key file are skipped.
 */
import { addressText, bareHex, mapKey } from "../bytes/hex.ts";
import { type Log, silentLog } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { AccountsError } from "./error.ts";
import { followFiles } from "./followed-files.ts";
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

/** Follows `directory`, an absolute path. A missing directory is empty. */
export function createKeyDirectory(directory: string, clock: Clock, log: Log = silentLog): KeyDirectory {
  const look = followFiles({
    directory,
    clock,
    isWanted: (name) => !name.endsWith("~"),
    read: (text, path) => readEntry(text, path, log),
  });
  let entries: readonly KeyEntry[] = [];
  let byAddress = new Map<string, KeyEntry[]>();
  const of = (address: Uint8Array): readonly KeyEntry[] => {
    const now = look();
    if (now !== entries) byAddress = Map.groupBy(now, (entry) => mapKey(entry.address));
    entries = now;
    return byAddress.get(mapKey(address)) ?? [];
  };
  return {
    entries: look,
    has: (address) => of(address).length > 0,
    find: (address) => {
      const matches = of(address);
      if (matches.length < 2) return matches[0];
      const paths = matches.map(({ path }) => path).join(", ");
      throw new AccountsError("ambiguous", `multiple keys match address (${paths})`);
    },
  };
}

/** Nothing in a file covers its address, so that in its name must be the same, where there is one. */
const NAMED_ADDRESS = /--([0-9a-f]{40})$/i;

function readEntry(text: string, path: string, log: Log): KeyEntry | undefined {
  const address = keyFileAddress(text);
  const named = NAMED_ADDRESS.exec(path)?.[1]?.toLowerCase();
  if (address !== undefined && named !== undefined && named !== bareHex(address)) {
    log.error(
      { path, address: addressText(address) },
      "left out a key file of another address than its name says",
    );
    return undefined;
  }
  return address && { address, path, url: `keystore://${path}` };
}
