/**
 * Operations on BLS12-381 as contracts ask for them (EIP-2537), on the encodings of those precompiled contracts:
 * 128 bytes a point of G1, 256 a point of G2, 32 a scalar. Undefined is their failure: another length, a
 * coordinate that is not in the field, a point off the curve and, but for additions, outside the group.
 *
 * They are computed by our own WebAssembly. A factor is written in powers of the curve's parameter u, by which
 * endomorphisms of the groups multiply: in u^2 for points of G1, in -u for points of G2.
 */
import { isZero } from "../bytes/compare.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { areInG1, areInG2 } from "./bls-order.ts";
import { isBlsProductOne } from "./bls-pairing.ts";
import { BLS_POINTS_WASM } from "./bls-points-wasm.ts";
import { openPointKernel, type PointKernel, writeDigits } from "./point-kernel.ts";

/** Bytes of points, of terms of the multi-scalar multiplications and of pairs, as contracts write them. */
export const BLS_POINT_BYTES = { g1: 128, g2: 256, g1Term: 160, g2Term: 288, pair: 384 } as const;

const SCALAR = 32;
/** Bytes of a coordinate: 16 zeros, then 48 of the field's element. */
const WORD = 64;
const FIELD = 48;
const PADDING = WORD - FIELD;
/** Terms held at once; longer sums are computed in parts. */
const TERMS_AT_ONCE = 64;
const MODULUS_BYTES = fromBareHex(
  "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
);
const MODULUS = bytesToBigint(MODULUS_BYTES);
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
/** -u. */
const PARAMETER = 0xd201000000010000n;

/** Differences between the two groups. */
interface Group {
  readonly isSecond: boolean;
  /** Elements of Fp in a coordinate. */
  readonly width: number;
  /** Returns true when the points at these offsets of the input are in the group. */
  readonly areInGroup: (input: Uint8Array, places: readonly number[]) => boolean;
  /** A factor is digits of this base, so many, of so many halves of a byte. */
  readonly base: bigint;
  readonly images: number;
  readonly digits: number;
}

const G1: Group = {
  isSecond: false,
  width: 1,
  areInGroup: areInG1,
  base: PARAMETER ** 2n,
  images: 2,
  digits: 32,
};
const G2: Group = {
  isSecond: true,
  width: 2,
  areInGroup: areInG2,
  base: PARAMETER,
  images: 4,
  digits: 16,
};

let opened: PointKernel | undefined;

function kernel(): PointKernel {
  opened ??= openPointKernel(BLS_POINTS_WASM, FIELD, TERMS_AT_ONCE * 64);
  return opened;
}

/** Adds two points of G1's curve. */
export function addG1(input: Uint8Array): Uint8Array | undefined {
  return add(G1, input);
}

/** Adds two points of G2's curve. */
export function addG2(input: Uint8Array): Uint8Array | undefined {
  return add(G2, input);
}

/** Returns the sum of points of G1 times their scalars; at least one term. */
export function sumG1(input: Uint8Array): Uint8Array | undefined {
  return sumOfTerms(G1, input);
}

/** Returns the sum of points of G2 times their scalars; at least one term. */
export function sumG2(input: Uint8Array): Uint8Array | undefined {
  return sumOfTerms(G2, input);
}

/** Returns true when the product of the pairings of points of G1 and G2 is one; at least one pair. */
export function isBlsPairing(input: Uint8Array): boolean | undefined {
  if (input.length === 0 || input.length % BLS_POINT_BYTES.pair !== 0) return undefined;
  const isOne = isBlsProductOne(input);
  const count = input.length / BLS_POINT_BYTES.pair;
  const firsts = Array.from({ length: count }, (_, index) => index * BLS_POINT_BYTES.pair);
  return isOne === undefined || !areInG1(input, firsts) ? undefined : isOne;
}

/** Maps an element of the field to a point of G1 (RFC 9380). */
export function mapToG1(input: Uint8Array): Uint8Array | undefined {
  return mapTo(G1, input);
}

/** Maps an element of the quadratic extension to a point of G2 (RFC 9380). */
export function mapToG2(input: Uint8Array): Uint8Array | undefined {
  return mapTo(G2, input);
}

/**
 * Returns the point of G1's curve with this x (48 bytes), in its form of 128 bytes, and the larger of its two y when
 * `isLarger`. Undefined when x is not below the modulus or there is no such point.
 */
export function liftToG1(x: Uint8Array, isLarger: boolean): Uint8Array | undefined {
  if (Buffer.compare(x, MODULUS_BYTES) >= 0) return undefined;
  const { module, input, output } = kernel();
  input.set(x);
  if (module.lift() === 0) return undefined;
  const y = bytesToBigint(output.subarray(0, FIELD));
  const other = MODULUS - y;
  const point = new Uint8Array(2 * WORD);
  point.set(x, PADDING);
  point.set(fixedBytes(y > other === isLarger ? y : other, FIELD), WORD + PADDING);
  return point;
}

function add(group: Group, input: Uint8Array): Uint8Array | undefined {
  const pointBytes = 2 * group.width * WORD;
  if (input.length !== 2 * pointBytes) return undefined;
  const { module } = kernel();
  module.choose(group.isSecond);
  if (!readPoint(group, 0, input, 0) || !readPoint(group, 1, input, pointBytes)) return undefined;
  return writePoint(group, module.sumOfTwo());
}

function mapTo(group: Group, input: Uint8Array): Uint8Array | undefined {
  if (input.length !== group.width * WORD || !readElements(input, 0, group.width)) return undefined;
  const { module } = kernel();
  module.choose(group.isSecond);
  return writePoint(group, module.map());
}

function sumOfTerms(group: Group, input: Uint8Array): Uint8Array | undefined {
  const termBytes = 2 * group.width * WORD + SCALAR;
  if (input.length === 0 || input.length % termBytes !== 0) return undefined;
  let sum: Uint8Array | undefined;
  for (let at = 0; at < input.length; at += TERMS_AT_ONCE * termBytes) {
    const part = sumOfPart(group, input.subarray(at, at + TERMS_AT_ONCE * termBytes), termBytes);
    if (part === undefined) return undefined;
    sum = sum === undefined ? part : add(group, Buffer.concat([sum, part]));
  }
  return sum;
}

function sumOfPart(group: Group, terms: Uint8Array, termBytes: number): Uint8Array | undefined {
  const { module, digits } = kernel();
  const places = Array.from({ length: terms.length / termBytes }, (_, i) => i * termBytes);
  module.choose(group.isSecond);
  for (const [i, place] of places.entries()) {
    if (!readTerm(group, i, terms, place)) return undefined;
    // Any 32 bytes; the group has prime order, so the rest is the same factor.
    let factor = bytesToBigint(terms.subarray(place + termBytes - SCALAR, place + termBytes)) % ORDER;
    for (let image = 0; image < group.images; image++) {
      writeDigits(digits, (i * group.images + image) * group.digits, group.digits, factor % group.base);
      factor /= group.base;
    }
  }
  if (!group.areInGroup(terms, places)) return undefined;
  return writePoint(group, module.sumOfProducts(places.length));
}

/** Gives a point to the kernel; false when it is not on the curve. */
function readPoint(group: Group, index: number, bytes: Uint8Array, at: number): boolean {
  const { module, input } = kernel();
  if (!readElements(bytes, at, 2 * group.width)) return false;
  if (!group.isSecond) input.copyWithin(2 * FIELD, FIELD, 2 * FIELD); // the image's y, which sums of two do not use
  return module.read(index) !== 0;
}

/** Gives a point whose images are needed to the kernel; false when it is not on the curve. */
function readTerm(group: Group, index: number, bytes: Uint8Array, at: number): boolean {
  const y = bytes.subarray(at + WORD + PADDING, at + 2 * WORD);
  if (group.isSecond || isZero(y)) return readPoint(group, index, bytes, at);
  const { module, input } = kernel();
  if (!readElements(bytes, at, 2)) return false;
  // phi multiplies by -u^2, so the image of a point of G1 is negated.
  input.set(fixedBytes(MODULUS - bytesToBigint(y), FIELD), 2 * FIELD);
  return module.read(index) !== 0;
}

/** Copies elements of the field to the kernel's input; false when one is not below the modulus. */
function readElements(bytes: Uint8Array, at: number, count: number): boolean {
  const { input } = kernel();
  for (let i = 0; i < count; i++) {
    const start = at + i * WORD;
    const element = bytes.subarray(start + PADDING, start + WORD);
    if (!isZero(bytes.subarray(start, start + PADDING)) || Buffer.compare(element, MODULUS_BYTES) >= 0)
      return false;
    input.set(element, i * FIELD);
  }
  return true;
}

function writePoint(group: Group, isFinite: number): Uint8Array {
  const point = new Uint8Array(2 * group.width * WORD);
  if (isFinite === 0) return point;
  const { output } = kernel();
  for (let i = 0; i < 2 * group.width; i++) {
    point.set(output.subarray(i * FIELD, (i + 1) * FIELD), i * WORD + PADDING);
  }
  return point;
}
