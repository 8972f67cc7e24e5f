/**
 * The pairing check on BLS12-381 in our own WebAssembly. The second points' order comes out of
 * the pairing's loop.
 */
import { isZero } from "../bytes/compare.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { BLS_PAIRING_WASM } from "./bls-pairing-wasm.ts";
import { pairingCheck } from "./pairing-wasm.ts";

const WORD = 64;
const PADDING = 16;
const PAIR = 6 * WORD;
const MODULUS = fromBareHex(
  "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
);

const isProductOne = pairingCheck(BLS_PAIRING_WASM, PAIR);

/**
 * Returns true when the product of the pairings of whole pairs of 384 bytes is one (EIP-2537). Undefined when
 * a coordinate is not in the field, a point is not on its curve or the second point is not in its group; the
 * first is not checked for its group. Takes some 1.2 ms, and 0.6 ms a pair.
 */
export function isBlsProductOne(input: Uint8Array): boolean | undefined {
  for (let at = 0; at < input.length; at += WORD) {
    if (!isZero(input.subarray(at, at + PADDING))) return undefined;
    if (Buffer.compare(input.subarray(at + PADDING, at + WORD), MODULUS) >= 0) return undefined;
  }
  return isProductOne(input);
}
