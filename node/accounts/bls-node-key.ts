/**
 * A node's BLS key: 64 hex digits in a file of mode 0600, as the Go node keeps it. A node without such a file has the
 * key that follows from its node key; nothing is written then. Beside a key that was put there by a command stands
 * its public key: the file has no checksum, and a flipped bit in it is another key. One that was copied is compared
 * with what the chain knows before the first block that is made with it (`consensus/header-extras.ts`).
 */

import { open, writeFile } from "node:fs/promises";
import { bareHex, fromBareHex } from "../bytes/hex.ts";
import { loadBls } from "../crypto/bls.ts";
import { deriveBlsKey, isBlsKey } from "../crypto/bls-key.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { AccountsError } from "./error.ts";

/** Sources of a node's BLS key; the first one that is present counts. */
export interface BlsKeySources {
  /** The key itself, 32 bytes. */
  readonly given: Uint8Array | undefined;
  /** A file named by a flag, which must exist. */
  readonly named: string | undefined;
  /** The default file. */
  readonly usual: string;
  /** The node's private key, 32 bytes. */
  readonly nodeKey: Uint8Array;
}

/**
 * Returns the key, 32 bytes. Throws `AccountsError` `bad-bls-key` for a file that cannot be read, has no key,
 * or has a key that differs from the recorded public key.
 */
export async function loadBlsKey({ given, named, usual, nodeKey }: BlsKeySources): Promise<Uint8Array> {
  if (given !== undefined) return checkBlsKey(given, "the BLS key that was given");
  const path = named ?? usual;
  const text = await beginningOf(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT" && named === undefined) return undefined;
    throw new AccountsError("bad-bls-key", `cannot read the BLS key: ${cause.message}`, { cause });
  });
  if (text === undefined) return deriveBlsKey(nodeKey);
  const digits = text.trim().replace(/^0x/, "");
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw badBlsKeyError(`${path} does not hold 64 hex digits`);
  const key = checkBlsKey(fromBareHex(digits), `the key in ${path}`);
  await checkNoted(path, key);
  return key;
}

/** Records the public key of a key file in a file beside it. */
export function noteBlsKey(path: string, publicKey: Uint8Array): Promise<void> {
  return writeFile(recordPath(path), bareHex(publicKey), { mode: 0o600, flush: true });
}

async function checkNoted(path: string, key: Uint8Array): Promise<void> {
  const recorded = await readBoundedText(recordPath(path), MAX_BYTES).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return undefined; // a key that somebody put there
      throw new AccountsError("bad-bls-key", `cannot read ${recordPath(path)}: ${cause.message}`, { cause });
    },
  );
  if (recorded === undefined) return;
  const publicKey = bareHex((await loadBls()).publicKeyOf(key));
  if (recorded === publicKey) return;
  const advice = `put the right key there, or remove ${recordPath(path)} if the key was changed on purpose`;
  throw badBlsKeyError(`${path} is the key of ${publicKey}, the recorded key is ${recorded}: ${advice}`);
}

function recordPath(path: string): string {
  return `${path}.public`;
}

/** Maximum size of a key file in bytes. */
const MAX_BYTES = 256;

async function beginningOf(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(new Uint8Array(MAX_BYTES), 0, MAX_BYTES, null);
  return new TextDecoder().decode(buffer.subarray(0, bytesRead));
}

function checkBlsKey(key: Uint8Array, what: string): Uint8Array {
  if (isBlsKey(key)) return key;
  throw badBlsKeyError(`${what} is no private key of BLS12-381`);
}

function badBlsKeyError(message: string): AccountsError {
  return new AccountsError("bad-bls-key", message);
}
