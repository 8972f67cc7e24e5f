/**
 * Points of secp256k1, y^2 = x^3 + 7 (SEC 2 section 2.4.1), four side by side. The current point is
 * (X / Z^2, Y / Z^3); formulas are those of the Explicit-Formulas Database, "dbl-2009-l" and "madd-2004-hmv". Adding a
 * point to itself or to its opposite makes Z zero, and from then on it stays zero; only there are the formulas wrong.
 *
 * A table holds the odd multiples P, 3 P, 5 P and so on of a point: entries of ENTRY bytes with x, y and what its third
 * place is used for. While it is made its points are on another curve, on which 2 P is (x, y) with Z = 1, so each comes
 * from the one before by the shorter addition; Z is then the product of what the additions left in H.
 */
import {
  multiply,
  multiplyApart,
  multiplyBy,
  multiplyGapLess,
  multiplyLess,
  QUAD,
  square,
  squareBy,
  squareLess,
} from "./field";

/** Bytes of a table's entry. */
export const ENTRY: usize = 3 * QUAD;
export const X: usize = memory.data(QUAD, 16);
export const Y: usize = memory.data(QUAD, 16);
export const Z: usize = memory.data(QUAD, 16);
const H: usize = memory.data(QUAD, 16);
export const A: usize = memory.data(QUAD, 16);
export const B: usize = memory.data(QUAD, 16);
const C: usize = memory.data(QUAD, 16);
const D: usize = memory.data(QUAD, 16);
export const E: usize = memory.data(QUAD, 16);
const DX: usize = memory.data(QUAD, 16);
const DY: usize = memory.data(QUAD, 16);
const LAST_Z: usize = memory.data(QUAD, 16);
export const PICKED_X: usize = memory.data(QUAD, 16);
export const PICKED_Y: usize = memory.data(QUAD, 16);
export const ZERO: usize = memory.data(QUAD, 16);
export const ONE: usize = memory.data<f64>(
  [
    1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0,
  ],
  16,
);
const TWO: usize = memory.data<f64>([2.0, 2.0], 16);
const THREE: usize = memory.data<f64>([3.0, 3.0], 16);
const FOUR: usize = memory.data<f64>([4.0, 4.0], 16);
const EIGHT: usize = memory.data<f64>([8.0, 8.0], 16);

export function double(): void {
  multiplyBy(Z, Y, Z, TWO);
  squareBy(A, X, THREE);
  square(B, Y);
  multiplyBy(D, X, B, FOUR);
  squareBy(C, B, EIGHT);
  squareLess(X, A, ZERO, D);
  multiplyGapLess(Y, A, D, X, C);
}

export function addPoint(px: usize, py: usize): void {
  square(A, Z);
  multiplyLess(H, px, A, X);
  multiply(A, A, Z);
  multiplyLess(B, py, A, Y);
  multiply(Z, Z, H);
  square(A, H);
  multiply(C, A, X);
  multiply(A, A, H);
  squareLess(X, B, A, C);
  multiplyApart(Y, B, C, X, Y, A);
}

/** From the point (x, y) of the first entry. Leaves Z, whose inverse \`finishTable\` asks for. */
export function makeTable(table: usize, entries: i32): void {
  memory.copy(X, table, QUAD);
  memory.copy(Y, table + QUAD, QUAD);
  memory.copy(Z, ONE, QUAD);
  double();
  memory.copy(DX, X, QUAD);
  memory.copy(DY, Y, QUAD);
  memory.copy(LAST_Z, Z, QUAD);
  square(A, Z);
  multiply(X, table, A);
  multiply(A, A, Z);
  multiply(Y, table + QUAD, A);
  memory.copy(Z, ONE, QUAD);
  let at = table;
  for (let i = 1; i < entries; i++) {
    at += ENTRY;
    addPoint(DX, DY);
    memory.copy(at, X, QUAD);
    memory.copy(at + QUAD, Y, QUAD);
    memory.copy(at + 2 * QUAD, H, QUAD);
  }
  multiply(Z, Z, LAST_Z);
}

export function finishTable(table: usize, entries: i32, inverse: usize): void {
  memory.copy(E, inverse, QUAD);
  let at = table + usize(entries) * ENTRY;
  for (let i = 1; i < entries; i++) {
    at -= ENTRY;
    square(A, E);
    multiply(B, A, E);
    multiply(at, at, A);
    multiply(at + QUAD, at + QUAD, B);
    multiply(E, E, at + 2 * QUAD);
  }
}

/**
 * Picks two lanes of elements from two places, with their signs.
 * @unroll
 */
export function pick(to: usize, first: usize, second: usize, signs: v128): void {
  for (let i = 0; i < 6; i++) {
    const v = v128.load64_lane(second, v128.load64_zero(first, 16 * i), 1, 16 * i);
    v128.store(to, v128.xor(v, signs), 16 * i);
  }
}
