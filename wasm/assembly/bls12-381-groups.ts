/**
 * The question whether points of BLS12-381's curves, y^2 = x^3 + 4 over Fp and its twist y^2 = x^3 + 4 (1 + i) over Fp2,
 * are in the groups of prime order (EIP-2537).
 *
 * With u the curve's parameter, points of the first group, and no others, have phi(P) = -u^2 P for phi(x, y) = (b x, y)
 * with a cube root b of one; those of the second have psi(Q) = u Q for psi, the p-th power behind the twist (Scott: "A
 * note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves"). phi + u^2 is a map of degree
 * u^4 - u^2 + 1, which is the groups' order; psi - u is one of degree p - u, whose greatest common divisor with the
 * number of points of the twist is that order. test/node/crypto/bls-order.test.ts does the sums.
 *
 * R is above 2,500 moduli here: values whose product is below 35 squared moduli come to one between -1 and 3 moduli.
 *
 * `input()` is the address of four coordinates of 48 bytes, big-endian; `areInFirst()` is asked for two points of the
 * first curve, both x before both y; `isInSecond()` for one of the twist, real parts first. Points are on their curve and
 * not infinity.
 */
import {
  BOTH_ONE,
  CUBE_ROOT,
  ELEMENT,
  FIELD_BYTES,
  FIRST_DIGITS,
  FIRST_DIGITS_COUNT,
  ONE,
  PSI_X,
  PSI_Y,
  SECOND_DIGITS,
  SECOND_DIGITS_COUNT,
} from "./bls12-381-groups/constants";
import {
  add,
  conjugate,
  isZero,
  multiply,
  multiplyLanes,
  square,
  squareLanes,
  subtract,
  triple,
  zeroLanes,
} from "./field/elements";
import { readPair } from "./field/read";

const PX: usize = memory.data(ELEMENT, 16);
const PY: usize = memory.data(ELEMENT, 16);
const OPPOSITE: usize = memory.data(ELEMENT, 16);
const X: usize = memory.data(ELEMENT, 16);
const Y: usize = memory.data(ELEMENT, 16);
const Z: usize = memory.data(ELEMENT, 16);
const A: usize = memory.data(ELEMENT, 16);
const B: usize = memory.data(ELEMENT, 16);
const C: usize = memory.data(ELEMENT, 16);
const D: usize = memory.data(ELEMENT, 16);
const E: usize = memory.data(ELEMENT, 16);
const ZERO: usize = memory.data(ELEMENT, 16);
const INPUT: usize = memory.data(4 * FIELD_BYTES, 16);

/** True for a point of the twist, whose coordinates are in Fp2; false for two points of the curve, lane by lane. */
let isTwist: bool = false;

export function input(): usize {
  return INPUT;
}

export function areInFirst(): bool {
  isTwist = false;
  read();
  multiplyPoint(FIRST_DIGITS, FIRST_DIGITS_COUNT);
  multiplyLanes(D, PX, CUBE_ROOT);
  return zeroLanes(Z) === 0 && isAt(D, OPPOSITE);
}

export function isInSecond(): bool {
  isTwist = true;
  read();
  multiplyPoint(SECOND_DIGITS, SECOND_DIGITS_COUNT);
  conjugate(D, PX);
  times(D, D, PSI_X);
  conjugate(E, OPPOSITE);
  times(E, E, PSI_Y);
  return !isZero(Z) && isAt(D, E);
}

function read(): void {
  readPair(PX, INPUT, INPUT + FIELD_BYTES);
  readPair(PY, INPUT + 2 * FIELD_BYTES, INPUT + 3 * FIELD_BYTES);
  subtract(OPPOSITE, ZERO, PY);
}

function times(r: usize, a: usize, b: usize): void {
  if (isTwist) multiply(r, a, b);
  else multiplyLanes(r, a, b);
}

function setSquare(r: usize, a: usize): void {
  if (isTwist) square(r, a);
  else squareLanes(r, a);
}

/** A multiple of P, the point (X / Z^2, Y / Z^3). Z stays 0 once P was added to itself or to its opposite. */
function multiplyPoint(digits: usize, count: i32): void {
  memory.copy(X, PX, ELEMENT);
  memory.copy(Y, PY, ELEMENT);
  memory.copy(Z, isTwist ? ONE : BOTH_ONE, ELEMENT);
  for (let at = 0; at < count; at++) {
    doublePoint();
    const digit = i32(load<i8>(digits + usize(at)));
    if (digit !== 0) addPoint(digit > 0 ? PY : OPPOSITE);
  }
}

/** Reports whether X equals that of `x` and Y that of `y`, as far as Z is not zero. */
function isAt(x: usize, y: usize): bool {
  setSquare(A, Z);
  times(B, x, A);
  subtract(B, B, X);
  times(A, A, Z);
  times(A, A, y);
  subtract(A, A, Y);
  return isZero(A) && isZero(B);
}

function doublePoint(): void {
  times(Z, Y, Z);
  add(Z, Z, Z);
  setSquare(A, X);
  setSquare(B, Y);
  setSquare(C, B);
  add(D, X, B);
  setSquare(D, D);
  subtract(D, D, A);
  subtract(D, D, C);
  add(D, D, D);
  triple(E, A);
  setSquare(X, E);
  subtract(X, X, D);
  subtract(X, X, D);
  subtract(D, D, X);
  times(Y, E, D);
  add(C, C, C);
  add(C, C, C);
  add(C, C, C);
  subtract(Y, Y, C);
}

function addPoint(py: usize): void {
  setSquare(A, Z);
  times(B, PX, A);
  subtract(B, B, X);
  times(A, A, Z);
  times(C, py, A);
  subtract(C, C, Y);
  times(Z, Z, B);
  setSquare(D, B);
  times(E, D, B);
  times(D, D, X);
  times(Y, Y, E);
  setSquare(X, C);
  subtract(X, X, E);
  subtract(X, X, D);
  subtract(X, X, D);
  subtract(D, D, X);
  times(D, D, C);
  subtract(Y, D, Y);
}
