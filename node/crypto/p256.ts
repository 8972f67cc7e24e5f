/**
 * Signatures on the curve P-256 (secp256r1, FIPS 186-5) as contracts check them (EIP-7951). OpenSSL verifies no
 * digest without hashing it again, so the equation is rearranged for what Node.js lets it do quickly: with
 * t = z / r and u = r / s, R = (z / s) G + (r / s) Q is u (Q + t G), where t G is a public key, the sum is one
 * addition here, and the x coordinate of the multiple is what Diffie-Hellman gives. All of it is public.
 */
import { createECDH, type ECDH } from "node:crypto";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";

/** Bytes of an input: digest, r, s, x, y, 32 each. */
const INPUT_BYTES = 160;

// SP 800-186 section 3.2.1.3.
const FIELD = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
const A = -3n;

interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

let curve: ECDH | undefined;

/** True when the input is a valid signature, its s low or high; false for any other bytes. Never throws. */
export function verifyP256(input: Uint8Array): boolean {
  if (input.length !== INPUT_BYTES) return false;
  const word = (index: number): bigint => bytesToBigint(input.subarray(index * 32, index * 32 + 32));
  const [r, s] = [word(1), word(2)];
  const key = { x: word(3), y: word(4) };
  if (!isScalar(r) || !isScalar(s) || !isOnCurve(key)) return false;
  const t = modulo(word(0) * inverse(r, ORDER), ORDER);
  const sum = t === 0n ? key : add(key, multipleOfG(t));
  if (sum === undefined) return false;
  return xOfMultiple(modulo(r * inverse(s, ORDER), ORDER), sum) % ORDER === r;
}

function isScalar(value: bigint): boolean {
  return value > 0n && value < ORDER;
}

/** The curve has cofactor 1, and (0, 0) is not on it. */
function isOnCurve({ x, y }: Point): boolean {
  return x < FIELD && y < FIELD && modulo(y * y - (x * x * x + A * x + B), FIELD) === 0n;
}

function multipleOfG(factor: bigint): Point {
  curve ??= createECDH("prime256v1");
  curve.setPrivateKey(fixedBytes(factor, 32));
  const bytes = curve.getPublicKey();
  return { x: bytesToBigint(bytes.subarray(1, 33)), y: bytesToBigint(bytes.subarray(33)) };
}

function xOfMultiple(factor: bigint, { x, y }: Point): bigint {
  curve ??= createECDH("prime256v1");
  curve.setPrivateKey(fixedBytes(factor, 32));
  const bytes = Buffer.concat([Uint8Array.of(4), fixedBytes(x, 32), fixedBytes(y, 32)]);
  return bytesToBigint(curve.computeSecret(bytes));
}

/** The sum of two points, or undefined when it is infinity. */
function add(p: Point, q: Point): Point | undefined {
  if (p.x === q.x && p.y !== q.y) return undefined;
  const slope =
    p.x === q.x
      ? (3n * p.x * p.x + A) * inverse(2n * p.y, FIELD)
      : (q.y - p.y) * inverse(modulo(q.x - p.x, FIELD), FIELD);
  const x = modulo(slope * slope - p.x - q.x, FIELD);
  return { x, y: modulo(slope * (p.x - x) - p.y, FIELD) };
}

function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** The inverse of 1..m-1 modulo a prime, by Euclid's extended algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b] = [value % modulus, modulus];
  let [x, next] = [1n, 0n];
  while (a > 1n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, next] = [next, x - quotient * next];
  }
  return modulo(x, modulus);
}
