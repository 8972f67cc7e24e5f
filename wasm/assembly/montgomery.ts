/**
 * Powers modulo an odd number by Montgomery's method ("Modular multiplication without trial division"), for EIP-198.
 *
 * A number is limbs of 28 bits in 32-bit words, four to a vector; products gather in 64-bit words without carries,
 * because 2 * 76 of them stay below 2^64. Numbers stay below twice the modulus: R is at least four times it.
 *
 * `modulus()`, `powers()` and `result()` are the addresses of the modulus, of a table of 16 numbers (its first two, R and
 * the base times R, are set by the caller) and of the result; `begin(n, inverse)` takes the limbs, a multiple of four,
 * and -1 / modulus modulo 2^28; `step(digit)` takes the result to the power of 16 times the base to the power of the
 * digit; `finish()` leaves the plain result.
 */
const MAX_LIMBS = 76;
const MASK = 0xfffffff;
const N: usize = memory.data(MAX_LIMBS * 4, 16);
const POWERS: usize = memory.data(16 * MAX_LIMBS * 4, 16);
const RESULT: usize = memory.data(MAX_LIMBS * 4, 16);
const PLAIN: usize = memory.data(MAX_LIMBS * 4, 16);
// One word before and two behind are written and never read.
const SPACE: usize = memory.data((MAX_LIMBS + 4) * 8, 16);
const T: usize = SPACE + 16;

let size: usize = 0;
let inverse: u32 = 0;

export function modulus(): usize {
  return N;
}
export function powers(): usize {
  return POWERS;
}
export function result(): usize {
  return RESULT;
}

function multiply(r: usize, a: usize, b: usize): void {
  memory.fill(T, 0, (size << 1) + 16);
  for (let i: usize = 0; i < size; i += 4) {
    const x = load<u32>(a + i);
    const low = load<u64>(T) + u64(x) * u64(load<u32>(b));
    const m = (u32(low) * inverse) & MASK;
    const xs = i32x4.splat(x);
    const ms = i32x4.splat(m);
    const carry = (low + u64(m) * u64(load<u32>(N))) >> 28;
    for (let j: usize = 0; j < size; j += 16) {
      const bs = v128.load(b + j);
      const ns = v128.load(N + j);
      const at = T + (j << 1);
      const first = i64x2.add(
        i64x2.add(v128.load(at), i64x2.extmul_low_i32x4_u(bs, xs)),
        i64x2.extmul_low_i32x4_u(ns, ms),
      );
      const second = i64x2.add(
        i64x2.add(v128.load(at, 16), i64x2.extmul_high_i32x4_u(bs, xs)),
        i64x2.extmul_high_i32x4_u(ns, ms),
      );
      v128.store(at - 8, first);
      v128.store(at - 8, second, 16);
    }
    store<u64>(T + (size << 1) - 8, 0);
    store<u64>(T, load<u64>(T) + carry);
  }
  let c: u64 = 0;
  for (let j: usize = 0; j < size; j += 4) {
    c += load<u64>(T + (j << 1));
    store<u32>(r + j, u32(c) & MASK);
    c >>= 28;
  }
}

export function begin(limbs: i32, inv: i32): void {
  size = usize(limbs) << 2;
  inverse = inv;
  for (let i: usize = 2; i < 16; i++) {
    multiply(POWERS + i * size, POWERS + (i - 1) * size, POWERS + size);
  }
  memory.copy(RESULT, POWERS, size);
}

export function step(digit: i32): void {
  multiply(RESULT, RESULT, RESULT);
  multiply(RESULT, RESULT, RESULT);
  multiply(RESULT, RESULT, RESULT);
  multiply(RESULT, RESULT, RESULT);
  if (digit !== 0) multiply(RESULT, RESULT, POWERS + usize(digit) * size);
}

export function finish(): void {
  memory.fill(PLAIN, 0, size);
  store<u32>(PLAIN, 1);
  multiply(RESULT, RESULT, PLAIN);
}
