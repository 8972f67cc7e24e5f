/**
 * Elements of the fields of BLS12-381 to points of its groups (RFC 9380, section 6.6.3 with the isogenies of appendix E,
 * section 7; cofactors by appendix G.3 and section 8.8.1), and the points with a given x.
 *
 * A square root over Fp is the power (p + 1) / 4. Over Fp2 the root of a + b i comes from d, the root of its norm: the
 * root's first part is the root of (a + d) / 2, or of (a - d) / 2, and both come from one power of the former. An element
 * without a root has one times Z; its norm times that of Z has the root d c, with c^2 = -5.
 */
import {
  FIRST_X_DENOMINATOR,
  FIRST_X_DENOMINATOR_COUNT,
  FIRST_X_NUMERATOR,
  FIRST_X_NUMERATOR_COUNT,
  FIRST_Y_DENOMINATOR,
  FIRST_Y_DENOMINATOR_COUNT,
  FIRST_Y_NUMERATOR,
  FIRST_Y_NUMERATOR_COUNT,
  SECOND_X_DENOMINATOR,
  SECOND_X_DENOMINATOR_COUNT,
  SECOND_X_NUMERATOR,
  SECOND_X_NUMERATOR_COUNT,
  SECOND_Y_DENOMINATOR,
  SECOND_Y_DENOMINATOR_COUNT,
  SECOND_Y_NUMERATOR,
  SECOND_Y_NUMERATOR_COUNT,
} from "../bls12-381-points/isogenies";
import {
  B,
  BOTH_ONE,
  ELEMENT,
  FIELD_BYTES,
  FIRST_A,
  FIRST_B,
  FIRST_ROOT,
  FIRST_Z,
  HALF,
  ONE,
  PARAMETER_DIGITS,
  PARAMETER_DIGITS_COUNT,
  ROOT_BITS,
  ROOT_EXPONENT,
  SECOND_A,
  SECOND_B,
  SECOND_ROOT,
  SECOND_Z,
} from "../constants";
import {
  add,
  addExchanged,
  conjugate,
  isZero,
  multiply,
  multiplyLanes,
  squareLanes,
  subtract,
} from "../field/elements";
import { invertFirst, isFirstOdd, writeFirst } from "../field/invert";
import { readPair } from "../field/read";
import {
  addPoints,
  doublePoint,
  endomorphism,
  INPUT,
  isTwist,
  OUTPUT,
  POINT,
  SUM,
  setInfinity,
  setSquare,
  TERM,
  times,
  write,
  Y,
  Z,
  ZERO,
} from "./sums";

const U: usize = memory.data(ELEMENT, 16);
const X: usize = memory.data(ELEMENT, 16);
const XN: usize = memory.data(ELEMENT, 16);
const XD: usize = memory.data(ELEMENT, 16);
const ZU: usize = memory.data(ELEMENT, 16);
const GN: usize = memory.data(ELEMENT, 16);
const GD: usize = memory.data(ELEMENT, 16);
const ROOT: usize = memory.data(ELEMENT, 16);
const S: usize = memory.data(ELEMENT, 16);
const S1: usize = memory.data(ELEMENT, 16);
const S2: usize = memory.data(ELEMENT, 16);
const S3: usize = memory.data(ELEMENT, 16);
const U2: usize = memory.data(ELEMENT, 16);
const POWERS: usize = memory.data(16 * ELEMENT, 16);
const BASE: usize = memory.data(3 * ELEMENT, 16);
const MULTIPLE: usize = memory.data(3 * ELEMENT, 16);

/** Maps the element at `input()`; false for infinity. */
export function map(): bool {
  if (isTwist) readPair(U, INPUT, INPUT + FIELD_BYTES);
  else readPair(U, INPUT, INPUT);
  mapToIsogenous();
  mapByIsogeny();
  if (isTwist) clearSecond();
  else clearFirst();
  return write(SUM);
}

/** Writes the y of a point of the first group's curve with the x at `input()`; false when there is none. */
export function lift(): bool {
  readPair(X, INPUT, INPUT);
  squareLanes(S, X);
  multiplyLanes(S, S, X);
  add(S, S, B);
  powerOfRoot(ROOT, S);
  multiplyLanes(ROOT, ROOT, S);
  squareLanes(S1, ROOT);
  subtract(S1, S1, S);
  if (!isZero(S1)) return false;
  writeFirst(OUTPUT, ROOT);
  return true;
}

/** A point (X, ROOT) of the curve that is isogenous to the group's. */
function mapToIsogenous(): void {
  const a = isTwist ? SECOND_A : FIRST_A;
  const b = isTwist ? SECOND_B : FIRST_B;
  const z = isTwist ? SECOND_Z : FIRST_Z;
  setSquare(ZU, U);
  times(ZU, ZU, z);
  setSquare(S, ZU);
  add(S, S, ZU);
  add(XN, S, isTwist ? ONE : BOTH_ONE);
  times(XN, XN, b);
  if (isZero(S)) memory.copy(XD, z, ELEMENT);
  else subtract(XD, ZERO, S);
  times(XD, XD, a);
  // The right side of the curve's equation is GN / GD.
  setSquare(S, XD);
  setSquare(GN, XN);
  times(GD, S, a);
  add(GN, GN, GD);
  times(GN, GN, XN);
  times(GD, S, XD);
  times(S, GD, b);
  add(GN, GN, S);
  invert(S3, XD);
  const isSquare = isTwist ? rootOfPair() : rootOfFraction();
  times(X, XN, S3);
  if (!isSquare) {
    times(X, X, ZU);
    times(ROOT, ROOT, ZU);
    times(ROOT, ROOT, U);
  }
  if (sign(U) !== sign(ROOT)) subtract(ROOT, ZERO, ROOT);
}

/** ROOT of GN / GD over Fp and true, or of Z GN / GD and false. */
function rootOfFraction(): bool {
  times(S, GN, GD);
  setSquare(S1, GD);
  times(S1, S1, S);
  powerOfRoot(ROOT, S1);
  times(ROOT, ROOT, S);
  setSquare(S1, ROOT);
  times(S1, S1, GD);
  subtract(S1, S1, GN);
  if (isZero(S1)) return true;
  times(ROOT, ROOT, FIRST_ROOT);
  return false;
}

/** The same over Fp2. GN GD has a root when GN / GD has one. */
function rootOfPair(): bool {
  multiply(S, GN, GD);
  norm(S1, S);
  powerOfRoot(S2, S1);
  multiplyLanes(S2, S2, S1);
  squareLanes(ROOT, S2);
  subtract(ROOT, ROOT, S1);
  const isSquare = isZero(ROOT);
  if (!isSquare) {
    multiply(S, S, SECOND_Z);
    multiplyLanes(S2, S2, SECOND_ROOT);
  }
  // S is a + b i in two lanes, S2 is d in both: S1 becomes (a + d) / 2 in both lanes.
  first(S1, S);
  add(S1, S1, S2);
  if (isZero(S1)) first(S1, S);
  else multiplyLanes(S1, S1, HALF);
  powerOfRoot(S2, S1);
  multiplyLanes(ROOT, S2, S1);
  squareLanes(U2, ROOT);
  subtract(U2, U2, S1);
  const isFirst = isZero(U2);
  // The other part is b / 2 times the power, with its sign turned when it is the first.
  second(U2, S);
  multiplyLanes(U2, U2, S2);
  multiplyLanes(U2, U2, HALF);
  if (isFirst) join(ROOT, ROOT, U2);
  else {
    subtract(U2, ZERO, U2);
    join(ROOT, U2, ROOT);
  }
  invert(S2, GD);
  multiply(ROOT, ROOT, S2);
  return isSquare;
}

/** a^2 + b^2, in both lanes. */
function norm(r: usize, a: usize): void {
  squareLanes(r, a);
  addExchanged(r, r, r);
}

function invert(r: usize, a: usize): void {
  if (isTwist) {
    norm(r, a);
    invertFirst(U2, r);
    conjugate(r, a);
    multiplyLanes(r, r, U2);
    return;
  }
  invertFirst(U2, a);
  memory.copy(r, U2, ELEMENT);
}

/** The first lane in both. */
function first(r: usize, a: usize): void {
  for (let at: usize = 0; at < usize(ELEMENT); at += 16) {
    const x = v128.load(a + at);
    v128.store(r + at, v128.shuffle<i32>(x, x, 0, 0, 2, 2));
  }
}

/** The second lane in both. */
function second(r: usize, a: usize): void {
  for (let at: usize = 0; at < usize(ELEMENT); at += 16) {
    const x = v128.load(a + at);
    v128.store(r + at, v128.shuffle<i32>(x, x, 1, 1, 3, 3));
  }
}

/** The first lane of one and the second of another. */
function join(r: usize, a: usize, b: usize): void {
  for (let at: usize = 0; at < usize(ELEMENT); at += 16) {
    v128.store(r + at, v128.shuffle<i32>(v128.load(a + at), v128.load(b + at), 0, 5, 2, 7));
  }
}

/** RFC 9380, section 4.1: the parity of the first part that is not zero. */
function sign(a: usize): bool {
  if (!isTwist) return isFirstOdd(a);
  first(S1, a);
  if (!isZero(S1)) return isFirstOdd(a);
  second(S1, a);
  return isFirstOdd(S1);
}

/** a^((p - 3) / 4) lane by lane, four bits of the exponent at a time. */
function powerOfRoot(r: usize, a: usize): void {
  memory.copy(POWERS + ELEMENT, a, ELEMENT);
  for (let i: usize = 2; i < 16; i++) {
    multiplyLanes(POWERS + i * ELEMENT, POWERS + (i - 1) * ELEMENT, a);
  }
  let at: i32 = (ROOT_BITS - 1) & ~3;
  memory.copy(U2, POWERS + usize(exponentDigit(at)) * ELEMENT, ELEMENT);
  for (at -= 4; at >= 0; at -= 4) {
    squareLanes(U2, U2);
    squareLanes(U2, U2);
    squareLanes(U2, U2);
    squareLanes(U2, U2);
    const digit = exponentDigit(at);
    if (digit !== 0) multiplyLanes(U2, U2, POWERS + usize(digit) * ELEMENT);
  }
  memory.copy(r, U2, ELEMENT);
}

function exponentDigit(at: i32): i32 {
  return i32((load<u64>(ROOT_EXPONENT + (usize(at >> 6) << 3)) >> u64(at & 63)) & 15);
}

/** (X, ROOT) to a point of the group's curve, BASE. */
function mapByIsogeny(): void {
  if (isTwist) {
    polynomial(XN, SECOND_X_NUMERATOR, SECOND_X_NUMERATOR_COUNT);
    polynomial(XD, SECOND_X_DENOMINATOR, SECOND_X_DENOMINATOR_COUNT);
    polynomial(GN, SECOND_Y_NUMERATOR, SECOND_Y_NUMERATOR_COUNT);
    polynomial(GD, SECOND_Y_DENOMINATOR, SECOND_Y_DENOMINATOR_COUNT);
  } else {
    polynomial(XN, FIRST_X_NUMERATOR, FIRST_X_NUMERATOR_COUNT);
    polynomial(XD, FIRST_X_DENOMINATOR, FIRST_X_DENOMINATOR_COUNT);
    polynomial(GN, FIRST_Y_NUMERATOR, FIRST_Y_NUMERATOR_COUNT);
    polynomial(GD, FIRST_Y_DENOMINATOR, FIRST_Y_DENOMINATOR_COUNT);
  }
  times(BASE, XN, GD);
  times(GN, GN, ROOT);
  times(BASE + Y, GN, XD);
  times(BASE + Z, XD, GD);
  if (isZero(BASE + Z)) setInfinity(BASE);
}

function polynomial(r: usize, coefficients: usize, count: i32): void {
  memory.copy(r, coefficients, ELEMENT);
  for (let i: usize = 1; i < usize(count); i++) {
    times(r, r, X);
    add(r, r, coefficients + i * ELEMENT);
  }
}

/** -u times a point. */
function multiplyByParameter(r: usize, p: usize): void {
  memory.copy(TERM, p, POINT);
  subtract(TERM + Y, ZERO, TERM + Y);
  memory.copy(r, p, POINT);
  for (let at = 0; at < PARAMETER_DIGITS_COUNT; at++) {
    doublePoint(r);
    const digit = i32(load<i8>(PARAMETER_DIGITS + usize(at)));
    if (digit > 0) addPoints(r, r, p);
    else if (digit < 0) addPoints(r, r, TERM);
  }
}

/** SUM becomes (1 - u) BASE. */
function clearFirst(): void {
  multiplyByParameter(MULTIPLE, BASE);
  addPoints(SUM, MULTIPLE, BASE);
}

/** SUM becomes -u Q - psi(Q) - BASE + psi(psi(2 BASE)) with Q = (1 - u) BASE. */
function clearSecond(): void {
  multiplyByParameter(MULTIPLE, BASE);
  addPoints(MULTIPLE, MULTIPLE, BASE);
  multiplyByParameter(SUM, MULTIPLE);
  endomorphism(TERM, MULTIPLE);
  addPoints(TERM, TERM, BASE);
  subtract(TERM + Y, ZERO, TERM + Y);
  addPoints(SUM, SUM, TERM);
  doublePoint(BASE);
  endomorphism(TERM, BASE);
  endomorphism(TERM, TERM);
  addPoints(SUM, SUM, TERM);
}
