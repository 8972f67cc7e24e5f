/**
 * The JSON of a key file. Versions 4 (a key ring), 3 and 1 (one key) are read, 4 and 3 are written. Names are
 * matched without regard to case, as the Go node does. The address in the file decides, not the key's own:
 * an account may have an address that does not follow from its key.
 */
import type { Address } from "../bytes/brands.ts";
import { bareHex, fromBareHex } from "../bytes/hex.ts";
import type { KeyDerivation } from "../crypto/key-derivation.ts";
import { checkSealed, type SealedSecret } from "../crypto/secret-box.ts";
import { AccountsError } from "./error.ts";

/** A parsed key file. The outer index of the key ring is the role, the inner one the key of the role. */
export interface KeyFile {
  readonly address: Address;
  readonly id: string;
  readonly keyring: readonly (readonly SealedSecret[])[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Maximum number of keys: three roles of ten keys. */
const MAX_KEYS = 30;

/** Parses a key file. Throws `AccountsError` `bad-key-file`; the message never quotes ciphertext or salt. */
export function parseKeyFile(text: string): KeyFile {
  const file = parseFields(text);
  const address = file && addressOf(file);
  if (file === undefined || address === undefined) throw badKeyFileError("key file without JSON or address");
  const keyring = readKeyring(file);
  const count = keyring.reduce((sum, role) => sum + role.length, 0);
  if (count === 0 || count > MAX_KEYS) throw badKeyFileError(`key file with ${count} keys`);
  const id = field(file, "id");
  return { address, id: typeof id === "string" ? id : "", keyring };
}

/** Returns the address of a key file, or `undefined` for any other text. Parses the JSON only. */
export function keyFileAddress(text: string): Address | undefined {
  const file = parseFields(text);
  if (file === undefined || (!field(file, "crypto") && !field(file, "keyring"))) return undefined;
  return addressOf(file);
}

/** Versions of new key files. */
export type KeyFileVersion = 3 | 4;

/** Returns the text of a key file. Version 3 has a single key: several keys make it version 4. */
export function formatKeyFile({ address, id, keyring }: KeyFile, version: KeyFileVersion = 4): string {
  const [first, ...others] = keyring.flat();
  const head = { address: bareHex(address) };
  if (version === 3 && first !== undefined && others.length === 0) {
    return JSON.stringify({ ...head, crypto: sealedJson(first), id, version });
  }
  return JSON.stringify({ ...head, keyring: keyring.map((role) => role.map(sealedJson)), id, version: 4 });
}

/** Returns an encrypted secret as the `crypto` member of a file. */
export function sealedJson({ cipher, ciphertext, iv, derivation, mac }: SealedSecret): object {
  const { name, length: dklen, salt } = derivation;
  const kdfparams =
    name === "scrypt"
      ? { dklen, n: derivation.n, p: derivation.p, r: derivation.r, salt: bareHex(salt) }
      : { c: derivation.iterations, dklen, prf: "hmac-sha256", salt: bareHex(salt) };
  return {
    cipher,
    ciphertext: bareHex(ciphertext),
    cipherparams: { iv: bareHex(iv) },
    kdf: name,
    kdfparams,
    mac: bareHex(mac),
  };
}

function parseFields(text: string): Fields | undefined {
  try {
    return asFields(JSON.parse(text));
  } catch {
    return undefined; // the callers say what that means to them
  }
}

function asFields(value: unknown): Fields | undefined {
  // Any object can be read by name.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function field(fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name];
  const other = Object.keys(fields).find((key) => key.toLowerCase() === name);
  return other === undefined ? undefined : fields[other];
}

function addressOf(file: Fields): Address | undefined {
  const text = field(file, "address");
  if (typeof text !== "string" || !/^(0x)?[0-9a-f]{40}$/i.test(text)) return undefined;
  const address = fromBareHex(text.slice(-40));
  return address.some((byte) => byte !== 0) ? address : undefined;
}

function readKeyring(file: Fields): SealedSecret[][] {
  const version = field(file, "version");
  if (version === "1") return [[readSealed(field(file, "crypto"), "aes-128-cbc")]];
  if (version === 3) return [[readSealed(field(file, "crypto"))]];
  if (version !== 4)
    throw badKeyFileError(`undefined version: ${typeof version === "number" ? version.toFixed(6) : "none"}`);
  const keyring = field(file, "keyring");
  if (!Array.isArray(keyring)) throw badKeyFileError("key file of version 4 without a keyring");
  if (!keyring.some(Array.isArray)) return [keyring.map((key) => readSealed(key))];
  return keyring.map((role: unknown) => {
    if (!Array.isArray(role)) throw badKeyFileError("keyring that is neither flat nor one list a role");
    return role.map((key) => readSealed(key));
  });
}

/** Parses a `crypto` member. Throws `AccountsError` `bad-key-file`. */
export function readSealed(value: unknown, fixedCipher?: "aes-128-cbc"): SealedSecret {
  const fields = asFields(value);
  if (fields === undefined) throw badKeyFileError("key file without an encrypted key");
  const cipher = fixedCipher ?? field(fields, "cipher");
  if (cipher !== "aes-128-ctr" && cipher !== fixedCipher)
    throw badKeyFileError(`Cipher not supported: ${excerpt(cipher)}`);
  const sealed: SealedSecret = {
    cipher: fixedCipher ?? "aes-128-ctr",
    iv: hexField(asFields(field(fields, "cipherparams")) ?? {}, "iv"),
    ciphertext: hexField(fields, "ciphertext"),
    derivation: readDerivation(field(fields, "kdf"), asFields(field(fields, "kdfparams")) ?? {}),
    mac: hexField(fields, "mac"),
  };
  try {
    checkSealed(sealed);
  } catch (cause) {
    throw badKeyFileError(
      `key file with bad parameters: ${cause instanceof Error ? cause.message : "unknown"}`,
      cause,
    );
  }
  return sealed;
}

function readDerivation(kdf: unknown, params: Fields): KeyDerivation {
  const salt = hexField(params, "salt");
  const length = numberField(params, "dklen");
  if (kdf === "scrypt") {
    const [n, r, p] = [numberField(params, "n"), numberField(params, "r"), numberField(params, "p")];
    return { name: "scrypt", n, r, p, length, salt };
  }
  if (kdf !== "pbkdf2") throw badKeyFileError(`Unsupported KDF: ${excerpt(kdf)}`);
  const prf = field(params, "prf");
  if (prf !== "hmac-sha256") throw badKeyFileError(`Unsupported PBKDF2 PRF: ${excerpt(prf)}`);
  return { name: "pbkdf2", iterations: numberField(params, "c"), length, salt };
}

function hexField(fields: Fields, key: string): Uint8Array {
  const text = field(fields, key);
  if (typeof text !== "string" || text.length % 2 !== 0 || /[^0-9a-f]/i.test(text)) {
    throw badKeyFileError(`key file with a bad ${key}`);
  }
  return fromBareHex(text);
}

function numberField(fields: Fields, key: string): number {
  const value = field(fields, key);
  if (typeof value !== "number") throw badKeyFileError(`key file with a bad ${key}`);
  return value;
}

/** Returns an unknown name, shortened for a message. */
function excerpt(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 32) : "none";
}

function badKeyFileError(message: string, cause?: unknown): AccountsError {
  return new AccountsError("bad-key-file", message, { cause });
}
