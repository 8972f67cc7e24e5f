/**
 * Inverses and square roots in secp256k1's field, powers of p - 2 and (p + 1) / 4. In base two both begin with 223 ones,
 * which are put together from shorter rows of ones (Fermat's little theorem; Lagrange's root for p = 3 modulo 4).
 */
import { multiply, QUAD, square, squareTimes } from "./field";

/** Elements of four that `invertAll` takes. */
export const MAX_QUADS = 16;
const ONES_2: usize = memory.data(QUAD, 16);
const ONES_3: usize = memory.data(QUAD, 16);
const ONES_6: usize = memory.data(QUAD, 16);
const ONES_9: usize = memory.data(QUAD, 16);
const ONES_11: usize = memory.data(QUAD, 16);
const ONES_22: usize = memory.data(QUAD, 16);
const ONES_44: usize = memory.data(QUAD, 16);
const ONES_88: usize = memory.data(QUAD, 16);
const ONES_176: usize = memory.data(QUAD, 16);
const ONES_220: usize = memory.data(QUAD, 16);
const ONES_223: usize = memory.data(QUAD, 16);
const TAIL: usize = memory.data(QUAD, 16);
const PRODUCTS: usize = memory.data(MAX_QUADS * QUAD, 16);
const INVERSE: usize = memory.data(QUAD, 16);
const OWN: usize = memory.data(QUAD, 16);

/** The 223 ones, a zero and 22 ones, with which both powers begin. */
function beginPower(a: usize): void {
  squareTimes(ONES_2, a, 1, a);
  squareTimes(ONES_3, ONES_2, 1, a);
  squareTimes(ONES_6, ONES_3, 3, ONES_3);
  squareTimes(ONES_9, ONES_6, 3, ONES_3);
  squareTimes(ONES_11, ONES_9, 2, ONES_2);
  squareTimes(ONES_22, ONES_11, 11, ONES_11);
  squareTimes(ONES_44, ONES_22, 22, ONES_22);
  squareTimes(ONES_88, ONES_44, 44, ONES_44);
  squareTimes(ONES_176, ONES_88, 88, ONES_88);
  squareTimes(ONES_220, ONES_176, 44, ONES_44);
  squareTimes(ONES_223, ONES_220, 3, ONES_3);
  squareTimes(TAIL, ONES_223, 23, ONES_22);
}

export function invert(r: usize, a: usize): void {
  beginPower(a);
  squareTimes(TAIL, TAIL, 5, a);
  squareTimes(TAIL, TAIL, 3, ONES_2);
  squareTimes(r, TAIL, 2, a);
}

/** A square root of whatever has one; anything for others. */
export function root(r: usize, a: usize): void {
  beginPower(a);
  squareTimes(TAIL, TAIL, 6, ONES_2);
  square(TAIL, TAIL);
  square(r, TAIL);
}

/** One inverse for all: that of the product, from which the products before each element give its own. */
export function invertAll(first: usize, stride: usize, count: i32): void {
  memory.copy(PRODUCTS, first, QUAD);
  for (let i = 1; i < count; i++) {
    const before = PRODUCTS + usize(i - 1) * QUAD;
    multiply(before + QUAD, before, first + usize(i) * stride);
  }
  invert(INVERSE, PRODUCTS + usize(count - 1) * QUAD);
  for (let i = count - 1; i > 0; i--) {
    const at = first + usize(i) * stride;
    multiply(OWN, INVERSE, PRODUCTS + usize(i - 1) * QUAD);
    multiply(INVERSE, INVERSE, at);
    memory.copy(at, OWN, QUAD);
  }
  memory.copy(first, INVERSE, QUAD);
}
