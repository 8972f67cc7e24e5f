/**
 * A key from a passphrase, by scrypt (RFC 7914) or PBKDF2 with HMAC-SHA-256 (RFC 8018), on Node's thread pool.
 * Parameters may come from a hostile file, so their cost in memory and time is bounded before any work.
 */
import { pbkdf2, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { CryptoError } from "./error.ts";
import { needsPortableScrypt, portableScrypt } from "./portable-scrypt.ts";

/** Parameters of a key derivation. Salts are bytes, `length` is that of the derived key. */
export type KeyDerivation =
  | {
      readonly name: "scrypt";
      readonly n: number;
      readonly r: number;
      readonly p: number;
      readonly length: number;
      readonly salt: Uint8Array;
    }
  | {
      readonly name: "pbkdf2";
      readonly iterations: number;
      readonly length: number;
      readonly salt: Uint8Array;
    };

/** Twice the memory of the standard profile of key files (n = 2^18, r = 8). */
const MAX_SCRYPT_BYTES = 512 * 1024 * 1024;
/** Eight times the work n * r * p of that profile: several seconds. */
const MAX_SCRYPT_WORK = 2 ** 24;
/** Forty times the usual count: a few seconds. */
const MAX_ITERATIONS = 10_000_000;
const MAX_BYTES = 1024;

const scryptAsync = promisify<string, Uint8Array, number, object, Buffer>(scrypt);
const pbkdf2Async = promisify(pbkdf2);

/** Derives `length` bytes. Throws `CryptoError` `bad-kdf` for parameters that are impossible or too costly. */
export async function deriveKey(derivation: KeyDerivation, passphrase: string): Promise<Buffer> {
  checkDerivation(derivation);
  const { salt, length } = derivation;
  if (derivation.name === "pbkdf2") {
    return pbkdf2Async(passphrase, salt, derivation.iterations, length, "sha256");
  }
  const { n, r, p } = derivation;
  if (needsPortableScrypt(derivation)) return portableScrypt({ passphrase, salt, n, r, p, length });
  return scryptAsync(passphrase, salt, length, { N: n, r, p, maxmem: scryptBytes(n, r, p) + 1024 * 1024 });
}

function scryptBytes(n: number, r: number, p: number): number {
  return 128 * r * (n + p + 2);
}

/** Throws `CryptoError` `bad-kdf` unless the derivation is possible and its cost within bounds. */
export function checkDerivation(derivation: KeyDerivation): void {
  const { length, salt } = derivation;
  if (!inRange(length, 32, MAX_BYTES)) throw badParameterError(`dklen ${length} is not in 32..${MAX_BYTES}`);
  if (salt.length > MAX_BYTES) throw badParameterError(`salt of ${salt.length} bytes, at most ${MAX_BYTES}`);
  if (derivation.name === "pbkdf2") {
    const { iterations } = derivation;
    if (!inRange(iterations, 1, MAX_ITERATIONS))
      throw badParameterError(`c ${iterations} is not in 1..${MAX_ITERATIONS}`);
    return;
  }
  const { n, r, p } = derivation;
  const whole = [n, r, p].every((value) => inRange(value, 1, 2 ** 31));
  if (!whole || n < 2 || 2 ** Math.round(Math.log2(n)) !== n) {
    throw badParameterError(
      `scrypt n ${n}, r ${r}, p ${p}: n is a power of two above 1, r and p are at least 1`,
    );
  }
  if (scryptBytes(n, r, p) > MAX_SCRYPT_BYTES || n * r * p > MAX_SCRYPT_WORK) {
    throw badParameterError(`scrypt n ${n}, r ${r}, p ${p} costs more than allowed`);
  }
}

function inRange(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}

function badParameterError(what: string): CryptoError {
  return new CryptoError("bad-kdf", `key derivation: ${what}`);
}
