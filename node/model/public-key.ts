/** Compressed public keys of secp256k1 (SEC 1 section 2.3.4), only as far as showing them needs: no speed. */
import { readBigint } from "./rlp-cursor.ts";

const P = 2n ** 256n - 2n ** 32n - 977n;

/** The point of a 33-byte compressed key, or undefined when there is none. */
export function decompressPublicKey(compressed: Uint8Array): { x: bigint; y: bigint } | undefined {
  const sign = compressed[0];
  if (compressed.length !== 33 || (sign !== 2 && sign !== 3)) return undefined;
  const x = readBigint(compressed, 1, 32);
  if (x >= P) return undefined;
  const square = (x * x * x + 7n) % P;
  const root = power(square, (P + 1n) / 4n);
  if ((root * root) % P !== square) return undefined;
  const odd = (root & 1n) === 1n;
  return { x, y: odd === (sign === 3) ? root : P - root };
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
