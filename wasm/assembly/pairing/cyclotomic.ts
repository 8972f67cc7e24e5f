/**
 * The cyclotomic subgroup of a pairing's field, where an inverse is a conjugate and squares are Granger's and Scott's
 * ("Faster squaring in the cyclotomic subgroup of sixth degree extensions"): with s = w^3 and a = A + B w + C w^2 over
 * Fp4 = Fp2(s), the square is 3 A^2 - 2 A', 3 s C^2 + 2 B', 3 B^2 - 2 C', with ' for s = -s.
 */
import { BOTH_ONE, FIRST_POWER_DIGIT, ONE, POWER_DIGITS, POWER_DIGITS_COUNT } from "../constants";
import { timesXi } from "../curve";
import { add, addTwice, isZero, multiplyLanes, square, subtract } from "../field/elements";
import {
  conjugate12,
  FP2,
  FP12,
  frobenius12,
  invert12,
  LOW,
  multiply12,
  S0,
  S1,
  TOP,
  V0,
  V1,
  W0,
  W1,
  W2,
  W3,
  W4,
  W5,
} from "./tower";

const SQUARE_0: usize = memory.data(FP2, 16);
const SQUARE_1: usize = memory.data(FP2, 16);

/** (x + y s)^2 to SQUARE_0 + SQUARE_1 s. */
export function square4(x: usize, y: usize): void {
  square(V0, x);
  square(V1, y);
  add(S0, x, y);
  square(S0, S0);
  add(S1, V0, V1);
  subtract(SQUARE_1, S0, S1);
  timesXi(V1, V1);
  add(SQUARE_0, V0, V1);
}

/** 3 a - 2 b. */
export function thriceLessTwice(r: usize, a: usize, b: usize): void {
  subtract(r, a, b);
  addTwice(r, a, r);
}

/** 3 a + 2 b. */
export function thriceAndTwice(r: usize, a: usize, b: usize): void {
  add(r, a, b);
  addTwice(r, a, r);
}

/** The square of an element whose (p^6 + 1)-th and (p^4 - p^2 + 1)-th powers are 1. */
export function squareCyclotomic(r: usize, a: usize): void {
  square4(a + W0, a + W3);
  thriceLessTwice(r + W0, SQUARE_0, a + W0);
  thriceAndTwice(r + W3, SQUARE_1, a + W3);
  square4(a + W1, a + W4);
  memory.copy(LOW, SQUARE_0, FP2);
  memory.copy(TOP, SQUARE_1, FP2);
  square4(a + W2, a + W5);
  timesXi(SQUARE_1, SQUARE_1);
  thriceAndTwice(r + W1, SQUARE_1, a + W1);
  thriceLessTwice(r + W4, SQUARE_0, a + W4);
  thriceLessTwice(r + W2, LOW, a + W2);
  thriceAndTwice(r + W5, TOP, a + W5);
}

const POWERS: usize = memory.data(4 * FP12, 16);
const SPARE: usize = memory.data(FP12, 16);

/** Products with one are small again. */
export function settle12(r: usize): void {
  for (let at: usize = 0; at < FP12; at += FP2) multiplyLanes(r + at, r + at, BOTH_ONE);
}

/** a to the power of the curve's parameter without its sign, by odd digits of four bits. */
export function powerOfParameter(r: usize, a: usize): void {
  memory.copy(POWERS, a, FP12);
  settle12(POWERS);
  squareCyclotomic(SPARE, POWERS);
  for (let i: usize = 1; i < 4; i++) multiply12(POWERS + i * FP12, POWERS + (i - 1) * FP12, SPARE);
  memory.copy(r, POWERS + (FIRST_POWER_DIGIT >> 1) * FP12, FP12);
  for (let at = 0; at < POWER_DIGITS_COUNT; at++) {
    squareCyclotomic(r, r);
    const digit = i32(load<i8>(POWER_DIGITS + usize(at)));
    if (digit > 0) multiply12(r, r, POWERS + usize(digit >> 1) * FP12);
    if (digit < 0) {
      conjugate12(SPARE, POWERS + usize(-digit >> 1) * FP12);
      multiply12(r, r, SPARE);
    }
    if ((at & 7) === 7) settle12(r);
  }
}

/** a^((p^6 - 1)(p^2 + 1)), which is in the subgroup. */
export function enterSubgroup(r: usize, a: usize): void {
  conjugate12(r, a);
  invert12(SPARE, a);
  multiply12(r, r, SPARE);
  frobenius12(SPARE, r);
  frobenius12(SPARE, SPARE);
  multiply12(r, r, SPARE);
}

/** Compares with one; spoils the element. */
export function isOne12(a: usize): bool {
  subtract(a, a, ONE);
  for (let at: usize = 0; at < FP12; at += FP2) if (!isZero(a + at)) return false;
  return true;
}
