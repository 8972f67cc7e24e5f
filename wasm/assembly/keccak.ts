/**
 * Keccak-256 (the permutation of FIPS 202, the padding 0x01 of the original Keccak).
 *
 * The 25 lanes are locals, so that they stay in registers, and two rounds make one turn of the loop: 7 percent faster
 * than one round, 15 percent faster than all 24. Between rounds the lanes 1, 2, 8, 12, 17 and 20 are complemented (Keccak
 * implementation overview, section 2.2, "lane complementing"): 5 NOTs a round in place of 25, since WebAssembly has no
 * AND-NOT.
 *
 * `input()`, `output()` and `state()` are the addresses of 65,536 bytes, 32 bytes and 200 bytes; `hash(length)` is for
 * input that fits; `start()`, `absorb(length)`, for whole blocks, and `finish(length)` are for longer input.
 */

/** Bytes that one permutation absorbs. */
const RATE: usize = 136;
/** The round constants, FIPS 202 algorithm 5. */
const CONSTANTS: usize = memory.data<u64>([
  0x1, 0x8082, 0x800000000000808a, 0x8000000080008000, 0x808b, 0x80000001, 0x8000000080008081,
  0x8000000000008009, 0x8a, 0x88, 0x80008009, 0x8000000a, 0x8000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x800a, 0x800000008000000a, 0x8000000080008081,
  0x8000000000008080, 0x80000001, 0x8000000080008008,
]);
const STATE: usize = memory.data(200, 16);
const INPUT: usize = memory.data(65_536, 16);
const OUTPUT: usize = memory.data(32, 16);

export function input(): usize {
  return INPUT;
}
export function output(): usize {
  return OUTPUT;
}
export function state(): usize {
  return STATE;
}

/** @unroll */
function permute(): void {
  const a = new StaticArray<u64>(25);
  for (let lane = 0; lane < 25; lane++) a[lane] = load<u64>(STATE, 8 * lane);
  for (let at: usize = 0; at < 192; at += 16) {
    round(a, load<u64>(CONSTANTS + at));
    round(a, load<u64>(CONSTANTS + at, 8));
  }
  for (let lane = 0; lane < 25; lane++) store<u64>(STATE, a[lane], 8 * lane);
}

/**
 * One round; lane (x, y) is a[x + 5 y].
 * @unroll
 */
function round(a: StaticArray<u64>, constant: u64): void {
  // FIPS 202 table 2, modulo 64, for x and y.
  const rotations = [
    [0, 36, 3, 41, 18],
    [1, 44, 10, 45, 2],
    [62, 6, 43, 15, 61],
    [28, 55, 25, 21, 56],
    [27, 20, 39, 8, 14],
  ];
  const b = new StaticArray<u64>(25);
  const c = new StaticArray<u64>(5);
  const d = new StaticArray<u64>(5);
  for (let x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
  for (let x = 0; x < 5; x++) d[x] = c[(x + 4) % 5] ^ rotl<u64>(c[(x + 1) % 5], 1);
  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 5; x++) {
      const mixed = a[x + 5 * y] ^ d[x];
      b[y + 5 * ((2 * x + 3 * y) % 5)] = rotations[x][y] === 0 ? mixed : rotl<u64>(mixed, rotations[x][y]);
    }
  }
  a[0] = b[0] ^ (b[1] | b[2]);
  a[1] = b[1] ^ (~b[2] | b[3]);
  a[2] = b[2] ^ (b[3] & b[4]);
  a[3] = b[3] ^ (b[4] | b[0]);
  a[4] = b[4] ^ (b[0] & b[1]);
  a[5] = b[5] ^ (b[6] | b[7]);
  a[6] = b[6] ^ (b[7] & b[8]);
  a[7] = b[7] ^ (b[8] | ~b[9]);
  a[8] = b[8] ^ (b[9] | b[5]);
  a[9] = b[9] ^ (b[5] & b[6]);
  a[10] = b[10] ^ (b[11] | b[12]);
  a[11] = b[11] ^ (b[12] & b[13]);
  a[12] = b[12] ^ (~b[13] & b[14]);
  a[13] = ~b[13] ^ (b[14] | b[10]);
  a[14] = b[14] ^ (b[10] & b[11]);
  a[15] = b[15] ^ (b[16] & b[17]);
  a[16] = b[16] ^ (b[17] | b[18]);
  a[17] = b[17] ^ (~b[18] | b[19]);
  a[18] = ~b[18] ^ (b[19] & b[15]);
  a[19] = b[19] ^ (b[15] | b[16]);
  a[20] = b[20] ^ (~b[21] & b[22]);
  a[21] = ~b[21] ^ (b[22] | b[23]);
  a[22] = b[22] ^ (b[23] & b[24]);
  a[23] = b[23] ^ (b[24] | b[20]);
  a[24] = b[24] ^ (b[20] & b[21]);
  a[0] ^= constant;
}

/** @unroll */
export function start(): void {
  const isComplemented = [0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0];
  for (let lane = 0; lane < 25; lane++) {
    store<u64>(STATE, isComplemented[lane] === 1 ? ~(<u64>0) : 0, 8 * lane);
  }
}

export function absorb(length: usize): void {
  for (let from = INPUT, end = INPUT + length; from < end; from += RATE) {
    for (let i: usize = 0; i < RATE; i += 8) {
      store<u64>(STATE + i, load<u64>(STATE + i) ^ load<u64>(from + i));
    }
    permute();
  }
}

export function finish(length: usize): void {
  const whole = length < RATE ? 0 : length - (length % RATE);
  if (whole > 0) absorb(whole);
  const from = INPUT + whole;
  const rest = length - whole;
  let i: usize = 0;
  for (; i + 8 <= rest; i += 8) store<u64>(STATE + i, load<u64>(STATE + i) ^ load<u64>(from + i));
  for (; i < rest; i++) store<u8>(STATE + i, load<u8>(STATE + i) ^ load<u8>(from + i));
  store<u8>(STATE + rest, load<u8>(STATE + rest) ^ 0x01);
  store<u8>(STATE + RATE - 1, load<u8>(STATE + RATE - 1) ^ 0x80);
  permute();
  store<u64>(OUTPUT, load<u64>(STATE));
  store<u64>(OUTPUT, ~load<u64>(STATE, 8), 8);
  store<u64>(OUTPUT, ~load<u64>(STATE, 16), 16);
  store<u64>(OUTPUT, load<u64>(STATE, 24), 24);
}

export function hash(length: usize): void {
  start();
  finish(length);
}
