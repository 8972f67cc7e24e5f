/**
 * Elements in their one plain form below the modulus, and inverses of them.
 *
 * The inverse is Kaliski's almost inverse ("The Montgomery inverse and its applications"): a binary Euclidean algorithm
 * whose result is the inverse times 2^k, which a product of powers of 1/2 takes back. It takes less time than a
 * power with exponent p - 2, and its time depends on the element, which is public.
 */
import {
  BITS,
  ELEMENT,
  FIELD_BYTES,
  HALVES,
  LIMBS,
  MODULUS,
  PLAIN_ONE,
  R_SQUARED,
  WORDS_OF_MODULUS,
} from "../constants";
import { multiplyLanes, subtract } from "./elements";

const WORDS = FIELD_BYTES / 8;
const MASK: i64 = (1 << BITS) - 1;
const PLAIN: usize = memory.data(ELEMENT, 16);
const WORD: usize = memory.data(FIELD_BYTES, 16);
const ZERO: usize = memory.data(ELEMENT, 16);
/** Exponent of 2 in the newest almost inverse. */
let shifted: i32 = 0;
/** True when it is the opposite of that. */
let isOpposite: bool = false;

/**
 * The words of the first lane, the lowest first, below the modulus, at `WORD`. One modulus more makes it positive, and it
 * is at most four moduli then.
 * @unroll
 */
function toWords(a: usize): void {
  const words = new StaticArray<u64>(WORDS);
  const d = new StaticArray<i64>(LIMBS);
  const carry = new StaticArray<i64>(1);
  multiplyLanes(PLAIN, a, PLAIN_ONE);
  carry[0] = 0;
  for (let i = 0; i < LIMBS; i++) {
    carry[0] += i64(load<i32>(PLAIN, 8 * i)) + i64(load<i32>(MODULUS, 8 * i));
    d[i] = i < LIMBS - 1 ? carry[0] & MASK : carry[0];
    carry[0] = carry[0] >> BITS;
  }
  for (let word = 0; word < WORDS; word++) words[word] = 0;
  for (let i = 0; i < LIMBS; i++) {
    const word = (BITS * i - ((BITS * i) % 64)) / 64;
    const offset = (BITS * i) % 64;
    if (word < WORDS) words[word] = words[word] | (u64(d[i]) << offset);
    if (offset + BITS > 64 && word + 1 < WORDS) words[word + 1] = u64(d[i]) >> (64 - offset);
  }
  for (let word = 0; word < WORDS; word++) store<u64>(WORD, words[word], 8 * word);
  while (subtractModulus()) {}
}

/**
 * Takes the modulus from the words unless they are below it.
 * @unroll
 */
function subtractModulus(): bool {
  const x = new StaticArray<u64>(WORDS);
  const y = new StaticArray<u64>(WORDS);
  const c = new StaticArray<u64>(3);
  for (let i = 0; i < WORDS; i++) x[i] = load<u64>(WORD, 8 * i);
  for (let i = 0; i < WORDS; i++) y[i] = load<u64>(WORDS_OF_MODULUS, 8 * i);
  subtractWords(x, y, c);
  if (c[0] !== 0) return false;
  for (let i = 0; i < WORDS; i++) store<u64>(WORD, x[i], 8 * i);
  return true;
}

/** Writes the first lane as bytes, big-endian. */
export function writeFirst(to: usize, a: usize): void {
  toWords(a);
  for (let i = 0; i < WORDS; i++)
    store<u64>(to + 8 * usize(i), bswap<u64>(load<u64>(WORD + 8 * usize(WORDS - 1 - i))));
}

/** True when the first lane is odd in its plain form. */
export function isFirstOdd(a: usize): bool {
  toWords(a);
  return (load<u64>(WORD) & 1) !== 0;
}

/** 1 / a of the first lane, in both lanes; not for 0. */
export function invertFirst(r: usize, a: usize): void {
  toWords(a);
  almostInverse();
  readWords(r);
  multiplyLanes(r, r, R_SQUARED);
  for (let bit: i32 = 0; bit < 10; bit++) {
    if (((shifted >> bit) & 1) !== 0) multiplyLanes(r, r, HALVES + usize(bit) * ELEMENT);
  }
  if (isOpposite) subtract(r, ZERO, r);
}

/** Limbs from the words at `WORD`, in both lanes. */
function readWords(r: usize): void {
  for (let i = 0; i < LIMBS; i++) {
    const bit = BITS * i;
    const word = bit >> 6;
    const offset = bit & 63;
    let digit: u64 = 0;
    if (word < WORDS) {
      digit = load<u64>(WORD + 8 * usize(word)) >> u64(offset);
      if (offset + BITS > 64 && word + 1 < WORDS)
        digit |= load<u64>(WORD + 8 * usize(word) + 8) << u64(64 - offset);
    }
    store<i32>(r + 8 * usize(i), i32(digit & u64(MASK)));
    store<i32>(r + 8 * usize(i) + 4, i32(digit & u64(MASK)));
  }
}

/**
 * Makes 2^k / a or its opposite of a, both in `WORD`, and sets `shifted` to k and `isOpposite`. u is odd throughout. With
 * a sign that turns when both sides change places, a r = -u 2^k and a s = v 2^k.
 * @unroll
 */
function almostInverse(): void {
  const u = new StaticArray<u64>(WORDS);
  const v = new StaticArray<u64>(WORDS);
  const r = new StaticArray<u64>(WORDS);
  const s = new StaticArray<u64>(WORDS);
  const c = new StaticArray<u64>(3);
  for (let i = 0; i < WORDS; i++) {
    u[i] = load<u64>(WORDS_OF_MODULUS, 8 * i);
    v[i] = load<u64>(WORD, 8 * i);
    r[i] = 0;
    s[i] = i === 0 ? 1 : 0;
  }
  shifted = 0;
  isOpposite = true;
  c[0] = 1;
  while (c[0] !== 0) {
    while ((v[0] & 1) === 0) {
      const t: u64 = v[0] === 0 ? 63 : ctz(v[0]);
      shiftDown(v, t);
      shiftUp(r, t);
      shifted += i32(t);
    }
    compareWords(u, v, c);
    if (c[0] === 0) {
      exchangeWords(u, v, c);
      exchangeWords(r, s, c);
      isOpposite = !isOpposite;
    }
    subtractWords(v, u, c);
    addWords(s, r, c);
    c[0] = 0;
    for (let i = 0; i < WORDS; i++) c[0] |= v[i];
  }
  for (let i = 0; i < WORDS; i++) store<u64>(WORD, r[i], 8 * i);
}

/** @unroll */
function shiftDown(x: StaticArray<u64>, t: u64): void {
  for (let i = 0; i < WORDS; i++) x[i] = i < WORDS - 1 ? (x[i] >> t) | (x[i + 1] << (64 - t)) : x[i] >> t;
}

/** @unroll */
function shiftUp(x: StaticArray<u64>, t: u64): void {
  for (let i = WORDS - 1; i >= 0; i--) x[i] = i > 0 ? (x[i] << t) | (x[i - 1] >> (64 - t)) : x[i] << t;
}

/**
 * c[0] becomes 1 when x is below y.
 * @unroll
 */
function compareWords(x: StaticArray<u64>, y: StaticArray<u64>, c: StaticArray<u64>): void {
  c[0] = 0;
  for (let i = 0; i < WORDS; i++) c[0] = u64(x[i] < y[i]) | (u64(x[i] === y[i]) & c[0]);
}

/** @unroll */
function exchangeWords(x: StaticArray<u64>, y: StaticArray<u64>, c: StaticArray<u64>): void {
  for (let i = 0; i < WORDS; i++) {
    c[0] = x[i];
    x[i] = y[i];
    y[i] = c[0];
  }
}

/**
 * x - y, in the place of x.
 * @unroll
 */
function subtractWords(x: StaticArray<u64>, y: StaticArray<u64>, c: StaticArray<u64>): void {
  c[0] = 0;
  for (let i = 0; i < WORDS; i++) {
    c[1] = x[i] - y[i];
    c[2] = u64(x[i] < y[i]);
    x[i] = c[1] - c[0];
    c[0] = c[2] | u64(c[1] < c[0]);
  }
}

/**
 * x + y, in the place of x.
 * @unroll
 */
function addWords(x: StaticArray<u64>, y: StaticArray<u64>, c: StaticArray<u64>): void {
  c[0] = 0;
  for (let i = 0; i < WORDS; i++) {
    c[1] = x[i] + y[i];
    c[2] = u64(c[1] < x[i]);
    x[i] = c[1] + c[0];
    c[0] = c[2] | u64(x[i] < c[1]);
  }
}
