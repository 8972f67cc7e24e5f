/**
 * The key files of a directory, read again only after a change. Hidden files, editor backups (`~`),
 * directories and files that are not key files are skipped.
 */
import type { Address } from "../bytes/brands.ts";
import { addressText, bareHex, mapKey } from "../bytes/hex.ts";
import { type Log, silentLog } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { AccountsError } from "./error.ts";
import { followFiles } from "./followed-files.ts";
import { keyFileAddress } from "./key-file.ts";

/** A key file: `url` is `keystore://` and the absolute path. */
export interface KeyEntry {
  readonly address: Address;
  readonly path: string;
  readonly url: string;
}

/** The current key files of a directory. */
export interface KeyDirectory {
  /** Returns all key files in the order of their URLs; an address may appear more than once. */
  entries(): readonly KeyEntry[];
  /** Returns the file of an address. Throws `AccountsError` `ambiguous` when there are several. */
  find(address: Address): KeyEntry | undefined;
  /** True when at least one file is of this address. */
  has(address: Address): boolean;
}

/** Watches `directory`, an absolute path. An absent directory is empty. */
export function createKeyDirectory(directory: string, clock: Clock, log: Log = silentLog): KeyDirectory {
  const look = followFiles({
    directory,
    clock,
    isWanted: (name) => !name.endsWith("~"),
    read: (text, path) => readEntry(text, path, log),
  });
  let entries: readonly KeyEntry[] = [];
  let byAddress = new Map<string, KeyEntry[]>();
  const of = (address: Address): readonly KeyEntry[] => {
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

/** The address in a file name. It must match the address in the file, which has no checksum. */
const NAMED_ADDRESS = /--([0-9a-f]{40})$/i;

function readEntry(text: string, path: string, log: Log): KeyEntry | undefined {
  const address = keyFileAddress(text);
  const named = NAMED_ADDRESS.exec(path)?.[1]?.toLowerCase();
  if (address !== undefined && named !== undefined && named !== bareHex(address)) {
    log.error(
      { path, address: addressText(address) },
      "skipped a key file whose address differs from its name",
    );
    return undefined;
  }
  return address && { address, path, url: `keystore://${path}` };
}
