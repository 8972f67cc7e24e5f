/**
 * The curve alt_bn128 (BN254) as contracts use it: addition and multiplication (EIP-196) and the pairing check
 * (EIP-197), on the encodings of those precompiled contracts. Nothing is loaded before it is asked for.
 */
import { type Bn254Sums, openBn254Sums } from "./bn254-sums.ts";
import { BN254_WASM } from "./bn254-wasm.ts";
import { type PairingCheck, pairingCheck } from "./pairing-wasm.ts";

/** Implementation of the three operations. Callers have checked lengths and coordinates. */
export interface Bn254Curve extends Bn254Sums {
  /** Checks pairs of 192 bytes: the point of G1, then that of G2, imaginary parts first. */
  readonly isProductOne: PairingCheck;
}

/** The three operations on the input of the precompiled contracts. Undefined is the contracts' failure. */
export interface Bn254 {
  /** Two points, cut or filled with zeros to 128 bytes; the sum's 64 bytes. */
  add(input: Uint8Array): Uint8Array | undefined;
  /** A point and a scalar, cut or filled with zeros to 96 bytes; the product's 64 bytes. */
  multiply(input: Uint8Array): Uint8Array | undefined;
  /** Any number of pairs of 192 bytes; none of them is true. */
  isPairing(input: Uint8Array): boolean | undefined;
}

/** Bytes of one pair of a pairing check. */
export const BN254_PAIR_BYTES = 192;

const WORD = 32;
const POINT = 64;
/** EIP-196: the modulus of the field. */
const MODULUS = Buffer.from("30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47", "hex");

/** Adds the checks of lengths and coordinates to an implementation. */
export function createBn254(curve: Bn254Curve): Bn254 {
  return {
    add: (input) => {
      const bytes = resizeInput(input, 2 * POINT);
      return inField(bytes) ? curve.add(bytes.subarray(0, POINT), bytes.subarray(POINT)) : undefined;
    },
    multiply: (input) => {
      const bytes = resizeInput(input, POINT + WORD);
      const point = bytes.subarray(0, POINT);
      return inField(point) ? curve.multiply(point, bytes.subarray(POINT)) : undefined;
    },
    isPairing: (input) => {
      if (input.length % BN254_PAIR_BYTES !== 0 || !inField(input)) return undefined;
      return curve.isProductOne(input);
    },
  };
}

function resizeInput(input: Uint8Array, length: number): Uint8Array {
  if (input.length >= length) return input.subarray(0, length);
  const bytes = new Uint8Array(length);
  bytes.set(input);
  return bytes;
}

/** True when every word is below the modulus. */
function inField(words: Uint8Array): boolean {
  for (let at = 0; at < words.length; at += WORD) {
    if (Buffer.compare(words.subarray(at, at + WORD), MODULUS) >= 0) return false;
  }
  return true;
}

/** Some 0.5 ms, and 0.25 ms a pair. */
const isProductOne = pairingCheck(BN254_WASM, BN254_PAIR_BYTES);

let opened: Bn254 | undefined;

/** Returns the curve, opened by the first call in some milliseconds. */
export function bn254(): Bn254 {
  opened ??= createBn254({ ...openBn254Sums(), isProductOne });
  return opened;
}
