/** Opens and writes the key files of one directory; every passphrase passes one gate. */

import { randomUUID } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { CryptoError } from "../crypto/error.ts";
import { isPrivateKey } from "../crypto/secp256k1.ts";
import { openSecret, type ScryptCost, type SealedSecret, sealSecret } from "../crypto/secret-box.ts";
import { AccountsError } from "./error.ts";
import { MAX_FILE_BYTES } from "./followed-files.ts";
import { createGate, type Gate } from "./gate.ts";
import type { KeyEntry } from "./key-directory.ts";
import { formatKeyFile, type KeyFile, type KeyFileVersion, parseKeyFile } from "./key-file.ts";
import { writeKeyFile } from "./key-writer.ts";
import { type Keyring, ofRole, type SigningRole, wipe } from "./keyring.ts";

/** Keys of a key file. */
export interface KeyFileKeys {
  readonly path: string;
  readonly address: Address;
  readonly keyring: Keyring;
}

/** Reads and writes key files with passphrases. The caller wipes the keys. */
export interface KeyStore {
  /** Decrypts the first key of a file, which signs messages. Throws `AccountsError`. */
  open(entry: KeyEntry, passphrase: string): Promise<Uint8Array>;
  /** Decrypts the keys of a role. Throws `AccountsError`. */
  openRole(entry: KeyEntry, passphrase: string, role: SigningRole): Promise<readonly Uint8Array[]>;
  /** Decrypts all keys of a file. Throws `AccountsError`. */
  openAll(entry: KeyEntry, passphrase: string): Promise<Keyring>;
  /** Writes a file at `path`; replaces an existing one. */
  save(file: KeyFileKeys, passphrase: string): Promise<void>;
}

/** Form of new key files. */
export interface KeyFileForm {
  readonly cost: ScryptCost;
  readonly version: KeyFileVersion;
}

/** Creates a store that writes files in `form`. */
export function createKeyStore(form: KeyFileForm, gate: Gate = passphraseGate()): KeyStore {
  return {
    open: (entry, passphrase) =>
      gate.run(async () => {
        const { keyring } = await read(entry);
        const first = keyring.flat()[0];
        if (first === undefined) throw new AccountsError("bad-key-file", "key file without a key");
        return openKey(first, passphrase);
      }),
    openRole: (entry, passphrase, role) =>
      gate.run(async () => {
        const { keyring } = await read(entry);
        return (await openKeyring([ofRole(keyring, role)], passphrase)).flat();
      }),
    openAll: (entry, passphrase) =>
      gate.run(async () => openKeyring((await read(entry)).keyring, passphrase)),
    save: (file, passphrase) => gate.run(() => save(form, file, passphrase)),
  };
}

/** Returns a gate for two passphrases at a time and a queue of 64. */
export function passphraseGate(): Gate {
  return createGate({ atOnce: 2, waiting: 64 });
}

async function read({ path, address }: KeyEntry): Promise<KeyFile> {
  const text = await readText(path);
  const file = parseKeyFile(text);
  if (equalBytes(file.address, address)) return file;
  throw new AccountsError(
    "content-mismatch",
    `key content mismatch: have account ${bareHex(file.address)}, want ${bareHex(address)}`,
  );
}

async function readText(path: string): Promise<string> {
  try {
    if ((await stat(path)).size <= MAX_FILE_BYTES) return await readFile(path, "utf8");
  } catch (cause) {
    throw new AccountsError("no-key", "no key for given address or file", { cause });
  }
  throw new AccountsError("bad-key-file", `key file above ${MAX_FILE_BYTES} bytes`);
}

async function openKeyring(keyring: KeyFile["keyring"], passphrase: string): Promise<Uint8Array[][]> {
  const opened: Uint8Array[][] = [];
  try {
    for (const role of keyring) {
      const keys: Uint8Array[] = [];
      opened.push(keys);
      for (const sealed of role) keys.push(await openKey(sealed, passphrase));
    }
    return opened;
  } catch (error) {
    wipe(opened);
    throw error;
  }
}

async function openKey(sealed: SealedSecret, passphrase: string): Promise<Uint8Array> {
  const key = await openSealed(sealed, passphrase, "key file");
  if (isPrivateKey(key)) return key;
  key.fill(0);
  throw new AccountsError("bad-key-file", "key file whose content is no private key");
}

/** Decrypts the secret of a file. Throws `AccountsError` `bad-key-file` or `wrong-passphrase`. */
export async function openSealed(
  sealed: SealedSecret,
  passphrase: string,
  kind: "key file" | "wallet file",
): Promise<Uint8Array> {
  const secret = await openSecret(sealed, passphrase).catch((cause: unknown) => {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new AccountsError("bad-key-file", `${kind} that cannot be opened: ${cause.message}`, { cause });
  });
  if (secret !== undefined) return secret;
  throw new AccountsError("wrong-passphrase", "could not decrypt key with given passphrase");
}

async function save(
  { cost, version }: KeyFileForm,
  { path, address, keyring }: KeyFileKeys,
  passphrase: string,
): Promise<void> {
  const sealed: SealedSecret[][] = [];
  for (const role of keyring) {
    const keys: SealedSecret[] = [];
    sealed.push(keys);
    for (const key of role) keys.push(await sealSecret(key, passphrase, cost));
  }
  await writeKeyFile({
    directory: dirname(path),
    name: basename(path),
    text: formatKeyFile({ address, id: randomUUID(), keyring: sealed }, version),
    verify: (written) => checkKeyring(written, keyring, passphrase),
  });
}

async function checkKeyring(text: string, keyring: Keyring, passphrase: string): Promise<void> {
  const opened = await openKeyring(parseKeyFile(text).keyring, passphrase);
  const [have, want] = [opened.flat(), keyring.flat()];
  const same =
    have.length === want.length && have.every((key, i) => equalBytes(key, want[i] ?? new Uint8Array()));
  wipe(opened);
  if (!same) throw new AccountsError("bad-key-file", "key file does not hold on disk what was written");
}
