/**
 * Addition and multiplication on BN254 in our own WebAssembly. A factor k becomes k1 + k2 L for the number L by which an
 * endomorphism multiplies, with k1 and k2 of 128 bits (Gallant, Lambert, Vanstone: "Faster point multiplication on
 * elliptic curves with efficient endomorphisms").
 */
import { isZero } from "../bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { BN254_POINTS_WASM } from "./bn254-points-wasm.ts";
import { openPointKernel, writeDigits } from "./point-kernel.ts";

/** Points of G1 as 64 bytes x, y; coordinates below the field's modulus, all zeros for infinity. */
export interface Bn254Sums {
  /** Returns the sum of two points; undefined when one is not on the curve. */
  add(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  /** Returns the point times any 32 bytes; undefined when the point is not on the curve. */
  multiply(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
}

const WORD = 32;
const DIGITS = 33;
const MODULUS = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
const ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
// Two short vectors (a, b) with a + b L = 0 modulo the order; their determinant is the order.
const A1 = 147946756881789319000765030803803410728n;
const B1 = -9931322734385697763n;
const A2 = 9931322734385697763n;
const B2 = 147946756881789319010696353538189108491n;

/** Opens the additions and multiplications of BN254. */
export function openBn254Sums(): Bn254Sums {
  const { module, input, digits, output } = openPointKernel(BN254_POINTS_WASM, WORD, 2 * DIGITS);
  const result = (isFinite: number): Uint8Array =>
    isFinite === 0 ? new Uint8Array(2 * WORD) : output.slice(0, 2 * WORD);
  const read = (index: number, point: Uint8Array): boolean => {
    input.set(point);
    input.set(point.subarray(WORD), 2 * WORD); // the image's y, which is not used
    return module.read(index) !== 0;
  };
  return {
    add: (a, b) => (read(0, a) && read(1, b) ? result(module.sumOfTwo()) : undefined),
    multiply: (point, scalar) => {
      if (isZero(point)) return new Uint8Array(2 * WORD);
      const [first, second] = splitFactor(bytesToBigint(scalar) % ORDER);
      const y = point.subarray(WORD);
      input.set(point.subarray(0, WORD));
      input.set(first < 0n ? negate(y) : y, WORD);
      input.set(second < 0n ? negate(y) : y, 2 * WORD);
      if (module.read(0) === 0) return undefined;
      writeDigits(digits, 0, DIGITS, magnitude(first));
      writeDigits(digits, DIGITS, DIGITS, magnitude(second));
      return result(module.sumOfProducts(1));
    },
  };
}

/** Returns k1 and k2 with k1 + k2 L = k modulo the order. */
function splitFactor(k: bigint): readonly [bigint, bigint] {
  const c1 = quotient(B2 * k);
  const c2 = quotient(-B1 * k);
  return [k - c1 * A1 - c2 * A2, -c1 * B1 - c2 * B2];
}

/** Rounds the quotient of a number that is not negative and the order. */
function quotient(value: bigint): bigint {
  return (value + (ORDER >> 1n)) / ORDER;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Negates a coordinate modulo the field; one that is not below the modulus is not on the curve. */
function negate(y: Uint8Array): Uint8Array {
  return fixedBytes(MODULUS - bytesToBigint(y), WORD);
}
