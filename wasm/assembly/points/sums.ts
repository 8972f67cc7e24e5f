/**
 * Sums and products of points of y^2 = x^3 + b, over Fp in the first group and over Fp2 in the second.
 *
 * Points are (X : Y : Z) with x = X / Z and y = Y / Z, so that one formula adds all of them, infinity included (Renes,
 * Costello, Batina: "Complete addition formulas for prime order elliptic curves", algorithms 7 and 9). The formulas need a
 * group without a point of order two: the curves' numbers of points are odd, their cofactors included.
 *
 * A product is the sum of products with short factors, of a point and its images under an endomorphism of the curve
 * (Gallant, Lambert, Vanstone; Galbraith, Lin, Scott). Whoever calls splits the factor, four bits a digit. In the first
 * group the lanes hold a point and its one image, in the second the images follow one another. All points of a sum share
 * their doublings (Straus).
 *
 * R is above 2,500 moduli: a product of a and b is between -1 and 3 moduli and a b / R more. The largest one, in a doubling
 * over Fp2, is below 33,000 squared moduli, so coordinates stay within 20 moduli.
 *
 * `input()` is the address of coordinates: x and y, and in the first group the image's y; real parts first. `digits()` is
 * the address of the digits, the highest first, those of a point's images after its own. `output()` is the address of x, y.
 */
import {
  B,
  BOTH_ONE,
  CUBE_ROOT_SECOND,
  DIGITS_FIRST,
  DIGITS_SECOND,
  ELEMENT,
  FIELD_BYTES,
  IS_B_3,
  MAX_POINTS,
  ONE,
  PSI_X,
  PSI_Y,
  TWIST_B,
} from "../constants";
import {
  add,
  addExchanged,
  addTimesRoot,
  conjugate,
  isZero,
  multiply,
  multiplyLanes,
  square,
  squareLanes,
  subtract,
  triple,
  zeroLanes,
} from "../field/elements";
import { invertFirst, writeFirst } from "../field/invert";
import { isZeroAt, readPair } from "../field/read";

const IMAGES = 4;
const MAX_DIGITS = 33;
export const POINT: usize = 3 * ELEMENT;
export const Y: usize = ELEMENT;
export const Z: usize = 2 * ELEMENT;
const TABLE: usize = 16 * POINT;

export const INPUT: usize = memory.data(8 * FIELD_BYTES, 16);
export const OUTPUT: usize = memory.data(4 * FIELD_BYTES, 16);
const DIGITS: usize = memory.data(MAX_POINTS * IMAGES * MAX_DIGITS, 16);
const TABLES: usize = memory.data(MAX_POINTS * IMAGES * 48 * ELEMENT, 16);
export const SUM: usize = memory.data(3 * ELEMENT, 16);
export const TERM: usize = memory.data(3 * ELEMENT, 16);
export const ZERO: usize = memory.data(ELEMENT, 16);
export const T0: usize = memory.data(ELEMENT, 16);
export const T1: usize = memory.data(ELEMENT, 16);
const T2: usize = memory.data(ELEMENT, 16);
const T3: usize = memory.data(ELEMENT, 16);
const T4: usize = memory.data(ELEMENT, 16);
const X3: usize = memory.data(ELEMENT, 16);
const Y3: usize = memory.data(ELEMENT, 16);

export let isTwist: bool = false;

export function input(): usize {
  return INPUT;
}

export function digits(): usize {
  return DIGITS;
}

export function output(): usize {
  return OUTPUT;
}

/** Chooses the group of what follows. */
export function choose(second: bool): void {
  isTwist = second;
}

/** Reads a point; false unless it is on the curve. */
export function read(index: i32): bool {
  const point = tableOf(index) + POINT;
  if (isZeroAt(INPUT, (isTwist ? 4 : 2) * FIELD_BYTES)) {
    setInfinity(point);
    return true;
  }
  if (isTwist) {
    readPair(point, INPUT, INPUT + FIELD_BYTES);
    readPair(point + Y, INPUT + 2 * FIELD_BYTES, INPUT + 3 * FIELD_BYTES);
  } else {
    readPair(point, INPUT, INPUT);
    readPair(point + Y, INPUT + FIELD_BYTES, INPUT + 2 * FIELD_BYTES);
  }
  memory.copy(point + Z, isTwist ? ONE : BOTH_ONE, ELEMENT);
  setSquare(T0, point);
  times(T0, T0, point);
  add(T0, T0, isTwist ? TWIST_B : B);
  setSquare(T1, point + Y);
  subtract(T0, T0, T1);
  return isZero(T0);
}

/** Adds the first two points that were read; false for infinity. */
export function sumOfTwo(): bool {
  addPoints(SUM, tableOf(0) + POINT, tableOf(1) + POINT);
  return write(SUM);
}

/** Adds as many points times their digits; false for infinity. */
export function sumOfProducts(count: i32): bool {
  const length = isTwist ? DIGITS_SECOND : DIGITS_FIRST;
  for (let i = 0; i < count; i++) fillTable(i);
  setInfinity(SUM);
  for (let at = 0; at < length; at++) {
    if (at > 0) for (let i = 0; i < 4; i++) doublePoint(SUM);
    for (let i = 0; i < count; i++) addDigits(i, at, length);
  }
  if (!isTwist) {
    exchange(TERM, SUM);
    addPoints(SUM, SUM, TERM);
  }
  return write(SUM);
}

function tableOf(index: i32): usize {
  return TABLES + usize(index * (isTwist ? IMAGES : 1)) * TABLE;
}

/**
 * Multiples 0 to 15 of a point that was read, and of its images: in the second group the opposite of the endomorphism,
 * which multiplies by -u for BLS12-381's parameter u.
 */
function fillTable(index: i32): void {
  const table = tableOf(index);
  if (!isTwist) multiplyLanes(table + POINT, table + POINT, CUBE_ROOT_SECOND);
  setInfinity(table);
  for (let i: usize = 2; i < 16; i += 2) {
    const multiple = table + i * POINT;
    memory.copy(multiple, table + (i >> 1) * POINT, POINT);
    doublePoint(multiple);
    addPoints(multiple + POINT, multiple, table + POINT);
  }
  if (!isTwist) return;
  for (let image: usize = 1; image < usize(IMAGES); image++) {
    const from = table + (image - 1) * TABLE;
    const to = table + image * TABLE;
    for (let i: usize = 0; i < 16; i++) {
      endomorphism(to + i * POINT, from + i * POINT);
      subtract(to + i * POINT + Y, ZERO, to + i * POINT + Y);
    }
  }
}

/** The p-th power behind the twist. */
export function endomorphism(r: usize, p: usize): void {
  conjugate(T0, p);
  multiply(r, T0, PSI_X);
  conjugate(T0, p + Y);
  multiply(r + Y, T0, PSI_Y);
  conjugate(r + Z, p + Z);
}

function addDigits(index: i32, at: i32, length: i32): void {
  const table = tableOf(index);
  if (isTwist) {
    for (let image: usize = 0; image < usize(IMAGES); image++) {
      const digit = usize(
        load<u8>(DIGITS + (usize(index) * usize(IMAGES) + image) * usize(length) + usize(at)),
      );
      if (digit !== 0) addPoints(SUM, SUM, table + image * TABLE + digit * POINT);
    }
    return;
  }
  const place = DIGITS + usize(2 * index * length + at);
  const first = usize(load<u8>(place));
  const second = usize(load<u8>(place + usize(length)));
  if ((first | second) === 0) return;
  mix(TERM, table + first * POINT, table + second * POINT);
  addPoints(SUM, SUM, TERM);
}

/** The first lane of one point and the second of another. */
function mix(r: usize, first: usize, second: usize): void {
  for (let at: usize = 0; at < POINT; at += 16) {
    v128.store(r + at, v128.shuffle<i32>(v128.load(first + at), v128.load(second + at), 0, 5, 2, 7));
  }
}

function exchange(r: usize, p: usize): void {
  for (let at: usize = 0; at < POINT; at += usize(ELEMENT)) addExchanged(r + at, ZERO, p + at);
}

export function setInfinity(p: usize): void {
  memory.fill(p, 0, POINT);
  memory.copy(p + Y, isTwist ? ONE : BOTH_ONE, ELEMENT);
}

/** Writes x and y; false for infinity. */
export function write(p: usize): bool {
  if (isTwist) {
    if (isZero(p + Z)) return false;
    multiplyLanes(T0, p + Z, p + Z);
    addExchanged(T0, T0, T0);
    invertFirst(T1, T0);
    conjugate(T0, p + Z);
    multiplyLanes(T1, T1, T0);
    writeCoordinate(OUTPUT, p, T1);
    writeCoordinate(OUTPUT + 2 * FIELD_BYTES, p + Y, T1);
    return true;
  }
  if ((zeroLanes(p + Z) & 1) !== 0) return false;
  invertFirst(T1, p + Z);
  multiplyLanes(T0, p, T1);
  writeFirst(OUTPUT, T0);
  multiplyLanes(T0, p + Y, T1);
  writeFirst(OUTPUT + FIELD_BYTES, T0);
  return true;
}

function writeCoordinate(to: usize, coordinate: usize, inverse: usize): void {
  multiply(T0, coordinate, inverse);
  writeFirst(to, T0);
  addExchanged(T0, ZERO, T0);
  writeFirst(to + FIELD_BYTES, T0);
}

export function times(r: usize, a: usize, b: usize): void {
  if (isTwist) multiply(r, a, b);
  else multiplyLanes(r, a, b);
}

export function setSquare(r: usize, a: usize): void {
  if (isTwist) square(r, a);
  else squareLanes(r, a);
}

/** Multiplies by 3 b. */
function timesThreeB(r: usize, a: usize): void {
  triple(r, a);
  if (IS_B_3) {
    triple(r, r);
    return;
  }
  add(r, r, r);
  add(r, r, r);
  if (isTwist) addTimesRoot(r, r, r);
}

/** The result may be where an operand is. */
export function addPoints(r: usize, p: usize, q: usize): void {
  add(T3, p, p + Y);
  add(T4, q, q + Y);
  times(T3, T3, T4);
  add(T4, p + Y, p + Z);
  add(X3, q + Y, q + Z);
  times(T4, T4, X3);
  add(X3, p, p + Z);
  add(Y3, q, q + Z);
  times(Y3, X3, Y3);
  times(T0, p, q);
  times(T1, p + Y, q + Y);
  times(T2, p + Z, q + Z);
  subtract(T3, T3, T0);
  subtract(T3, T3, T1);
  subtract(T4, T4, T1);
  subtract(T4, T4, T2);
  subtract(Y3, Y3, T0);
  subtract(Y3, Y3, T2);
  triple(T0, T0);
  timesThreeB(T2, T2);
  add(X3, T1, T2);
  subtract(T1, T1, T2);
  timesThreeB(Y3, Y3);
  times(T2, T3, T1);
  times(r, T4, Y3);
  subtract(r, T2, r);
  times(Y3, Y3, T0);
  times(T1, T1, X3);
  add(r + Y, T1, Y3);
  times(T0, T0, T3);
  times(T4, X3, T4);
  add(r + Z, T4, T0);
}

export function doublePoint(p: usize): void {
  setSquare(T0, p + Y);
  add(T3, T0, T0);
  add(T3, T3, T3);
  add(T3, T3, T3);
  times(T1, p + Y, p + Z);
  setSquare(T2, p + Z);
  timesThreeB(T2, T2);
  times(X3, T2, T3);
  add(Y3, T0, T2);
  triple(T2, T2);
  subtract(T0, T0, T2);
  times(T4, p, p + Y);
  times(p + Z, T1, T3);
  times(Y3, T0, Y3);
  add(p + Y, X3, Y3);
  times(p, T0, T4);
  add(p, p, p);
}
