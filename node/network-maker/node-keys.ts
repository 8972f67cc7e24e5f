/** Private keys of nodes, 32 bytes each: random, from a mnemonic, or from files. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseDerivationPath } from "../accounts/hd-path.ts";
import { entropyOf, type HdRoot, openRoot } from "../accounts/mnemonic.ts";
import { parseRawKey, randomKey } from "../accounts/raw-key.ts";
import { messageOf } from "../bytes/message-of.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { NetworkMakerError } from "./error.ts";

/** Maximum bytes of a key file. */
const MAX_BYTES = 4096;

/** Returns random keys. */
export function randomKeys(count: number): readonly Uint8Array[] {
  return Array.from({ length: count }, () => randomKey().key);
}

/** The mnemonic `test test ... junk` of development tools, and the derivation paths of wallets. */
const TEST_WORDS = `${"test ".repeat(11)}junk`;
const PATHS: Readonly<Record<string, string>> = { eth: "m/44'/60'/0'/0/", klay: "m/44'/8217'/0'/0/" };

/**
 * Returns the first keys of a wallet. Words are separated by spaces or commas; `test junk` stands for the
 * mnemonic of development tools. `path` is `eth`, `klay`, or the path without the key's index. Throws
 * `AccountsError`.
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

/** Returns the keys of the files in a directory, in natural order of their names. */
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
    return parseRawKey((await readBoundedText(path, MAX_BYTES)).trim()).key;
  } catch (cause) {
    throw new NetworkMakerError(`${path} holds no node key: ${messageOf(cause)}`, { cause });
  }
}
