/**
 * The field of a pairing, a tower of extensions: Fp2 = Fp(i), Fp6 = Fp2(v) and Fp12 = Fp6(w) with i^2 = -1, v^3 = xi and
 * w^2 = v. Products are Karatsuba's at every storey (Devegili, O hEigeartaigh, Scott, Dahab: "Multiplication and
 * squaring on pairing-friendly fields"). All functions take addresses.
 *
 * An element of Fp6 is the coefficients of 1, v, v^2; one of Fp12 those of 1, v, v^2, w, vw, v^2 w, which are w to the
 * powers 0, 2, 4, 1, 3, 5.
 *
 * Nothing grows out of hand, though nothing is reduced but products: R is above 2^36 moduli, so products of values whose
 * own product is below 2^35 squared moduli are between -1 and 3 moduli. Sums take those of Fp6 to 73 and those of Fp12 to
 * 219; a cyclotomic square takes a to 2 a + 99, and at most eight follow one another before they are settled.
 */
import {
  ELEMENT,
  FROBENIUS_0,
  FROBENIUS_1,
  FROBENIUS_2,
  FROBENIUS_3,
  FROBENIUS_4,
  FROBENIUS_5,
  INVERSE_BITS,
  INVERSE_EXPONENT,
} from "../constants";
import { timesXi } from "../curve";
import { add, addExchanged, conjugate, multiply, multiplyLanes, square, subtract } from "../field/elements";

/** Bytes of elements. */
export const FP2: usize = ELEMENT;
export const FP6: usize = 3 * FP2;
export const FP12: usize = 6 * FP2;
/** Offsets of the coefficients of the powers of w. */
export const W0: usize = 0;
export const W1: usize = 3 * FP2;
export const W2: usize = FP2;
export const W3: usize = 4 * FP2;
export const W4: usize = 2 * FP2;
export const W5: usize = 5 * FP2;

export const ZERO: usize = memory.data(FP12, 16);
const NORM: usize = memory.data(FP2, 16);
const POWER: usize = memory.data(FP2, 16);
/** 1 / (a + b i) is (a - b i) / (a^2 + b^2), and 1 / x is x^(p - 2): 0 for 0. */
export function invert(r: usize, a: usize): void {
  multiplyLanes(POWER, a, a);
  addExchanged(NORM, POWER, POWER);
  memory.copy(POWER, NORM, FP2);
  for (let bit = INVERSE_BITS - 2; bit >= 0; bit--) {
    multiplyLanes(POWER, POWER, POWER);
    if (((load<u64>(INVERSE_EXPONENT + ((bit >> 6) << 3)) >> (bit & 63)) & 1) !== 0)
      multiplyLanes(POWER, POWER, NORM);
  }
  conjugate(r, a);
  multiplyLanes(r, r, POWER);
}
export const V0: usize = memory.data(FP2, 16);
export const V1: usize = memory.data(FP2, 16);
export const V2: usize = memory.data(FP2, 16);
export const S0: usize = memory.data(FP2, 16);
export const S1: usize = memory.data(FP2, 16);
export const S2: usize = memory.data(FP2, 16);
const SUM: usize = memory.data(FP2, 16);

export function add6(r: usize, a: usize, b: usize): void {
  add(r, a, b);
  add(r + FP2, a + FP2, b + FP2);
  add(r + 2 * FP2, a + 2 * FP2, b + 2 * FP2);
}
export function subtract6(r: usize, a: usize, b: usize): void {
  subtract(r, a, b);
  subtract(r + FP2, a + FP2, b + FP2);
  subtract(r + 2 * FP2, a + 2 * FP2, b + 2 * FP2);
}

/** (a + b)(c + d) - e - f. */
export function setCrossTerm(r: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize): void {
  add(r, a, b);
  add(SUM, c, d);
  multiply(r, r, SUM);
  subtract(r, r, e);
  subtract(r, r, f);
}

export function multiply6(r: usize, a: usize, b: usize): void {
  multiply(V0, a, b);
  multiply(V1, a + FP2, b + FP2);
  multiply(V2, a + 2 * FP2, b + 2 * FP2);
  setCrossTerm(S0, a + FP2, a + 2 * FP2, b + FP2, b + 2 * FP2, V1, V2);
  setCrossTerm(S1, a, a + FP2, b, b + FP2, V0, V1);
  setCrossTerm(S2, a, a + 2 * FP2, b, b + 2 * FP2, V0, V2);
  timesXi(S0, S0);
  add(r, V0, S0);
  timesXi(V2, V2);
  add(r + FP2, S1, V2);
  add(r + 2 * FP2, S2, V1);
}

/** a times v. */
export function timesV(r: usize, a: usize): void {
  timesXi(SUM, a + 2 * FP2);
  memory.copy(r + FP2, a, 2 * FP2);
  memory.copy(r, SUM, FP2);
}

export function invert6(r: usize, a: usize): void {
  const a1 = a + FP2;
  const a2 = a + 2 * FP2;
  square(V0, a);
  multiply(S0, a1, a2);
  timesXi(S0, S0);
  subtract(V0, V0, S0);
  square(V1, a2);
  timesXi(V1, V1);
  multiply(S1, a, a1);
  subtract(V1, V1, S1);
  square(V2, a1);
  multiply(S2, a, a2);
  subtract(V2, V2, S2);
  multiply(S0, a, V0);
  multiply(S1, a2, V1);
  multiply(S2, a1, V2);
  add(S1, S1, S2);
  timesXi(S1, S1);
  add(S0, S0, S1);
  invert(S0, S0);
  multiply(r, V0, S0);
  multiply(r + FP2, V1, S0);
  multiply(r + 2 * FP2, V2, S0);
}

export function multiply6By2(r: usize, a: usize, b0: usize, b1: usize): void {
  multiply(V0, a, b0);
  multiply(V1, a + FP2, b1);
  setCrossTerm(S1, a, a + FP2, b0, b1, V0, V1);
  add(S0, a + FP2, a + 2 * FP2);
  multiply(S0, S0, b1);
  subtract(S0, S0, V1);
  timesXi(S0, S0);
  add(S2, a, a + 2 * FP2);
  multiply(S2, S2, b0);
  subtract(S2, S2, V0);
  add(r, V0, S0);
  memory.copy(r + FP2, S1, FP2);
  add(r + 2 * FP2, S2, V1);
}

export function multiply6By1(r: usize, a: usize, b: usize): void {
  multiply(r, a, b);
  multiply(r + FP2, a + FP2, b);
  multiply(r + 2 * FP2, a + 2 * FP2, b);
}

export const LOW: usize = memory.data(FP6, 16);
export const TOP: usize = memory.data(FP6, 16);
export const MIXED: usize = memory.data(FP6, 16);
export const OTHER: usize = memory.data(FP6, 16);

export function multiply12(r: usize, a: usize, b: usize): void {
  add6(MIXED, a, a + FP6);
  add6(OTHER, b, b + FP6);
  multiply6(MIXED, MIXED, OTHER);
  multiply6(LOW, a, b);
  multiply6(TOP, a + FP6, b + FP6);
  gather12(r);
}

/** LOW + v TOP, and (MIXED - LOW - TOP) w. */
export function gather12(r: usize): void {
  subtract6(MIXED, MIXED, LOW);
  subtract6(r + FP6, MIXED, TOP);
  timesV(TOP, TOP);
  add6(r, LOW, TOP);
}

export function square12(r: usize, a: usize): void {
  timesV(OTHER, a + FP6);
  add6(OTHER, OTHER, a);
  add6(MIXED, a, a + FP6);
  multiply6(TOP, a, a + FP6);
  multiply6(MIXED, MIXED, OTHER);
  subtract6(MIXED, MIXED, TOP);
  add6(r + FP6, TOP, TOP);
  timesV(TOP, TOP);
  subtract6(r, MIXED, TOP);
}

export function conjugate12(r: usize, a: usize): void {
  memory.copy(r, a, FP6);
  subtract6(r + FP6, ZERO, a + FP6);
}

/** a^p. */
export function frobenius12(r: usize, a: usize): void {
  conjugate(r + W0, a + W0);
  multiply(r + W0, r + W0, FROBENIUS_0);
  conjugate(r + W1, a + W1);
  multiply(r + W1, r + W1, FROBENIUS_1);
  conjugate(r + W2, a + W2);
  multiply(r + W2, r + W2, FROBENIUS_2);
  conjugate(r + W3, a + W3);
  multiply(r + W3, r + W3, FROBENIUS_3);
  conjugate(r + W4, a + W4);
  multiply(r + W4, r + W4, FROBENIUS_4);
  conjugate(r + W5, a + W5);
  multiply(r + W5, r + W5, FROBENIUS_5);
}

export function invert12(r: usize, a: usize): void {
  multiply6(LOW, a, a);
  multiply6(TOP, a + FP6, a + FP6);
  timesV(TOP, TOP);
  subtract6(LOW, LOW, TOP);
  invert6(LOW, LOW);
  conjugate12(r, a);
  multiply6(r, r, LOW);
  multiply6(r + FP6, r + FP6, LOW);
}
