/**
 * Points of pairing-friendly curves and the lines through them. The first group is on y^2 = x^3 + b over Fp, the second
 * on a twist over Fp2. Multiples of a point of the twist are (X : Y : Z) with x = X / Z and y = Y / Z (Costello, Lange,
 * Naehrig: "Faster pairing computations on curves with high-degree twists"). A line through them has three coefficients:
 * LY and LX, which are multiples of y and x of the point of the first group that it is taken at, and LC; factors in Fp2
 * are of no account.
 */
import { B, ELEMENT, PSI_X, PSI_Y, TWIST_B, TWIST_B_3 } from "../constants";
import { add, conjugate, isZero, multiply, multiplyLanes, square, subtract, triple } from "../field/elements";
import { ZERO } from "./tower";

/**
 * A pair: x and y of both points, those of the first in both lanes, and a multiple of the second.
 */
export const PX: usize = 0;
export const PY: usize = ELEMENT;
export const QX: usize = 2 * ELEMENT;
export const QY: usize = 3 * ELEMENT;
export const X: usize = 4 * ELEMENT;
export const Y: usize = 5 * ELEMENT;
export const Z: usize = 6 * ELEMENT;
/** Bytes of a pair. */
export const PAIR: usize = 7 * ELEMENT;

export const LY: usize = memory.data(ELEMENT, 16);
export const LX: usize = memory.data(ELEMENT, 16);
export const LC: usize = memory.data(ELEMENT, 16);
const D: usize = memory.data(ELEMENT, 16);
const E: usize = memory.data(ELEMENT, 16);
const F: usize = memory.data(ELEMENT, 16);
const G: usize = memory.data(ELEMENT, 16);
const H: usize = memory.data(ELEMENT, 16);
const J: usize = memory.data(ELEMENT, 16);
const K: usize = memory.data(ELEMENT, 16);

export function isOnCurve(x: usize, y: usize): bool {
  multiplyLanes(D, x, x);
  multiplyLanes(D, D, x);
  add(D, D, B);
  multiplyLanes(E, y, y);
  return equal(D, E);
}

export function isOnTwist(x: usize, y: usize): bool {
  square(D, x);
  multiply(D, D, x);
  add(D, D, TWIST_B);
  square(E, y);
  return equal(D, E);
}

export function equal(a: usize, b: usize): bool {
  subtract(F, a, b);
  return isZero(F);
}

/** The endomorphism of the twist that is the p-th power behind it. */
export function endomorphism(rx: usize, ry: usize, x: usize, y: usize): void {
  conjugate(rx, x);
  multiply(rx, rx, PSI_X);
  conjugate(ry, y);
  multiply(ry, ry, PSI_Y);
}

/** The tangent, and twice the point; all three coordinates times four to spare halves. */
export function tangent(pair: usize): void {
  const x = pair + X;
  const y = pair + Y;
  const z = pair + Z;
  square(J, x);
  square(D, y);
  square(K, z);
  multiply(E, K, TWIST_B_3);
  add(H, y, z);
  square(H, H);
  subtract(H, H, D);
  subtract(H, H, K);
  add(G, x, y);
  square(G, G);
  subtract(G, G, J);
  subtract(G, G, D);
  subtract(LC, E, D);
  triple(F, E);
  subtract(K, D, F);
  multiply(x, G, K);
  add(G, D, F);
  square(G, G);
  square(E, E);
  triple(E, E);
  add(E, E, E);
  add(E, E, E);
  subtract(y, G, E);
  multiply(z, D, H);
  add(z, z, z);
  add(z, z, z);
  subtract(H, ZERO, H);
  multiplyLanes(LY, H, pair + PY);
  triple(J, J);
  multiplyLanes(LX, J, pair + PX);
}

/** The line to another point of the twist, whose z is 1, and the sum. z stays 0 once the two were equal or opposite. */
export function chord(pair: usize, qx: usize, qy: usize): void {
  const x = pair + X;
  const y = pair + Y;
  const z = pair + Z;
  multiply(G, qy, z);
  subtract(G, y, G);
  multiply(H, qx, z);
  subtract(H, x, H);
  multiply(LC, G, qx);
  multiply(D, H, qy);
  subtract(LC, LC, D);
  multiplyLanes(LY, H, pair + PY);
  subtract(D, ZERO, G);
  multiplyLanes(LX, D, pair + PX);
  square(D, H);
  multiply(E, D, H);
  square(F, G);
  multiply(F, F, z);
  multiply(D, D, x);
  add(J, E, F);
  subtract(J, J, D);
  subtract(J, J, D);
  multiply(x, H, J);
  subtract(D, D, J);
  multiply(D, D, G);
  multiply(y, y, E);
  subtract(y, D, y);
  multiply(z, z, E);
}
