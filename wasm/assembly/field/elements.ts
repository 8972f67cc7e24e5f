/**
 * Elements of a prime field, two side by side: as two elements of Fp, lane by lane, or as one element a + b i of its
 * extension Fp2 by a root i of -1. All functions take addresses; a result may be where an operand is.
 *
 * An element is signed limbs: limb i of the first lane, limb i of the second, and so on. R is far above the modulus, so
 * sums and differences need no reduction, only carries. What is stored has limbs in (-8, 2^BITS + 8): products come out
 * carried, and sums carry at once, in one round. The sum of a column of products is below 2.1 * LIMBS * 2^(2 BITS) lane
 * by lane and below 3.1 * LIMBS * 2^(2 BITS) in Fp2, which must be below 2^63; a bias makes it positive for shifts.
 *
 * Reduction is Montgomery's ("Modular multiplication without trial division") with one change: all steps but the last
 * add a multiple of a number N that is -1 modulo a limb, so their factor is the low limb itself; the last adds a multiple
 * of the modulus. N is a multiple of the modulus of one limb more, so a product stays below twice the modulus plus what
 * the factors bring.
 */
import {
  BIAS,
  BITS,
  ELEMENT,
  FACTOR,
  HIGH,
  LAST_BIAS,
  LIMB,
  LIMBS,
  MASKS,
  MODULUS,
  NEXT_BIAS,
  PLAIN_ONE,
  TOP_MASKS,
} from "../constants";

const VECTORS = LIMBS / 2;
const FIRST: usize = memory.data<u64>([0xffffffff, 0xffffffff], 16);
const SECOND: usize = memory.data<u64>([0xffffffff00000000, 0xffffffff00000000], 16);
const LEFT: usize = memory.data(ELEMENT, 16);
const RIGHT: usize = memory.data(ELEMENT, 16);
const TWICE: usize = memory.data(ELEMENT, 16);
const REDUCED: usize = memory.data(ELEMENT, 16);

/**
 * Stores a vector of a sum with its carries; the top limb keeps what it has. A sum must stay within signed words.
 * @unroll
 */
function storeCarried(r: usize, v: i32, x: v128, carries: StaticArray<v128>): void {
  carries[v] = i32x4.shr_s(x, BITS);
  v128.store(
    r,
    i32x4.add(
      v128.and(x, v128.load(v === VECTORS - 1 ? TOP_MASKS : MASKS)),
      v128.shuffle<i32>(v === 0 ? i32x4.splat(0) : carries[v - 1], carries[v], 2, 3, 4, 5),
    ),
    16 * v,
  );
}

/** @unroll */
export function add(r: usize, a: usize, b: usize): void {
  const carries = new StaticArray<v128>(VECTORS);
  for (let v = 0; v < VECTORS; v++) {
    storeCarried(r, v, i32x4.add(v128.load(a, 16 * v), v128.load(b, 16 * v)), carries);
  }
}

/** @unroll */
export function subtract(r: usize, a: usize, b: usize): void {
  const carries = new StaticArray<v128>(VECTORS);
  for (let v = 0; v < VECTORS; v++) {
    storeCarried(r, v, i32x4.sub(v128.load(a, 16 * v), v128.load(b, 16 * v)), carries);
  }
}

/** @unroll */
export function triple(r: usize, a: usize): void {
  const carries = new StaticArray<v128>(VECTORS);
  for (let v = 0; v < VECTORS; v++) {
    storeCarried(r, v, i32x4.mul(v128.load(a, 16 * v), i32x4.splat(3)), carries);
  }
}

/**
 * a + 2 b.
 * @unroll
 */
export function addTwice(r: usize, a: usize, b: usize): void {
  const carries = new StaticArray<v128>(VECTORS);
  for (let v = 0; v < VECTORS; v++) {
    storeCarried(r, v, i32x4.add(v128.load(a, 16 * v), i32x4.shl(v128.load(b, 16 * v), 1)), carries);
  }
}

/**
 * a + b with the lanes of b exchanged.
 * @unroll
 */
export function addExchanged(r: usize, a: usize, b: usize): void {
  const carries = new StaticArray<v128>(VECTORS);
  for (let v = 0; v < VECTORS; v++) {
    const y = v128.load(b, 16 * v);
    storeCarried(r, v, i32x4.add(v128.load(a, 16 * v), v128.shuffle<i32>(y, y, 1, 0, 3, 2)), carries);
  }
}

/**
 * a + i b.
 * @unroll
 */
export function addTimesRoot(r: usize, a: usize, b: usize): void {
  const carries = new StaticArray<v128>(VECTORS);
  for (let v = 0; v < VECTORS; v++) {
    const y = v128.load(b, 16 * v);
    const turned = v128.xor(v128.shuffle<i32>(y, y, 1, 0, 3, 2), v128.load(FIRST));
    storeCarried(r, v, i32x4.add(v128.load(a, 16 * v), i32x4.sub(turned, v128.load(FIRST))), carries);
  }
}

/** @unroll */
export function conjugate(r: usize, a: usize): void {
  const carries = new StaticArray<v128>(VECTORS);
  for (let v = 0; v < VECTORS; v++) {
    const x = i32x4.sub(v128.xor(v128.load(a, 16 * v), v128.load(SECOND)), v128.load(SECOND));
    storeCarried(r, v, x, carries);
  }
}

/**
 * Adds the products of two numbers by limb j of two others to a sum, or begins it.
 * @unroll
 */
function addProduct(sum: StaticArray<v128>, begins: bool, x: v128, y: v128, j: i32): void {
  const product = (j & 1) === 0 ? i64x2.extmul_low_i32x4_s(x, y) : i64x2.extmul_high_i32x4_s(x, y);
  sum[0] = begins ? product : i64x2.add(sum[0], product);
}

/**
 * Column k of a product, which is carried in `t`: its sum `s`, then factors of the modulus, of which each low column
 * brings one; each high one brings a limb of the result. A column is summed before the carry and the newest factor come
 * to it: what waits for the column before is short.
 * @unroll
 */
function reduceColumn(
  r: usize,
  k: i32,
  t: StaticArray<v128>,
  s: StaticArray<v128>,
  factors: StaticArray<v128>,
  limbs: StaticArray<v128>,
): void {
  for (let m = k < LIMBS ? 0 : k - LIMBS; m < (k < LIMBS ? k - 1 : LIMBS - 1); m++) {
    addProduct(s, false, factors[m], v128.load(HIGH, 16 * ((k - 1 - m) >> 1)), k - 1 - m);
  }
  t[0] = i64x2.add(t[0], s[0]);
  if (k > 0 && k < LIMBS) addProduct(t, false, factors[k - 1], v128.load(HIGH), 0);
  if (k >= LIMBS) {
    const j = k - LIMBS + 1;
    addProduct(t, false, factors[LIMBS - 1], v128.load(MODULUS, 16 * (j >> 1)), j);
    limbs[k - LIMBS] = v128.and(t[0], v128.load(LIMB));
  } else if (k < LIMBS - 1) {
    factors[k] = v128.shuffle<i32>(v128.and(t[0], v128.load(LIMB)), i32x4.splat(0), 0, 2, 0, 2);
  } else {
    const low = v128.and(i32x4.mul(t[0], v128.load(FACTOR)), v128.load(LIMB));
    factors[k] = v128.shuffle<i32>(low, i32x4.splat(0), 0, 2, 0, 2);
    addProduct(t, false, factors[k], v128.load(MODULUS), 0);
  }
  t[0] = i64x2.add(i64x2.shr_u(t[0], BITS), v128.load(k === 2 * LIMBS - 2 ? LAST_BIAS : NEXT_BIAS));
  if (k > LIMBS && ((k - LIMBS) & 1) === 1) {
    v128.store(r, v128.shuffle<i32>(limbs[k - LIMBS - 1], limbs[k - LIMBS], 0, 2, 4, 6), 8 * (k - LIMBS - 1));
  }
}

/**
 * The products of the lanes.
 * @unroll
 */
export function multiplyLanes(r: usize, a: usize, b: usize): void {
  const y = new StaticArray<v128>(VECTORS);
  const t = new StaticArray<v128>(1);
  const s = new StaticArray<v128>(1);
  const factors = new StaticArray<v128>(LIMBS);
  const limbs = new StaticArray<v128>(LIMBS);
  for (let v = 0; v < VECTORS; v++) y[v] = v128.load(b, 16 * v);
  t[0] = v128.load(BIAS);
  for (let k = 0; k < 2 * LIMBS - 1; k++) {
    const lowest = k < LIMBS ? 0 : k - LIMBS + 1;
    for (let i = lowest; i < LIMBS && i <= k; i++) {
      addProduct(s, i === lowest, v128.load64_splat(a, 8 * i), y[(k - i) >> 1], k - i);
    }
    reduceColumn(r, k, t, s, factors, limbs);
  }
  v128.store(r, v128.shuffle<i32>(limbs[LIMBS - 2], t[0], 0, 2, 4, 6), 8 * (LIMBS - 2));
}

/**
 * The squares of the lanes. Products of two different limbs come twice, and are made once.
 * @unroll
 */
export function squareLanes(r: usize, a: usize): void {
  const y = new StaticArray<v128>(VECTORS);
  const t = new StaticArray<v128>(1);
  const s = new StaticArray<v128>(1);
  const factors = new StaticArray<v128>(LIMBS);
  const limbs = new StaticArray<v128>(LIMBS);
  for (let v = 0; v < VECTORS; v++) y[v] = v128.load(a, 16 * v);
  for (let v = 0; v < VECTORS; v++) v128.store(TWICE, i32x4.shl(y[v], 1), 16 * v);
  t[0] = v128.load(BIAS);
  for (let k = 0; k < 2 * LIMBS - 1; k++) {
    const lowest = k < LIMBS ? 0 : k - LIMBS + 1;
    for (let i = lowest; 2 * i <= k; i++) {
      addProduct(s, i === lowest, v128.load64_splat(2 * i === k ? a : TWICE, 8 * i), y[(k - i) >> 1], k - i);
    }
    reduceColumn(r, k, t, s, factors, limbs);
  }
  v128.store(r, v128.shuffle<i32>(limbs[LIMBS - 2], t[0], 0, 2, 4, 6), 8 * (LIMBS - 2));
}

/**
 * The product in Fp2 of a0 + a1 i and b: a0 times b, and a1 times i b.
 * @unroll
 */
export function multiply(r: usize, a: usize, b: usize): void {
  const signs = v128.load(FIRST);
  const y = new StaticArray<v128>(VECTORS);
  const z = new StaticArray<v128>(VECTORS);
  const t = new StaticArray<v128>(1);
  const s = new StaticArray<v128>(1);
  const factors = new StaticArray<v128>(LIMBS);
  const limbs = new StaticArray<v128>(LIMBS);
  for (let v = 0; v < VECTORS; v++) y[v] = v128.load(b, 16 * v);
  for (let v = 0; v < VECTORS; v++) {
    z[v] = i32x4.sub(v128.xor(v128.shuffle<i32>(y[v], y[v], 1, 0, 3, 2), signs), signs);
  }
  t[0] = v128.load(BIAS);
  for (let k = 0; k < 2 * LIMBS - 1; k++) {
    const lowest = k < LIMBS ? 0 : k - LIMBS + 1;
    for (let i = lowest; i < LIMBS && i <= k; i++) {
      addProduct(s, i === lowest, v128.load32_splat(a, 8 * i), y[(k - i) >> 1], k - i);
      addProduct(s, false, v128.load32_splat(a, 8 * i + 4), z[(k - i) >> 1], k - i);
    }
    reduceColumn(r, k, t, s, factors, limbs);
  }
  v128.store(r, v128.shuffle<i32>(limbs[LIMBS - 2], t[0], 0, 2, 4, 6), 8 * (LIMBS - 2));
}

/**
 * The square in Fp2: (a0 + a1)(a0 - a1), and 2 a0 a1.
 * @unroll
 */
export function square(r: usize, a: usize): void {
  const firsts = v128.load(FIRST);
  for (let v = 0; v < VECTORS; v++) {
    const x = v128.load(a, 16 * v);
    const y = v128.shuffle<i32>(x, x, 1, 0, 3, 2);
    v128.store(LEFT, i32x4.add(v128.shuffle<i32>(x, x, 0, 0, 2, 2), y), 16 * v);
    v128.store(RIGHT, i32x4.sub(x, v128.and(y, firsts)), 16 * v);
  }
  multiplyLanes(r, LEFT, RIGHT);
}

/**
 * 1 when the first element is zero, plus 2 when the second is: multiplied by one, which R divides, an element that is
 * zero is 0 or the modulus.
 * @unroll
 */
export function zeroLanes(a: usize): i32 {
  multiplyLanes(REDUCED, PLAIN_ONE, a);
  let zero = i32x4.splat(0);
  let modulus = i32x4.splat(0);
  for (let v = 0; v < VECTORS; v++) {
    const x = v128.load(REDUCED, 16 * v);
    zero = v128.or(zero, x);
    modulus = v128.or(modulus, v128.xor(x, v128.load(MODULUS, 16 * v)));
  }
  const z = i64x2.extract_lane(zero, 0) | i64x2.extract_lane(zero, 1);
  const m = i64x2.extract_lane(modulus, 0) | i64x2.extract_lane(modulus, 1);
  const first = u32(z) === 0 || u32(m) === 0;
  const second = u64(z) >> 32 === 0 || u64(m) >> 32 === 0;
  return i32(first) | (i32(second) << 1);
}

export function isZero(a: usize): bool {
  return zeroLanes(a) === 3;
}
