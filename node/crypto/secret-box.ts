/**
 * A secret under a passphrase, as in web3 secret storage: AES-128 with the first half of a derived key, and
 * a MAC, keccak(second half ++ ciphertext), that tells a wrong passphrase. Version 1 differs in its cipher, EIP-2335
 * in the digest of the MAC.
 */
import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from "node:crypto";
import { concatBytes } from "../bytes/compare.ts";
import { CryptoError } from "./error.ts";
import { keccak256 } from "./keccak.ts";
import { checkDerivation, deriveKey, type KeyDerivation } from "./key-derivation.ts";

/** An encrypted secret with the parameters of its encryption. */
export interface SealedSecret {
  readonly cipher: "aes-128-ctr" | "aes-128-cbc";
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly derivation: KeyDerivation;
  readonly mac: Uint8Array;
}

/** The cost of scrypt: n and p; r is always 8. */
export interface ScryptCost {
  readonly n: number;
  readonly p: number;
}

/** Cost of a node's key files: 256 MB and about a second. */
export const STANDARD_COST: ScryptCost = { n: 262_144, p: 1 };
/** For tests and development: 4 MB and a tenth of that time. */
export const LIGHT_COST: ScryptCost = { n: 4096, p: 6 };

const MAX_CIPHERTEXT = 1024;

/** Hash of the MAC: keccak in web3 secret storage. */
export type MacDigest = (bytes: Uint8Array) => Uint8Array;

/** Encrypts with a fresh salt and initialisation vector. */
export function sealSecret(secret: Uint8Array, passphrase: string, cost: ScryptCost): Promise<SealedSecret> {
  const derivation: KeyDerivation = { name: "scrypt", ...cost, r: 8, length: 32, salt: randomBytes(32) };
  return sealDerived({ secret, passphrase, derivation, digest: keccak256 });
}

/** A secret with the parameters of its encryption. */
export interface SecretBoxOptions {
  readonly secret: Uint8Array;
  readonly passphrase: string;
  readonly derivation: KeyDerivation;
  readonly digest: MacDigest;
}

/** As `sealSecret`, with the caller's derivation and MAC. */
export async function sealDerived({
  secret,
  passphrase,
  derivation,
  digest,
}: SecretBoxOptions): Promise<SealedSecret> {
  const iv = randomBytes(16);
  const derived = await deriveKey(derivation, passphrase);
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = concatBytes(cipher.update(secret), cipher.final());
  const mac = macOf(digest, derived, ciphertext);
  derived.fill(0);
  return { cipher: "aes-128-ctr", iv, ciphertext, derivation, mac };
}

/**
 * Decrypts a secret; undefined for a wrong passphrase. The caller wipes it. Throws `CryptoError` `bad-kdf` or
 * `bad-cipher` for parameters that are invalid or too costly.
 */
export async function openSecret(
  sealed: SealedSecret,
  passphrase: string,
  digest: MacDigest = keccak256,
): Promise<Uint8Array | undefined> {
  checkSealed(sealed);
  const derived = await deriveKey(sealed.derivation, passphrase);
  try {
    if (!timingSafeEqual(macOf(digest, derived, sealed.ciphertext), sealed.mac)) return undefined;
    return decrypt(sealed, derived);
  } finally {
    derived.fill(0);
  }
}

/** Throws `CryptoError` `bad-kdf` or `bad-cipher` when the box cannot be opened with any passphrase. */
export function checkSealed({ iv, mac, ciphertext, derivation }: SealedSecret): void {
  checkDerivation(derivation);
  if (iv.length !== 16) throw badCipher(`iv of ${iv.length} bytes, not 16`);
  if (mac.length !== 32) throw badCipher(`mac of ${mac.length} bytes, not 32`);
  if (ciphertext.length > MAX_CIPHERTEXT) throw badCipher(`ciphertext of ${ciphertext.length} bytes`);
}

function macOf(digest: MacDigest, derived: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return digest(concatBytes(derived.subarray(16, 32), ciphertext));
}

function decrypt({ cipher, iv, ciphertext }: SealedSecret, derived: Uint8Array): Uint8Array {
  const half = derived.subarray(0, 16);
  const key = cipher === "aes-128-ctr" ? half : keccak256(half).subarray(0, 16);
  try {
    const decipher = createDecipheriv(cipher, key, iv);
    const start = decipher.update(ciphertext);
    const end = decipher.final();
    const secret = concatBytes(start, end);
    start.fill(0);
    end.fill(0);
    return secret;
  } catch (cause) {
    throw new CryptoError("bad-cipher", "cipher: the padding of the plain text is damaged", { cause });
  }
}

function badCipher(what: string): CryptoError {
  return new CryptoError("bad-cipher", `cipher: ${what}`);
}
