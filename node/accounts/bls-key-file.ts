/**
 * The JSON of a BLS key file (EIP-2335), as the Go node writes it: PBKDF2, no description and no path. Files of other
 * tools may use scrypt. Passphrases are taken in normal form (NFKD) without control characters.
 */

import { randomBytes, randomUUID } from "node:crypto";
import type { PublicKey } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import { isBlsKey } from "../crypto/bls-key.ts";
import { sha256 } from "../crypto/hashes.ts";
import { openSecret, type SealedSecret, sealDerived } from "../crypto/secret-box.ts";
import { AccountsError } from "./error.ts";
import { readSealed, sealedJson } from "./key-file.ts";

/** Rounds of PBKDF2: what the Go node takes, and a thirty-second of it for development. */
export const BLS_FILE_ROUNDS = { standard: 262_144, light: 8_192 } as const;

/** Content of a new BLS key file. */
export interface BlsKeyPair {
  /** Secret key, 32 bytes. */
  readonly key: Uint8Array;
  /** Public key, 48 bytes. */
  readonly publicKey: PublicKey;
}

/** Encrypts a key with `passphrase`. Resolves to the text of the file. */
export async function sealBlsKeyFile(
  { key, publicKey }: BlsKeyPair,
  passphrase: string,
  rounds: number,
): Promise<string> {
  const sealed = await sealDerived({
    secret: key,
    passphrase: normalForm(passphrase),
    derivation: { name: "pbkdf2", iterations: rounds, length: 32, salt: randomBytes(32) },
    digest: sha256,
  });
  return JSON.stringify({
    crypto: modulesOf(sealed),
    description: "",
    pubkey: bareHex(publicKey),
    path: "",
    uuid: randomUUID(),
    version: 4,
  });
}

/**
 * Decrypts the key of a file; the caller wipes it. Throws `AccountsError` `bad-key-file` or
 * `wrong-passphrase`.
 */
export async function openBlsKeyFile(text: string, passphrase: string): Promise<Uint8Array> {
  const key = await openSecret(readSealed(secretStorage(text)), normalForm(passphrase), sha256);
  if (key === undefined)
    throw new AccountsError("wrong-passphrase", "could not decrypt key with given passphrase");
  if (isBlsKey(key)) return key;
  throw badKeyFileError("BLS key file without a private key of BLS12-381");
}

function normalForm(passphrase: string): string {
  return passphrase.normalize("NFKD").replace(/\p{Cc}/gu, "");
}

/** Returns the modules with members in alphabetical order, as the Go node writes them. */
function modulesOf(sealed: SealedSecret): object {
  const { cipher, ciphertext, cipherparams, kdf, kdfparams, mac } = sealedJson(sealed) as WebStorage;
  return {
    checksum: { function: "sha256", message: mac, params: {} },
    cipher: { function: cipher, message: ciphertext, params: cipherparams },
    kdf: { function: kdf, message: "", params: kdfparams },
  };
}

/** Members of web3 secret storage with unchecked values. */
type WebStorage = Readonly<
  Record<"cipher" | "ciphertext" | "cipherparams" | "kdf" | "kdfparams" | "mac", unknown>
>;

/** Converts the modules to web3 secret storage. */
function secretStorage(text: string): WebStorage {
  const file = parseKeyFileJson(text);
  if (member(file, "version") !== 4) throw badKeyFileError("BLS key file of an unknown version");
  const modules = member(file, "crypto");
  const [checksum, cipher, kdf] = ["checksum", "cipher", "kdf"].map((name) => member(modules, name));
  if (member(checksum, "function") !== "sha256")
    throw badKeyFileError("BLS key file with an unknown checksum");
  return {
    cipher: member(cipher, "function"),
    ciphertext: member(cipher, "message"),
    cipherparams: member(cipher, "params"),
    kdf: member(kdf, "function"),
    kdfparams: member(kdf, "params"),
    mac: member(checksum, "message"),
  };
}

function parseKeyFileJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badKeyFileError("BLS key file without JSON"); // the library's words quote the file
  }
}

function member(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  // Any object can be read by name.
  return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function badKeyFileError(message: string): AccountsError {
  return new AccountsError("bad-key-file", message);
}
