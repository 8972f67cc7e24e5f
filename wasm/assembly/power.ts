/**
 * `base ** exponent` modulo 2^256, for the instruction EXP (Yellow Paper, appendix H.2).
 *
 * A number is nine limbs of 29 bits, one to a 64-bit word: all products of a column fit into one word without a carry,
 * and what is beyond 2^261 is never made.
 *
 * `input()` is the address of base and exponent (32 bytes each, big-endian); `power()` leaves the result where the base
 * was.
 */
const LIMBS = 9;
const BITS = 29;
const MASK = 0x1fffffff;
/** Bytes of a number. */
const SIZE = LIMBS * 8;
const IN: usize = memory.data(64, 16);
const POWERS: usize = memory.data(16 * SIZE, 16);
const RESULT: usize = memory.data(SIZE, 16);

export function input(): usize {
  return IN;
}

/** @unroll */
function multiply(r: usize, a: usize, b: usize): void {
  const x = new StaticArray<u64>(LIMBS);
  const y = new StaticArray<u64>(LIMBS);
  for (let i = 0; i < LIMBS; i++) x[i] = load<u64>(a, 8 * i);
  for (let i = 0; i < LIMBS; i++) y[i] = load<u64>(b, 8 * i);
  let c: u64 = 0;
  for (let k = 0; k < LIMBS; k++) {
    let sum = x[0] * y[k];
    for (let i = 1; i <= k; i++) sum += x[i] * y[k - i];
    c = k === 0 ? sum : (c >> BITS) + sum;
    store<u64>(r, c & MASK, 8 * k);
  }
}

/**
 * Each product of two different limbs comes twice.
 * @unroll
 */
function square(r: usize): void {
  const x = new StaticArray<u64>(LIMBS);
  for (let i = 0; i < LIMBS; i++) x[i] = load<u64>(r, 8 * i);
  let c: u64 = 0;
  for (let k = 0; k < LIMBS; k++) {
    let sum: u64 = 0;
    for (let i = 0; 2 * i < k; i++) sum = i === 0 ? x[0] * x[k] : sum + x[i] * x[k - i];
    if (k > 0) sum <<= 1;
    if (k % 2 === 0) sum += x[k / 2] * x[k / 2];
    c = k === 0 ? sum : (c >> BITS) + sum;
    store<u64>(r, c & MASK, 8 * k);
  }
}

function setOne(r: usize): void {
  memory.fill(r, 0, SIZE);
  store<u64>(r, 1);
}

/**
 * From 32 bytes, big-endian.
 * @unroll
 */
function read(r: usize, from: usize): void {
  const w = new StaticArray<u64>(4);
  for (let k = 0; k < 4; k++) w[k] = bswap<u64>(load<u64>(from, 24 - 8 * k));
  for (let i = 0; i < LIMBS; i++) {
    const k = (BITS * i) / 64;
    const offset = (BITS * i) % 64;
    const isSplit = offset + BITS > 64 && k < 3;
    store<u64>(r, (isSplit ? (w[k] >> offset) | (w[k + 1] << (64 - offset)) : w[k] >> offset) & MASK, 8 * i);
  }
}

/**
 * To 32 bytes, big-endian; what is beyond 256 bits falls off.
 * @unroll
 */
function write(to: usize, from: usize): void {
  const x = new StaticArray<u64>(LIMBS);
  for (let i = 0; i < LIMBS; i++) x[i] = load<u64>(from, 8 * i);
  for (let k = 0; k < 4; k++) {
    let word: u64 = 0;
    for (let i = 0; i < LIMBS; i++) {
      const shift = BITS * i - 64 * k;
      if (shift >= 0 && shift < 64) word |= x[i] << shift;
      if (shift < 0 && shift > -BITS) word |= x[i] >> -shift;
    }
    store<u64>(to, bswap<u64>(word), 24 - 8 * k);
  }
}

/** The digit of four bits at place n of the exponent, the lowest first. */
function digit(n: i32): u32 {
  const byte: u32 = load<u8>(IN + 63 - (n >> 1));
  return (n & 1) === 0 ? byte & 15 : byte >> 4;
}

function bySquares(top: i32): void {
  for (let n = top; n >= 0; n--) {
    const bits = digit(n);
    for (let bit = 3; bit >= 0; bit--) {
      square(RESULT);
      if (((bits >> bit) & 1) !== 0) multiply(RESULT, RESULT, POWERS + SIZE);
    }
  }
}

function byDigits(top: i32): void {
  for (let i = 2; i < 16; i++) {
    multiply(POWERS + i * SIZE, POWERS + (i - 1) * SIZE, POWERS + SIZE);
  }
  for (let n = top; n >= 0; n--) {
    square(RESULT);
    square(RESULT);
    square(RESULT);
    square(RESULT);
    const bits = digit(n);
    if (bits !== 0) multiply(RESULT, RESULT, POWERS + bits * SIZE);
  }
}

export function power(): void {
  let top = 63;
  while (top >= 0 && digit(top) === 0) top--;
  read(POWERS + SIZE, IN);
  setOne(RESULT);
  if (top < 12) bySquares(top);
  else byDigits(top);
  write(IN, RESULT);
}
