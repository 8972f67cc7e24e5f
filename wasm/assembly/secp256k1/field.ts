/**
 * Elements of secp256k1's field, integers modulo p = 2^256 - 2^32 - 977, four side by side: two halves of two lanes. All
 * functions take addresses; a result may be where an operand is.
 *
 * A limb is a signed integer in a double, and counts 2^43 of the one below. A product of limbs is split in two doubles
 * without loss: added to 1.5 * 2^95 it is rounded to a multiple of 2^43, and a second fused multiplication gives what the
 * rounding took. 2^258 is 4 * (2^32 + 977), by which the upper half is folded into the lower.
 *
 * Exact as long as every sum stays below 2^53 of its last place. A product's limbs are below 2^42 + 2^9 in magnitude, the
 * lowest, to which the fold brings most, below 1.6 * 2^42. Say a product weighs 1, and a sum what its terms weigh
 * together. Operands whose weights, with the number `f`, multiply to 64 at most, both products of `multiplyApart`
 * together, keep to that: a column is below 64 * 7.2 * 2^84 < 2^93 and brings 2^50 to the next one; the top limb's carry
 * is below 2^7 and brings 2^41 to the lowest. What is taken away from a product weighs 8 at most.
 */
const LIMBS = 6;
/** Bytes of two elements, a half, and of four. */
export const HALF: usize = LIMBS * 16;
export const QUAD: usize = 2 * HALF;
/** 2^32 + 977, which is 2^256 modulo p. */
export const FOLD_BITS = 4294968273;

/** 1.5 * 2^95. */
const ROUND: usize = memory.data<f64>([59421121885698253195157962752.0, 59421121885698253195157962752.0], 16);
/** ROUND - ROUND * 2^-43. */
const LACKING: usize = memory.data<f64>(
  [59421121885691497795716907008.0, 59421121885691497795716907008.0],
  16,
);
/** -ROUND * 2^-43. */
const LACK: usize = memory.data<f64>([-6755399441055744.0, -6755399441055744.0], 16);
/** 2^-43. */
const DOWN: usize = memory.data<f64>([1.1368683772161603e-13, 1.1368683772161603e-13], 16);
/** 4 * (2^32 + 977), and that times 2^-43. */
const FOLD: usize = memory.data<f64>([17179873092.0, 17179873092.0], 16);
const FOLD_DOWN: usize = memory.data<f64>([0.001953125444288162, 0.001953125444288162], 16);
const POWER: usize = memory.data(QUAD, 16);

/**
 * Adds a product of limbs to a column: its lower part to `s`, its upper part to `u`, with which a product of `round`
 * comes; that is why the first lower part lacks as much.
 * @unroll
 */
function addProduct(
  s: StaticArray<v128>,
  u: StaticArray<v128>,
  k: i32,
  isFirst: bool,
  isTaken: bool,
  x: v128,
  y: v128,
  round: v128,
): void {
  const before = isFirst ? round : u[k];
  const upper = isTaken ? f64x2.relaxed_nmadd(x, y, before) : f64x2.relaxed_madd(x, y, before);
  const gap = f64x2.sub(isFirst && k > 0 ? v128.load(LACKING) : before, upper);
  const lower = isTaken ? f64x2.relaxed_nmadd(x, y, gap) : f64x2.relaxed_madd(x, y, gap);
  s[k] = isFirst ? lower : f64x2.add(s[k], lower);
  u[k] = upper;
}

/**
 * Adds what column k - 1 brings.
 * @unroll
 */
function addUpper(s: StaticArray<v128>, u: StaticArray<v128>, k: i32, down: v128): void {
  if (k > 0) s[k] = f64x2.relaxed_madd(u[k - 1], down, s[k]);
}

/** @unroll */
function multiplyColumns(
  x: StaticArray<v128>,
  y: StaticArray<v128>,
  s: StaticArray<v128>,
  u: StaticArray<v128>,
  round: v128,
  down: v128,
): void {
  for (let k = 0; k < 2 * LIMBS - 1; k++) {
    const lowest = k < LIMBS ? 0 : k - LIMBS + 1;
    for (let i = lowest; i < LIMBS && i <= k; i++) {
      addProduct(s, u, k, i === lowest, false, x[i], y[k - i], round);
    }
    addUpper(s, u, k, down);
  }
}

/**
 * x y - v w.
 * @unroll
 */
function multiplyApartColumns(
  x: StaticArray<v128>,
  y: StaticArray<v128>,
  v: StaticArray<v128>,
  w: StaticArray<v128>,
  s: StaticArray<v128>,
  u: StaticArray<v128>,
  round: v128,
  down: v128,
): void {
  for (let k = 0; k < 2 * LIMBS - 1; k++) {
    const lowest = k < LIMBS ? 0 : k - LIMBS + 1;
    for (let i = lowest; i < LIMBS && i <= k; i++) {
      addProduct(s, u, k, i === lowest, false, x[i], y[k - i], round);
    }
    for (let i = lowest; i < LIMBS && i <= k; i++) {
      addProduct(s, u, k, false, true, v[i], w[k - i], round);
    }
    addUpper(s, u, k, down);
  }
}

/**
 * Products of two different limbs come twice, and are made once: `twice` is double `once`, which is a multiple of x.
 * @unroll
 */
function squareColumns(
  x: StaticArray<v128>,
  once: StaticArray<v128>,
  twice: StaticArray<v128>,
  s: StaticArray<v128>,
  u: StaticArray<v128>,
  round: v128,
  down: v128,
): void {
  for (let k = 0; k < 2 * LIMBS - 1; k++) {
    const lowest = k < LIMBS ? 0 : k - LIMBS + 1;
    for (let i = lowest; 2 * i <= k; i++) {
      addProduct(s, u, k, i === lowest, false, 2 * i === k ? once[i] : twice[i], x[k - i], round);
    }
    addUpper(s, u, k, down);
  }
}

/**
 * Column LIMBS + k comes to columns k and k + 1, the last one first: what it brings above the top is folded too.
 * @unroll
 */
function foldColumns(s: StaticArray<v128>, u: StaticArray<v128>, round: v128, down: v128, fold: v128): void {
  s[2 * LIMBS - 1] = f64x2.relaxed_madd(u[2 * LIMBS - 2], down, v128.load(LACK));
  for (let n = 0; n < LIMBS; n++) {
    const k = (n + LIMBS - 1) % LIMBS;
    const f = f64x2.sub(round, f64x2.relaxed_madd(s[k + LIMBS], fold, round));
    s[k] = f64x2.add(s[k], f64x2.relaxed_madd(s[k + LIMBS], fold, f));
    s[k + 1] = f64x2.relaxed_nmadd(f, down, s[k + 1]);
  }
}

/**
 * All limbs carry at once; the top limb's carry goes to the lowest.
 * @unroll
 */
function storeCarried(r: usize, s: StaticArray<v128>, round: v128, down: v128): void {
  const up = new StaticArray<v128>(LIMBS);
  for (let k = 0; k < LIMBS; k++) up[k] = f64x2.sub(f64x2.add(s[k], round), round);
  for (let k = 0; k < LIMBS; k++) {
    const carry = k === 0 ? up[LIMBS - 1] : up[k - 1];
    const by = k === 0 ? v128.load(FOLD_DOWN) : down;
    v128.store(r, f64x2.relaxed_madd(carry, by, f64x2.sub(s[k], up[k])), 16 * k);
  }
}

/** @unroll */
function multiplyHalf(r: usize, a: usize, b: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const y = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) y[i] = v128.load(b, 16 * i);
  multiplyColumns(x, y, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  storeCarried(r, s, round, down);
}

export function multiply(r: usize, a: usize, b: usize): void {
  multiplyHalf(r, a, b);
  multiplyHalf(r + HALF, a + HALF, b + HALF);
}

/**
 * a b f, for a number f in both lanes.
 * @unroll
 */
function multiplyByHalf(r: usize, a: usize, b: usize, f: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const y = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) y[i] = f64x2.mul(v128.load(b, 16 * i), v128.load(f));
  multiplyColumns(x, y, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  storeCarried(r, s, round, down);
}

/** a b f, for a number f in both lanes. */
export function multiplyBy(r: usize, a: usize, b: usize, f: usize): void {
  multiplyByHalf(r, a, b, f);
  multiplyByHalf(r + HALF, a + HALF, b + HALF, f);
}

/**
 * a b - c.
 * @unroll
 */
function multiplyLessHalf(r: usize, a: usize, b: usize, c: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const y = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) y[i] = v128.load(b, 16 * i);
  multiplyColumns(x, y, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  for (let i = 0; i < LIMBS; i++) s[i] = f64x2.sub(s[i], v128.load(c, 16 * i));
  storeCarried(r, s, round, down);
}

/** a b - c. */
export function multiplyLess(r: usize, a: usize, b: usize, c: usize): void {
  multiplyLessHalf(r, a, b, c);
  multiplyLessHalf(r + HALF, a + HALF, b + HALF, c + HALF);
}

/**
 * a (b - c) - d.
 * @unroll
 */
function multiplyGapLessHalf(r: usize, a: usize, b: usize, c: usize, d: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const y = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) y[i] = f64x2.sub(v128.load(b, 16 * i), v128.load(c, 16 * i));
  multiplyColumns(x, y, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  for (let i = 0; i < LIMBS; i++) s[i] = f64x2.sub(s[i], v128.load(d, 16 * i));
  storeCarried(r, s, round, down);
}

/** a (b - c) - d. */
export function multiplyGapLess(r: usize, a: usize, b: usize, c: usize, d: usize): void {
  multiplyGapLessHalf(r, a, b, c, d);
  multiplyGapLessHalf(r + HALF, a + HALF, b + HALF, c + HALF, d + HALF);
}

/**
 * a (b - c) - d e.
 * @unroll
 */
function multiplyApartHalf(r: usize, a: usize, b: usize, c: usize, d: usize, e: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const y = new StaticArray<v128>(LIMBS);
  const v = new StaticArray<v128>(LIMBS);
  const w = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) y[i] = f64x2.sub(v128.load(b, 16 * i), v128.load(c, 16 * i));
  for (let i = 0; i < LIMBS; i++) v[i] = v128.load(d, 16 * i);
  for (let i = 0; i < LIMBS; i++) w[i] = v128.load(e, 16 * i);
  multiplyApartColumns(x, y, v, w, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  storeCarried(r, s, round, down);
}

/** a (b - c) - d e. */
export function multiplyApart(r: usize, a: usize, b: usize, c: usize, d: usize, e: usize): void {
  multiplyApartHalf(r, a, b, c, d, e);
  multiplyApartHalf(r + HALF, a + HALF, b + HALF, c + HALF, d + HALF, e + HALF);
}

/** @unroll */
function squareHalf(r: usize, a: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const twice = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) twice[i] = f64x2.add(x[i], x[i]);
  squareColumns(x, x, twice, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  storeCarried(r, s, round, down);
}

export function square(r: usize, a: usize): void {
  squareHalf(r, a);
  squareHalf(r + HALF, a + HALF);
}

/**
 * a^2 f, for a number f in both lanes.
 * @unroll
 */
function squareByHalf(r: usize, a: usize, f: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const once = new StaticArray<v128>(LIMBS);
  const twice = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) once[i] = f64x2.mul(x[i], v128.load(f));
  for (let i = 0; i < LIMBS; i++) twice[i] = f64x2.add(once[i], once[i]);
  squareColumns(x, once, twice, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  storeCarried(r, s, round, down);
}

/** a^2 f, for a number f in both lanes. */
export function squareBy(r: usize, a: usize, f: usize): void {
  squareByHalf(r, a, f);
  squareByHalf(r + HALF, a + HALF, f);
}

/**
 * a^2 - b - 2 c.
 * @unroll
 */
function squareLessHalf(r: usize, a: usize, b: usize, c: usize): void {
  const round = v128.load(ROUND);
  const down = v128.load(DOWN);
  const fold = v128.load(FOLD);
  const x = new StaticArray<v128>(LIMBS);
  const twice = new StaticArray<v128>(LIMBS);
  const s = new StaticArray<v128>(2 * LIMBS);
  const u = new StaticArray<v128>(2 * LIMBS - 1);
  for (let i = 0; i < LIMBS; i++) x[i] = v128.load(a, 16 * i);
  for (let i = 0; i < LIMBS; i++) twice[i] = f64x2.add(x[i], x[i]);
  squareColumns(x, x, twice, s, u, round, down);
  foldColumns(s, u, round, down, fold);
  for (let i = 0; i < LIMBS; i++) s[i] = f64x2.sub(s[i], v128.load(b, 16 * i));
  for (let i = 0; i < LIMBS; i++)
    s[i] = f64x2.sub(s[i], f64x2.add(v128.load(c, 16 * i), v128.load(c, 16 * i)));
  storeCarried(r, s, round, down);
}

/** a^2 - b - 2 c. */
export function squareLess(r: usize, a: usize, b: usize, c: usize): void {
  squareLessHalf(r, a, b, c);
  squareLessHalf(r + HALF, a + HALF, b + HALF, c + HALF);
}

/** a^(2^n) b. */
export function squareTimes(r: usize, a: usize, n: i32, b: usize): void {
  square(POWER, a);
  for (let i = 1; i < n; i++) square(POWER, POWER);
  multiply(r, POWER, b);
}
