/**
 * Products of pairings: many pairs in one loop (Miller's), which share the squares. The final exponentiation, which
 * differs from curve to curve, is in the kernels.
 *
 * `input()` is the address of 16 pairs as contracts write them, every coordinate below the modulus; `begin()` begins a
 * product; `take(count)` multiplies it by the pairings of that many pairs, and is false when a point is not on its curve
 * or the second is not in its group.
 */
import { FIELD_BYTES, IS_IMAGINARY_FIRST, LOOP_DIGITS, LOOP_DIGITS_COUNT, ONE, WORD } from "../constants";
import { finish, multiply12ByLine } from "../curve";
import { isZero, multiply, subtract } from "../field/elements";
import { isZeroAt, readPair } from "../field/read";
import { chord, equal, isOnCurve, isOnTwist, PAIR, PX, PY, QX, QY, tangent, X, Y, Z } from "./points";
import { FP2, FP12, multiply12, square12, ZERO } from "./tower";

/** Pairs that are held at once. */
const MAX_PAIRS = 16;
const REAL = IS_IMAGINARY_FIRST ? WORD : 0;
const IMAGINARY = IS_IMAGINARY_FIRST ? 0 : WORD;
const PADDING = WORD - FIELD_BYTES;
const INPUT: usize = memory.data(MAX_PAIRS * 6 * WORD, 16);
const PAIRS: usize = memory.data(MAX_PAIRS * PAIR, 16);

export function input(): usize {
  return INPUT;
}

const MILLER: usize = memory.data(FP12, 16);
export const PRODUCT: usize = memory.data(FP12, 16);
export const TURNED: usize = memory.data(2 * FP2, 16);

export function setOne(r: usize): void {
  memory.fill(r, 0, FP12);
  memory.copy(r, ONE, FP2);
}

export function begin(): void {
  setOne(PRODUCT);
}

/** An idle pair's second point is only looked at: its first is infinity. */
export function multiplyByLine(isIdle: bool): void {
  if (!isIdle) multiply12ByLine(MILLER, MILLER);
}

export function turn(digit: i32, pair: usize, isIdle: bool): void {
  tangent(pair);
  multiplyByLine(isIdle);
  if (digit === 0) return;
  if (digit > 0) memory.copy(TURNED, pair + QY, FP2);
  else subtract(TURNED, ZERO, pair + QY);
  chord(pair, pair + QX, TURNED);
  multiplyByLine(isIdle);
}

/** Reports whether the multiple of the second point is the point x, y; never when it became infinity on the way. */
export function isMultipleAt(pair: usize, x: usize, y: usize): bool {
  multiply(x, x, pair + Z);
  multiply(y, y, pair + Z);
  return !isZero(pair + Z) && equal(x, pair + X) && equal(y, pair + Y);
}

/** Reads a pair, or says with -1 that a point is on no curve, with 0 that the second is infinity. */
export function readPoints(pair: usize, from: usize): i32 {
  readPair(pair + PX, from + PADDING, from + PADDING);
  readPair(pair + PY, from + WORD + PADDING, from + WORD + PADDING);
  if (!isZeroAt(from, 2 * WORD) && !isOnCurve(pair + PX, pair + PY)) return -1;
  if (isZeroAt(from + 2 * WORD, 4 * WORD)) return 0;
  readPair(pair + QX, from + 2 * WORD + REAL + PADDING, from + 2 * WORD + IMAGINARY + PADDING);
  readPair(pair + QY, from + 4 * WORD + REAL + PADDING, from + 4 * WORD + IMAGINARY + PADDING);
  if (!isOnTwist(pair + QX, pair + QY)) return -1;
  memory.copy(pair + X, pair + QX, 2 * FP2);
  memory.copy(pair + Z, ONE, FP2);
  return 1;
}

export function take(count: i32): bool {
  let idle: u32 = 0;
  let held = 0;
  for (let i = 0; i < count; i++) {
    const from = INPUT + usize(i) * 6 * WORD;
    const found = readPoints(PAIRS + usize(held) * PAIR, from);
    if (found < 0) return false;
    if (found === 0) continue;
    if (isZeroAt(from, 2 * WORD)) idle |= u32(1) << held;
    held++;
  }
  setOne(MILLER);
  for (let at = 0; at < LOOP_DIGITS_COUNT; at++) {
    const digit = i32(load<i8>(LOOP_DIGITS + usize(at)));
    square12(MILLER, MILLER);
    for (let i = 0; i < held; i++) turn(digit, PAIRS + usize(i) * PAIR, ((idle >> i) & 1) !== 0);
  }
  for (let i = 0; i < held; i++) {
    if (!finish(PAIRS + usize(i) * PAIR, ((idle >> i) & 1) !== 0)) return false;
  }
  multiply12(PRODUCT, PRODUCT, MILLER);
  return true;
}
