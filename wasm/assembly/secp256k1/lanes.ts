/**
 * Single elements in and out of the lanes of `field.ts`. A lane is the address of its lowest limb; the next limb is 16
 * bytes further on.
 */
import { FOLD_BITS, HALF } from "./field";

const LIMBS = 6;
const MASK: u64 = (1 << 43) - 1;
const WORDS: usize = memory.data(32, 16);

/** Byte offset of a lane, 0 to 3. */
export function laneOffset(lane: i32): usize {
  return usize(lane >> 1) * HALF + usize(lane & 1) * 8;
}

/** From 32 bytes, big-endian. The limbs are positive: the element weighs 2. */
export function readLane(to: usize, from: usize): void {
  const w3 = bswap(load<u64>(from));
  const w2 = bswap(load<u64>(from, 8));
  const w1 = bswap(load<u64>(from, 16));
  const w0 = bswap(load<u64>(from, 24));
  store<f64>(to, f64(w0 & MASK));
  store<f64>(to, f64(((w0 >> 43) | (w1 << 21)) & MASK), 16);
  store<f64>(to, f64(((w1 >> 22) | (w2 << 42)) & MASK), 32);
  store<f64>(to, f64((w2 >> 1) & MASK), 48);
  store<f64>(to, f64(((w2 >> 44) | (w3 << 20)) & MASK), 64);
  store<f64>(to, f64((w3 >> 23) & MASK), 80);
}

/** To 32 bytes, big-endian. */
export function writeLane(to: usize, a: usize): void {
  reduceLane(a);
  for (let i: usize = 0; i < 32; i += 8) store<u64>(to + i, bswap(load<u64>(WORDS + 24 - i)));
}

export function isZeroLane(a: usize): bool {
  reduceLane(a);
  return (load<u64>(WORDS) | load<u64>(WORDS, 8) | load<u64>(WORDS, 16) | load<u64>(WORDS, 24)) === 0;
}

export function isOddLane(a: usize): bool {
  reduceLane(a);
  return (load<u64>(WORDS) & 1) !== 0;
}

/** @unroll */
export function negateLane(a: usize): void {
  for (let i = 0; i < LIMBS; i++) store<f64>(a, -load<f64>(a, 16 * i), 16 * i);
}

/** @unroll */
export function copyLane(to: usize, from: usize): void {
  for (let i = 0; i < LIMBS; i++) store<f64>(to, load<f64>(from, 16 * i), 16 * i);
}

/**
 * Leaves an element that weighs up to 3 in WORDS, below p, the lowest word first. 8 p, which makes it positive, is added
 * on the way.
 * @unroll
 */
function reduceLane(a: usize): void {
  const l = new StaticArray<u64>(LIMBS);
  let limb = i64(load<f64>(a)) - 8 * FOLD_BITS;
  l[0] = u64(limb) & MASK;
  for (let i = 1; i < LIMBS; i++) {
    limb = (limb >> 43) + i64(load<f64>(a, 16 * i));
    if (i === LIMBS - 1) limb += 1 << 44;
    l[i] = i === LIMBS - 1 ? u64(limb) : u64(limb) & MASK;
  }
  store<u64>(WORDS, l[0] | (l[1] << 43));
  store<u64>(WORDS, (l[1] >> 21) | (l[2] << 22), 8);
  store<u64>(WORDS, (l[2] >> 42) | (l[3] << 1) | (l[4] << 44), 16);
  store<u64>(WORDS, (l[4] >> 20) | (l[5] << 23), 24);
  const passed = addFolds(l[5] >> 41);
  addFolds(passed);
  // adding 2^256 - p passes 2^256 just when what is there is p or more
  if (addFolds(1) === 0) takeFold();
}

/** Adds n times 2^256 - p to WORDS; 1 when that passes 2^256. */
function addFolds(n: u64): u64 {
  let carry = n * FOLD_BITS;
  for (let at = WORDS; at < WORDS + 32; at += 8) {
    const sum = load<u64>(at) + carry;
    carry = u64(sum < carry);
    store<u64>(at, sum);
  }
  return carry;
}

function takeFold(): void {
  let borrow: u64 = FOLD_BITS;
  for (let at = WORDS; at < WORDS + 32; at += 8) {
    const word = load<u64>(at);
    store<u64>(at, word - borrow);
    borrow = u64(word < borrow);
  }
}
