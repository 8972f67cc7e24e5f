/**
 * The recovery of public keys from signatures on secp256k1 (SEC 1 section 4.1.6), up to 64 at once, four side by side.
 *
 * The key of (digest z, r, s, v) is (s / r) R - (z / r) G, where R has x = r and y of the parity v. Multiples of R are
 * taken from a table of its odd multiples and their images (b x, y), those of G from a table of 32 windows of 8 bits, which
 * `prepare` makes. Inverses are taken for all signatures together.
 *
 * `isExact()` says whether multiplications are fused with additions on this machine, without which nothing else may be
 * called; `prepare()` is called once; `input()` is the address of 97 bytes a signature: digest, r, s, v; after
 * `recover(count)`, `output()` is the address of 65 bytes a signature: 1 and the key, x and y. 0 says that nothing was
 * found here: there is no key, or on the way two points were equal or opposite, which only happens to numbers that
 * somebody chose for it.
 */
import { HALF, multiply, multiplyLess, QUAD, square, squareLess } from "./secp256k1/field";
import {
  copyLane,
  isOddLane,
  isZeroLane,
  laneOffset,
  negateLane,
  readLane,
  writeLane,
} from "./secp256k1/lanes";
import {
  invertScalars,
  isScalar,
  MAX_SCALARS,
  readScalar,
  SCALAR,
  SHORT_BYTES,
  splitScalar,
  timesOrder,
  WINDOW,
  WINDOWS,
  windowsOf,
} from "./secp256k1/order";
import {
  A,
  addPoint,
  B,
  double,
  E,
  ENTRY,
  finishTable,
  makeTable,
  ONE,
  PICKED_X,
  PICKED_Y,
  pick,
  X,
  Y,
  Z,
  ZERO,
} from "./secp256k1/points";
import { invert, invertAll, MAX_QUADS, root } from "./secp256k1/powers";

/** Signatures of one call. */
const MAX_SIGNATURES = MAX_SCALARS;
/** Bytes of a signature with its digest, and of an answer. */
const JOB = 97;
const KEY = 65;
/** Odd multiples of R. */
const ENTRIES = 1 << (WINDOW - 1);
/** Odd multiples of a window of G, and windows of one lane of the table for G; each of the four lanes has its own. */
const COMB_ENTRIES = 128;
const COMB_TABLES: usize = 8;
/** Layout of the record of four signatures. */
const RECORD_X: usize = 0;
const RECORD_Y: usize = QUAD;
const RECORD_Z: usize = 2 * QUAD;
const RECORD_TABLE: usize = 3 * QUAD;
const RECORD: usize = RECORD_TABLE + ENTRIES * ENTRY;

const INPUT: usize = memory.data(MAX_SIGNATURES * JOB, 16);
const OUTPUT: usize = memory.data(MAX_SIGNATURES * KEY, 16);
const RECORDS: usize = memory.data(MAX_QUADS * RECORD, 16);
const COMB: usize = memory.data(COMB_TABLES * COMB_ENTRIES * ENTRY, 16);
/** G of SEC 2 section 2.4.1, x and y. */
const GENERATOR: usize = memory.data<u8>(
  [
    0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b, 0x07, 0x02,
    0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98, 0x48, 0x3a,
    0xda, 0x77, 0x26, 0xa3, 0xc4, 0x65, 0x5d, 0xa4, 0xfb, 0xfc, 0x0e, 0x11, 0x08, 0xa8, 0xfd, 0x17, 0xb4,
    0x48, 0xa6, 0x85, 0x54, 0x19, 0x9c, 0x47, 0xd0, 0x8f, 0xfb, 0x10, 0xd4, 0xb8,
  ],
  16,
);
/** A cube root of one modulo p, of the endomorphism that goes with the vectors of `secp256k1/order.ts`. */
const ROOT_BYTES: usize = memory.data<u8>(
  [
    0x7a, 0xe9, 0x6a, 0x2b, 0x65, 0x7c, 0x07, 0x10, 0x6e, 0x64, 0x47, 0x9e, 0xac, 0x34, 0x34, 0xe9, 0x9c,
    0xf0, 0x49, 0x75, 0x12, 0xf5, 0x89, 0x95, 0xc1, 0x39, 0x6c, 0x28, 0x71, 0x95, 0x01, 0xee,
  ],
  16,
);
const ROOT: usize = memory.data(QUAD, 16);
const ONE_SCALAR: usize = memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0], 16);
const MINUS_SEVEN: usize = memory.data<f64>(
  [
    -7.0, -7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -7.0, -7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0,
  ],
  16,
);
/** 1 + 2^-30, and -(1 + 2^-29). */
const NEARLY_ONE: usize = memory.data<f64>([1.0000000009313226, -1.0000000018626451], 16);

export function input(): usize {
  return INPUT;
}
export function output(): usize {
  return OUTPUT;
}

/** (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60, or 0 when the square is rounded first. */
export function isExact(): bool {
  const x = v128.load64_splat(NEARLY_ONE);
  return f64x2.extract_lane(f64x2.relaxed_madd(x, x, v128.load64_splat(NEARLY_ONE, 8)), 0) !== 0.0;
}

function doubleTimes(n: i32): void {
  memory.copy(Z, ONE, QUAD);
  for (let i = 0; i < n; i++) double();
  invert(E, Z);
  square(A, E);
  multiply(X, X, A);
  multiply(A, A, E);
  multiply(Y, Y, A);
}

export function prepare(): void {
  for (let lane = 0; lane < 4; lane++) {
    const at = laneOffset(lane);
    readLane(ROOT + at, ROOT_BYTES);
    readLane(X + at, GENERATOR);
    readLane(Y + at, GENERATOR + 32);
  }
  memory.copy(COMB, X, QUAD);
  memory.copy(COMB + QUAD, Y, QUAD);
  for (let lane = 1; lane < 4; lane++) {
    doubleTimes(64);
    const at = laneOffset(lane);
    copyLane(COMB + at, X + at);
    copyLane(COMB + QUAD + at, Y + at);
  }
  for (let i: usize = 0; i < COMB_TABLES; i++) {
    const table = COMB + i * COMB_ENTRIES * ENTRY;
    makeTable(table, COMB_ENTRIES);
    invert(Z, Z);
    finishTable(table, COMB_ENTRIES, Z);
    if (i === COMB_TABLES - 1) return;
    memory.copy(X, table, QUAD);
    memory.copy(Y, table + QUAD, QUAD);
    doubleTimes(8);
    memory.copy(table + COMB_ENTRIES * ENTRY, X, QUAD);
    memory.copy(table + COMB_ENTRIES * ENTRY + QUAD, Y, QUAD);
  }
}

const IS_GOOD: usize = memory.data(MAX_SIGNATURES, 16);
const SCALARS: usize = memory.data(MAX_SIGNATURES * SCALAR, 16);
const FIRST: usize = memory.data(MAX_SIGNATURES * SHORT_BYTES, 16);
const SECOND: usize = memory.data(MAX_SIGNATURES * SHORT_BYTES, 16);
const OF_GENERATOR: usize = memory.data(MAX_SIGNATURES * SCALAR, 16);
const U: usize = memory.data(SCALAR, 16);
function readScalars(count: i32, padded: i32): void {
  for (let i = 0; i < padded; i++) {
    const job = INPUT + usize(i) * JOB;
    const r = SCALARS + usize(i) * SCALAR;
    readScalar(r, job + 32);
    readScalar(U, job + 64);
    const isGood = i < count && isScalar(r) && isScalar(U) && load<u8>(job, 96) < 2;
    store<u8>(IS_GOOD + usize(i), u8(isGood));
    if (!isGood) memory.copy(r, ONE_SCALAR, SCALAR);
  }
  invertScalars(SCALARS, padded);
  for (let i = 0; i < padded; i++) {
    const job = INPUT + usize(i) * JOB;
    const inverse = SCALARS + usize(i) * SCALAR;
    readScalar(U, job + 64);
    timesOrder(U, U, inverse);
    splitScalar(FIRST + usize(i) * SHORT_BYTES, SECOND + usize(i) * SHORT_BYTES, U);
    readScalar(U, job);
    timesOrder(U, U, inverse);
    windowsOf(OF_GENERATOR + usize(i) * SCALAR, U);
  }
}

function lift(record: usize, first: i32): void {
  const y = record + RECORD_Y;
  for (let lane = 0; lane < 4; lane++) {
    readLane(record + laneOffset(lane), INPUT + usize(first + lane) * JOB + 32);
  }
  square(A, record);
  multiplyLess(A, A, record, MINUS_SEVEN);
  root(y, A);
  squareLess(B, y, A, ZERO);
  for (let lane = 0; lane < 4; lane++) {
    const at = laneOffset(lane);
    const isGood = IS_GOOD + usize(first + lane);
    if (load<u8>(isGood) === 0 || !isZeroLane(B + at)) {
      store<u8>(isGood, 0);
      readLane(record + at, GENERATOR);
      readLane(y + at, GENERATOR + 32);
    } else if (isOddLane(y + at) !== (load<u8>(INPUT + usize(first + lane) * JOB, 96) !== 0)) {
      negateLane(y + at);
    }
  }
  memory.copy(record + RECORD_TABLE, record, 2 * QUAD);
  makeTable(record + RECORD_TABLE, ENTRIES);
  memory.copy(record + RECORD_Z, Z, QUAD);
}

function nibble(digits: usize, window: i32): i32 {
  return (i32(load<u8>(digits + usize(window >> 1))) >> ((window & 1) << 2)) & 15;
}

/** The multiples of two lanes that the windows stand for, one half of what is picked. */
function pickPoint(half: usize, a: usize, b: usize, entries: i32, m: i32, n: i32, image: usize): void {
  const first = a + usize(m < entries ? entries - 1 - m : m - entries) * ENTRY;
  const second = b + usize(n < entries ? entries - 1 - n : n - entries) * ENTRY;
  const signs = i64x2.replace_lane(i64x2.splat(i64(m < entries) << 63), 1, i64(n < entries) << 63);
  pick(PICKED_X + half, first + image, second + image, i64x2.splat(0));
  pick(PICKED_Y + half, first + QUAD, second + QUAD, signs);
}

function pickMultiple(table: usize, digits: usize, window: i32, image: usize): void {
  pickPoint(
    0,
    table,
    table + 8,
    ENTRIES,
    nibble(digits, window),
    nibble(digits + SHORT_BYTES, window),
    image,
  );
  pickPoint(
    HALF,
    table + HALF,
    table + HALF + 8,
    ENTRIES,
    nibble(digits + 2 * SHORT_BYTES, window),
    nibble(digits + 3 * SHORT_BYTES, window),
    image,
  );
}

function pickOfGenerator(comb: usize, digits: usize): void {
  pickPoint(0, comb, comb, COMB_ENTRIES, i32(load<u8>(digits)), i32(load<u8>(digits + SCALAR)), 0);
  pickPoint(
    HALF,
    comb,
    comb,
    COMB_ENTRIES,
    i32(load<u8>(digits + 2 * SCALAR)),
    i32(load<u8>(digits + 3 * SCALAR)),
    0,
  );
}

/** Leaves the key with its Z, for four signatures. */
function multiplyPoint(record: usize, first: i32): void {
  const table = record + RECORD_TABLE;
  const one = FIRST + usize(first) * SHORT_BYTES;
  const two = SECOND + usize(first) * SHORT_BYTES;
  pickMultiple(table, one, WINDOWS - 1, 0);
  memory.copy(X, PICKED_X, QUAD);
  memory.copy(Y, PICKED_Y, QUAD);
  memory.copy(Z, ONE, QUAD);
  for (let window = WINDOWS - 1; window >= 0; window--) {
    if (window < WINDOWS - 1) {
      for (let i = 0; i < WINDOW; i++) double();
      pickMultiple(table, one, window, 0);
      addPoint(PICKED_X, PICKED_Y);
    }
    pickMultiple(table, two, window, 2 * QUAD);
    addPoint(PICKED_X, PICKED_Y);
  }
  for (let window: usize = 0; window < 32; window++) {
    const lane = i32(window >> 3);
    const comb = COMB + (window & 7) * COMB_ENTRIES * ENTRY + laneOffset(lane);
    pickOfGenerator(comb, OF_GENERATOR + usize(first) * SCALAR + window);
    addPoint(PICKED_X, PICKED_Y);
  }
  memory.copy(record + RECORD_X, X, QUAD);
  memory.copy(record + RECORD_Y, Y, QUAD);
  memory.copy(record + RECORD_Z, Z, QUAD);
}

export function recover(count: i32): void {
  const quads = (count + 3) >> 2;
  readScalars(count, quads << 2);
  for (let i = 0; i < quads; i++) lift(RECORDS + usize(i) * RECORD, i << 2);
  invertAll(RECORDS + RECORD_Z, RECORD, quads);
  for (let i = 0; i < quads; i++) {
    const record = RECORDS + usize(i) * RECORD;
    finishTable(record + RECORD_TABLE, ENTRIES, record + RECORD_Z);
    for (let j = 0; j < ENTRIES; j++) {
      const entry = record + RECORD_TABLE + usize(j) * ENTRY;
      multiply(entry + 2 * QUAD, entry, ROOT);
    }
    multiplyPoint(record, i << 2);
    keepFinite(record, i << 2);
  }
  invertAll(RECORDS + RECORD_Z, RECORD, quads);
  for (let i = 0; i < quads; i++) writeKeys(RECORDS + usize(i) * RECORD, i << 2, count);
}

function keepFinite(record: usize, first: i32): void {
  for (let lane = 0; lane < 4; lane++) {
    const at = laneOffset(lane);
    if (!isZeroLane(record + RECORD_Z + at)) continue;
    copyLane(record + RECORD_Z + at, ONE);
    store<u8>(IS_GOOD + usize(first + lane), 0);
  }
}

function writeKeys(record: usize, first: i32, count: i32): void {
  square(A, record + RECORD_Z);
  multiply(B, A, record + RECORD_Z);
  multiply(A, A, record + RECORD_X);
  multiply(B, B, record + RECORD_Y);
  for (let lane = 0; lane < 4 && first + lane < count; lane++) {
    const at = laneOffset(lane);
    const key = OUTPUT + usize(first + lane) * KEY;
    store<u8>(key, load<u8>(IS_GOOD + usize(first + lane)));
    writeLane(key + 1, A + at);
    writeLane(key + 33, B + at);
  }
}
