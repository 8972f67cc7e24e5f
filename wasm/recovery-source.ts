/**
 * Writes the AssemblyScript source of the recovery of public keys from signatures on secp256k1 (SEC 1 section 4.1.6),
 * up to 64 at once, four side by side. `scripts/build-wasm.ts` compiles what comes out.
 *
 * The key of (digest z, r, s, v) is (s / r) R - (z / r) G, where R has x = r and y of the parity v. Multiples of R are
 * taken from a table of its odd multiples and their images (b x, y), those of G from a table of 32 windows of 8 bits,
 * which `prepare` makes. Inverses are taken for all signatures together.
 *
 * The module exports `isExact()`, whether multiplications are fused with additions on this machine, without which
 * nothing else may be called; `prepare()`, to be called once; `input()`, the address of 97 bytes a signature: digest,
 * r, s, v; `recover(count)`; and `output()`, the address of 65 bytes a signature: 1 and the key, x and y. 0 says that
 * nothing was found here: there is no key, or on the way two points were equal or opposite, which only happens to
 * numbers that somebody chose for it.
 */
import { orderSource, SCALAR, SHORT_BYTES, WINDOW, WINDOWS } from "./order-source.ts";
import { HALF, QUAD, quadFieldSource } from "./quad-field-source.ts";
import { laneOffset, quadLaneSource } from "./quad-lane-source.ts";
import { ENTRY, quadPointsSource } from "./quad-points-source.ts";
import { quadPowerSource } from "./quad-power-source.ts";

/** Most signatures of one call. */
export const MOST_SIGNATURES = 64;
const QUADS = MOST_SIGNATURES / 4;
const JOB = 97;
const KEY = 65;
const G_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
const G_Y = 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n;
/** A cube root of one modulo p, of the endomorphism that goes with the vectors of `order-source.ts`. */
const ROOT = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een;

const ENTRIES = 2 ** (WINDOW - 1);
const COMB_ENTRIES = 128;
/** Windows of one lane of a table for G; each of the four lanes has its own. */
const COMB_TABLES = 8;

/** What is held of four signatures. */
const places = { x: 0, y: QUAD, z: 2 * QUAD, table: 3 * QUAD };
const RECORD = places.table + ENTRIES * ENTRY;

/** The module's source. */
export function recoverySource(): string {
  return `
  ${quadFieldSource()}
  ${quadPowerSource(QUADS)}
  ${quadLaneSource()}
  ${quadPointsSource()}
  ${orderSource(MOST_SIGNATURES)}
  const INPUT: usize = memory.data(${MOST_SIGNATURES * JOB}, 16);
  const OUTPUT: usize = memory.data(${MOST_SIGNATURES * KEY}, 16);
  const RECORDS: usize = memory.data(${QUADS * RECORD}, 16);
  const COMB: usize = memory.data(${COMB_TABLES * COMB_ENTRIES * ENTRY}, 16);
  const GENERATOR: usize = ${bytesOf(G_X, G_Y)};
  const ROOT_BYTES: usize = ${bytesOf(ROOT)};
  const ROOT: usize = memory.data(${QUAD}, 16);
  export function input(): usize { return INPUT; }
  export function output(): usize { return OUTPUT; }
  ${exactSource()}
  ${prepareSource()}
  ${scalarsSource()}
  ${liftSource()}
  ${multiplySource()}
  ${recoverSource()}
  `;
}

/** Numbers of 32 bytes, big-endian. */
function bytesOf(...values: readonly bigint[]): string {
  const bytes = values.flatMap((value) => [...Buffer.from(value.toString(16).padStart(64, "0"), "hex")]);
  return `memory.data<u8>([${bytes.join(", ")}], 16)`;
}

/** (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60, or 0 when the square is rounded first. */
function exactSource(): string {
  return `
  const NEARLY_ONE: usize = memory.data<f64>([${1 + 2 ** -30}, ${-1 - 2 ** -29}], 16);
  export function isExact(): bool {
    const x = v128.load64_splat(NEARLY_ONE);
    return f64x2.extract_lane(f64x2.relaxed_madd(x, x, v128.load64_splat(NEARLY_ONE, 8)), 0) != 0.0;
  }`;
}

/** The lanes' tables begin at G, 2^64 G, 2^128 G and 2^192 G; the next ones at 2^8 times that. */
function prepareSource(): string {
  return `
  function doubleTimes(n: i32): void {
    memory.copy(Z, ONE, ${QUAD});
    for (let i = 0; i < n; i++) double();
    invert(E, Z);
    square(A, E);
    multiply(X, X, A);
    multiply(A, A, E);
    multiply(Y, Y, A);
  }

  export function prepare(): void {
    for (let lane = 0; lane < 4; lane++) {
      const at = ${laneOffset("lane")};
      readLane(ROOT + at, ROOT_BYTES);
      readLane(X + at, GENERATOR);
      readLane(Y + at, GENERATOR + 32);
    }
    memory.copy(COMB, X, ${QUAD});
    memory.copy(COMB + ${QUAD}, Y, ${QUAD});
    for (let lane = 1; lane < 4; lane++) {
      doubleTimes(64);
      const at = ${laneOffset("lane")};
      copyLane(COMB + at, X + at);
      copyLane(COMB + ${QUAD} + at, Y + at);
    }
    for (let i: usize = 0; i < ${COMB_TABLES}; i++) {
      const table = COMB + i * ${COMB_ENTRIES * ENTRY};
      makeTable(table, ${COMB_ENTRIES});
      invert(Z, Z);
      finishTable(table, ${COMB_ENTRIES}, Z);
      if (i == ${COMB_TABLES - 1}) return;
      memory.copy(X, table, ${QUAD});
      memory.copy(Y, table + ${QUAD}, ${QUAD});
      doubleTimes(8);
      memory.copy(table + ${COMB_ENTRIES * ENTRY}, X, ${QUAD});
      memory.copy(table + ${COMB_ENTRIES * ENTRY + QUAD}, Y, ${QUAD});
    }
  }`;
}

/** A signature that is none is replaced by (z, r, s) = (z, 1, 1), whose R is then replaced by G. */
function scalarsSource(): string {
  return `
  const IS_GOOD: usize = memory.data(${MOST_SIGNATURES}, 16);
  const SCALARS: usize = memory.data(${MOST_SIGNATURES * SCALAR}, 16);
  const FIRST: usize = memory.data(${MOST_SIGNATURES * SHORT_BYTES}, 16);
  const SECOND: usize = memory.data(${MOST_SIGNATURES * SHORT_BYTES}, 16);
  const OF_GENERATOR: usize = memory.data(${MOST_SIGNATURES * SCALAR}, 16);
  const U: usize = memory.data(${SCALAR}, 16);
  function readScalars(count: i32, padded: i32): void {
    for (let i = 0; i < padded; i++) {
      const job = INPUT + usize(i) * ${JOB};
      const r = SCALARS + usize(i) * ${SCALAR};
      readScalar(r, job + 32);
      readScalar(U, job + 64);
      const isGood = i < count && isScalar(r) && isScalar(U) && load<u8>(job, 96) < 2;
      store<u8>(IS_GOOD + usize(i), u8(isGood));
      if (!isGood) memory.copy(r, ONE_SCALAR, ${SCALAR});
    }
    invertScalars(SCALARS, padded);
    for (let i = 0; i < padded; i++) {
      const job = INPUT + usize(i) * ${JOB};
      const inverse = SCALARS + usize(i) * ${SCALAR};
      readScalar(U, job + 64);
      timesOrder(U, U, inverse);
      splitScalar(FIRST + usize(i) * ${SHORT_BYTES}, SECOND + usize(i) * ${SHORT_BYTES}, U);
      readScalar(U, job);
      timesOrder(U, U, inverse);
      windowsOf(OF_GENERATOR + usize(i) * ${SCALAR}, U);
    }
  }
  const ONE_SCALAR: usize = memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0], 16);
  `;
}

/** R of four signatures; G stands in for what is none. */
function liftSource(): string {
  return `
  function lift(record: usize, first: i32): void {
    const y = record + ${places.y};
    for (let lane = 0; lane < 4; lane++) {
      readLane(record + ${laneOffset("lane")}, INPUT + usize(first + lane) * ${JOB} + 32);
    }
    square(A, record);
    multiplyLess(A, A, record, MINUS_SEVEN);
    root(y, A);
    squareLess(B, y, A, ZERO);
    for (let lane = 0; lane < 4; lane++) {
      const at = ${laneOffset("lane")};
      const isGood = IS_GOOD + usize(first + lane);
      if (load<u8>(isGood) == 0 || !isZeroLane(B + at)) {
        store<u8>(isGood, 0);
        readLane(record + at, GENERATOR);
        readLane(y + at, GENERATOR + 32);
      } else if (isOddLane(y + at) != (load<u8>(INPUT + usize(first + lane) * ${JOB}, 96) != 0)) {
        negateLane(y + at);
      }
    }
    memory.copy(record + ${places.table}, record, ${2 * QUAD});
    makeTable(record + ${places.table}, ${ENTRIES});
    memory.copy(record + ${places.z}, Z, ${QUAD});
  }
  const MINUS_SEVEN: usize = memory.data<f64>([${minusSeven().join(", ")}], 16);
  `;
}

function minusSeven(): string[] {
  return Array.from({ length: QUAD / 8 }, (_, i) => (i % (HALF / 8) < 2 ? "-7.0" : "0.0"));
}

function multiplySource(): string {
  const lanes = [0, 1, 2, 3];
  const digits = (half: number, from: (lane: number) => string): string =>
    lanes.slice(2 * half, 2 * half + 2).map(from).join(", ");
  const short = (lane: number): string => `nibble(digits + ${SHORT_BYTES * lane}, window)`;
  const long = (lane: number): string => `i32(load<u8>(digits + ${SCALAR * lane}))`;
  const lane = (i: number): number => (i >> 1) * HALF + (i & 1) * 8;
  const ofTable = (half: number): string =>
    `pickPoint(${HALF * half}, table + ${lane(2 * half)}, table + ${lane(2 * half + 1)}, ${ENTRIES}, ${digits(half, short)}, image);`;
  const ofComb = (half: number): string =>
    `pickPoint(${HALF * half}, comb, comb, ${COMB_ENTRIES}, ${digits(half, long)}, 0);`;
  return `
  function nibble(digits: usize, window: i32): i32 {
    return (i32(load<u8>(digits + usize(window >> 1))) >> ((window & 1) << 2)) & 15;
  }

  /** The multiples of two lanes that the windows stand for, one half of what is picked. */
  function pickPoint(half: usize, a: usize, b: usize, entries: i32, m: i32, n: i32, image: usize): void {
    const first = a + usize(m < entries ? entries - 1 - m : m - entries) * ${ENTRY};
    const second = b + usize(n < entries ? entries - 1 - n : n - entries) * ${ENTRY};
    const signs = i64x2.replace_lane(
      i64x2.splat(i64(m < entries) << 63), 1, i64(n < entries) << 63);
    pick(PICKED_X + half, first + image, second + image, i64x2.splat(0));
    pick(PICKED_Y + half, first + ${QUAD}, second + ${QUAD}, signs);
  }

  function pickMultiple(table: usize, digits: usize, window: i32, image: usize): void {
    ${ofTable(0)}
    ${ofTable(1)}
  }

  function pickOfGenerator(comb: usize, digits: usize): void {
    ${ofComb(0)}
    ${ofComb(1)}
  }

  /** Leaves the key with its Z, for four signatures. */
  function multiplyPoint(record: usize, first: i32): void {
    const table = record + ${places.table};
    const one = FIRST + usize(first) * ${SHORT_BYTES};
    const two = SECOND + usize(first) * ${SHORT_BYTES};
    pickMultiple(table, one, ${WINDOWS - 1}, 0);
    memory.copy(X, PICKED_X, ${QUAD});
    memory.copy(Y, PICKED_Y, ${QUAD});
    memory.copy(Z, ONE, ${QUAD});
    for (let window = ${WINDOWS - 1}; window >= 0; window--) {
      if (window < ${WINDOWS - 1}) {
        for (let i = 0; i < ${WINDOW}; i++) double();
        pickMultiple(table, one, window, 0);
        addPoint(PICKED_X, PICKED_Y);
      }
      pickMultiple(table, two, window, ${2 * QUAD});
      addPoint(PICKED_X, PICKED_Y);
    }
    for (let window: usize = 0; window < 32; window++) {
      const lane = i32(window >> 3);
      const comb = COMB + (window & 7) * ${COMB_ENTRIES * ENTRY} + ${laneOffset("lane")};
      pickOfGenerator(comb, OF_GENERATOR + usize(first) * ${SCALAR} + window);
      addPoint(PICKED_X, PICKED_Y);
    }
    memory.copy(record + ${places.x}, X, ${QUAD});
    memory.copy(record + ${places.y}, Y, ${QUAD});
    memory.copy(record + ${places.z}, Z, ${QUAD});
  }`;
}

function recoverSource(): string {
  return `
  export function recover(count: i32): void {
    const quads = (count + 3) >> 2;
    readScalars(count, quads << 2);
    for (let i = 0; i < quads; i++) lift(RECORDS + usize(i) * ${RECORD}, i << 2);
    invertAll(RECORDS + ${places.z}, ${RECORD}, quads);
    for (let i = 0; i < quads; i++) {
      const record = RECORDS + usize(i) * ${RECORD};
      finishTable(record + ${places.table}, ${ENTRIES}, record + ${places.z});
      for (let j = 0; j < ${ENTRIES}; j++) {
        const entry = record + ${places.table} + usize(j) * ${ENTRY};
        multiply(entry + ${2 * QUAD}, entry, ROOT);
      }
      multiplyPoint(record, i << 2);
      keepFinite(record, i << 2);
    }
    invertAll(RECORDS + ${places.z}, ${RECORD}, quads);
    for (let i = 0; i < quads; i++) writeKeys(RECORDS + usize(i) * ${RECORD}, i << 2, count);
  }

  function keepFinite(record: usize, first: i32): void {
    for (let lane = 0; lane < 4; lane++) {
      const at = ${laneOffset("lane")};
      if (!isZeroLane(record + ${places.z} + at)) continue;
      copyLane(record + ${places.z} + at, ONE);
      store<u8>(IS_GOOD + usize(first + lane), 0);
    }
  }

  function writeKeys(record: usize, first: i32, count: i32): void {
    square(A, record + ${places.z});
    multiply(B, A, record + ${places.z});
    multiply(A, A, record + ${places.x});
    multiply(B, B, record + ${places.y});
    for (let lane = 0; lane < 4 && first + lane < count; lane++) {
      const at = ${laneOffset("lane")};
      const key = OUTPUT + usize(first + lane) * ${KEY};
      store<u8>(key, load<u8>(IS_GOOD + usize(first + lane)));
      writeLane(key + 1, A + at);
      writeLane(key + 33, B + at);
    }
  }`;
}
