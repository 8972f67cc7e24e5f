/** Private keys of nodes: random, from a mnemonic, or from files. 32 bytes each. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDerivationPath } from "../accounts/hd-path.ts";
import { entropyOf, type HdRoot, openRoot } from "../accounts/mnemonic.ts";
import { parseRawKey, randomKey } from "../accounts/raw-key.ts";
import { messageOf } from "../bytes/message-of.ts";
import { NetworkMakerError } from "./error.ts";

/** New keys. */
export function randomKeys(count: number): readonly Uint8Array[] {
  return Array.from({ length: count }, () => randomKey().key);
}

/** What stands for a known mnemonic, and for the paths of wallets. */
const TEST_WORDS = `${"test ".repeat(11)}junk`;
const PATHS: Readonly<Record<string, string>> = { eth: "m/44'/60'/0'/0/", klay: "m/44'/8217'/0'/0/" };

/**
 * The first keys of a wallet. Words may be parted by commas; `test junk` is the mnemonic that development tools share.
 * `path` is `eth`, `klay`, or what comes before a key's number. Throws `AccountsError`.
 */
export async function mnemonicKeys(
  count: number,
  words: string,
  path: string,
): Promise<readonly Uint8Array[]> {
  const spaced = words.replaceAll(",", " ").trim();
  const root = await openRoot(await entropyOf(spaced === "test junk" ? TEST_WORDS : spaced));
  try {
    const prefix = (PATHS[path.toLowerCase()] ?? path).replace(/\/?$/, "/");
    return Array.from({ length: count }, (_, i) => keyAt(root, parseDerivationPath(`${prefix}${i}`)));
  } finally {
    root.close();
  }
}

function keyAt(root: HdRoot, path: string): Uint8Array {
  const key = root.key(path);
  if (key === undefined) throw new NetworkMakerError(`the mnemonic has no key at ${path}`);
  return key;
}

/** The keys of the files in a directory, in the order of their names with numbers by value. */
export async function directoryKeys(count: number, directory: string): Promise<readonly Uint8Array[]> {
  const names = await readdir(directory).catch((cause: unknown) => {
    throw new NetworkMakerError(`cannot read the node keys: ${messageOf(cause)}`, { cause });
  });
  const sorted = names.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  if (sorted.length !== count)
    throw new NetworkMakerError(
      `The number of nodekey files (${sorted.length}) does not match the given num (${count})`,
    );
  return Promise.all(sorted.map((name) => fileKey(join(directory, name))));
}

async function fileKey(path: string): Promise<Uint8Array> {
  try {
    return parseRawKey((await readFile(path, "utf8")).trim()).key;
  } catch (cause) {
    throw new NetworkMakerError(`${path} holds no node key: ${messageOf(cause)}`, { cause });
  }
}
