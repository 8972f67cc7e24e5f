/**
 * Scalars modulo n, the order of secp256k1's group (SEC 2 section 2.4.1): eight limbs of 32 bits, the lowest first,
 * Montgomery's products, and the digits by which points are multiplied.
 *
 * Digits are odd: a window of w bits with value m stands for 2 m - (2^w - 1). All odd numbers k of L bits with either sign
 * are such sums, of the windows of (k + 2^L - 1) / 2. For products with R a scalar becomes k1 + k2 l, where l is the factor
 * of the endomorphism (x, y) -> (b x, y) (Gallant, Lambert, Vanstone: "Faster point multiplication on elliptic curves with
 * efficient endomorphisms"): (u, 0) less multiples c1, c2 of the short vectors (a1, b1), (a2, b2) with a + b l = 0 modulo
 * n. a1, b1 and b2 are odd and a2 is even, so the parities of c1 and c2 make k1 and k2 odd; each is at most one away from
 * its rounded value, so k1 and k2 are below 2 (a1 + a2) < 2^130. test/wasm/secp256k1-order.test.ts derives the
 * constants.
 */

/** Scalars that `invertScalars` takes. */
export const MAX_SCALARS = 64;
/** Bytes of a scalar. */
export const SCALAR: usize = 32;
/** Bits of the windows of k1 and k2, and how many there are. */
export const WINDOW = 4;
export const WINDOWS = 33;
/** Limbs of k1 and k2, and their bytes. */
const SHORT = 5;
export const SHORT_BYTES: usize = 4 * SHORT;
/** -1 / n modulo 2^32. */
const FACTOR: u64 = 0x5588b13f;
const ORDER_LESS_2: usize = memory.data<u32>(
  [0xd036413f, 0xbfd25e8c, 0xaf48a03b, 0xbaaedce6, 0xfffffffe, 0xffffffff, 0xffffffff, 0xffffffff],
  16,
);
/** 2^512 modulo n. */
const FORM: usize = memory.data<u32>(
  [0x67d7d140, 0x896cf214, 0xe7cf878, 0x741496c2, 0x5bcd07c6, 0xe697f5e4, 0x81c69bc5, 0x9d671cd5],
  16,
);
/** 2^256 modulo n. */
const ONE_FORMED: usize = memory.data<u32>(
  [0x2fc9bebf, 0x402da173, 0x50b75fc4, 0x45512319, 0x1, 0x0, 0x0, 0x0],
  16,
);
/** 2^256 - n. */
const COMPLEMENT: usize = memory.data<u32>(
  [0x2fc9bebf, 0x402da173, 0x50b75fc4, 0x45512319, 0x1, 0x0, 0x0, 0x0],
  16,
);
/** 2^384 b2 / n and -2^384 b1 / n, rounded down. */
const G1: usize = memory.data<u32>(
  [0x45dbb030, 0xe893209a, 0x71e8ca7f, 0x3daa8a14, 0x9284eb15, 0xe86c90e4, 0xa7d46bcd, 0x3086d221],
  16,
);
const G2: usize = memory.data<u32>(
  [0x8ac47f71, 0x1571b4ae, 0x9df506c6, 0x221208ac, 0xabfe4c4, 0x6f547fa9, 0x10e8828, 0xe4437ed6],
  16,
);
/** The short vectors, modulo 2^160. */
const SHORT_A1: usize = memory.data<u32>([0x9284eb15, 0xe86c90e4, 0xa7d46bcd, 0x3086d221, 0x0], 16);
const SHORT_B1: usize = memory.data<u32>([0xf5401b3d, 0x90ab8056, 0xfef177d7, 0x1bbc8129, 0xffffffff], 16);
const SHORT_A2: usize = memory.data<u32>([0x9d44cfd8, 0x57c1108d, 0xa8e2f3f6, 0x14ca50f7, 0x1], 16);
const SHORT_B2: usize = memory.data<u32>([0x9284eb15, 0xe86c90e4, 0xa7d46bcd, 0x3086d221, 0x0], 16);

/** From 32 bytes, big-endian. */
export function readScalar(to: usize, from: usize): void {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(to + i, bswap(load<u64>(from + 24 - i)));
}

/** a + 2^256 - n to r; 1 when that passes 2^256, which it does when a is n or more. */
function addComplement(r: usize, a: usize): u32 {
  let carry: u64 = 0;
  for (let i: usize = 0; i < 32; i += 4) {
    carry += u64(load<u32>(a + i)) + u64(load<u32>(COMPLEMENT + i));
    store<u32>(r + i, u32(carry));
    carry >>= 32;
  }
  return u32(carry);
}

const SUM: usize = memory.data(32, 16);
export function isScalar(a: usize): bool {
  const any = load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24);
  return any !== 0 && addComplement(SUM, a) === 0;
}

/**
 * a b / 2^256 modulo n; either may be any 256 bits when the other is below n.
 * @unroll
 */
export function timesOrder(r: usize, a: usize, b: usize): void {
  const order = [
    0xd0364141, 0xbfd25e8c, 0xaf48a03b, 0xbaaedce6, 0xfffffffe, 0xffffffff, 0xffffffff, 0xffffffff,
  ];
  const y = new StaticArray<u64>(8);
  const x = new StaticArray<u64>(9);
  for (let j = 0; j < 8; j++) y[j] = u64(load<u32>(b, 4 * j));
  for (let j = 0; j < 9; j++) x[j] = 0;
  for (let i: usize = 0; i < 32; i += 4) {
    const limb = u64(load<u32>(a + i));
    let carry: u64 = 0;
    let sum: u64;
    for (let j = 0; j < 8; j++) {
      sum = x[j] + limb * y[j] + carry;
      x[j] = sum & 0xffffffff;
      carry = sum >> 32;
    }
    x[8] += carry;
    const m = (x[0] * FACTOR) & 0xffffffff;
    carry = (x[0] + m * order[0]) >> 32;
    for (let j = 0; j < 7; j++) {
      sum = x[j + 1] + m * order[j + 1] + carry;
      x[j] = sum & 0xffffffff;
      carry = sum >> 32;
    }
    sum = x[8] + carry;
    x[7] = sum & 0xffffffff;
    x[8] = sum >> 32;
  }
  for (let j = 0; j < 8; j++) store<u32>(r, u32(x[j]), 4 * j);
  if (addComplement(SUM, r) !== 0 || x[8] !== 0) memory.copy(r, SUM, SCALAR);
}

const PREFIXES: usize = memory.data(MAX_SCALARS * SCALAR, 16);
const REST: usize = memory.data(SCALAR, 16);
const OWN_SCALAR: usize = memory.data(SCALAR, 16);
export function invertScalars(first: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const at = first + usize(i) * SCALAR;
    timesOrder(at, at, FORM);
    timesOrder(PREFIXES + usize(i) * SCALAR, i === 0 ? ONE_FORMED : PREFIXES + usize(i - 1) * SCALAR, at);
  }
  powerToInvert(PREFIXES + usize(count - 1) * SCALAR);
  for (let i = count - 1; i >= 0; i--) {
    const at = first + usize(i) * SCALAR;
    timesOrder(OWN_SCALAR, REST, i === 0 ? ONE_FORMED : PREFIXES + usize(i - 1) * SCALAR);
    timesOrder(REST, REST, at);
    memory.copy(at, OWN_SCALAR, SCALAR);
  }
}

function powerToInvert(a: usize): void {
  memory.copy(REST, ONE_FORMED, SCALAR);
  for (let bit = 255; bit >= 0; bit--) {
    timesOrder(REST, REST, REST);
    if (((load<u8>(ORDER_LESS_2 + usize(bit >> 3)) >> u8(bit & 7)) & 1) !== 0) timesOrder(REST, REST, a);
  }
}

const WIDE: usize = memory.data(64, 16);
const C1: usize = memory.data(16, 16);
const C2: usize = memory.data(16, 16);
/** (a g) >> 384 to r, four limbs. */
function highProduct(r: usize, a: usize, g: usize): void {
  memory.fill(WIDE, 0, 64);
  for (let i: usize = 0; i < 32; i += 4) {
    const x = u64(load<u32>(a + i));
    let carry: u64 = 0;
    for (let j: usize = 0; j < 32; j += 4) {
      carry += u64(load<u32>(WIDE + i + j)) + x * u64(load<u32>(g + j));
      store<u32>(WIDE + i + j, u32(carry));
      carry >>= 32;
    }
    store<u32>(WIDE + i + 32, u32(carry));
  }
  memory.copy(r, WIDE + 48, 16);
}

/** k - c v, as far as the limbs of k go. */
function subtractProduct(k: usize, c: usize, v: usize): void {
  for (let i: usize = 0; i < 16; i += 4) {
    const x = u64(load<u32>(c + i));
    let borrow: u64 = 0;
    for (let j: usize = 0; i + j < SHORT_BYTES; j += 4) {
      const product = x * u64(load<u32>(v + j)) + borrow;
      const before = load<u32>(k + i + j);
      store<u32>(k + i + j, before - u32(product));
      borrow = (product >> 32) + u64(before < u32(product));
    }
  }
}

function setParity(c: usize, odd: u32): void {
  store<u32>(c, (load<u32>(c) & ~1) | odd);
}

/** The windows of k1 and k2, for a scalar u. */
export function splitScalar(k1: usize, k2: usize, u: usize): void {
  const odd = load<u32>(u) & 1;
  highProduct(C1, u, G1);
  highProduct(C2, u, G2);
  setParity(C1, odd ^ 1);
  setParity(C2, odd);
  memory.copy(k1, u, SHORT_BYTES);
  memory.fill(k2, 0, SHORT_BYTES);
  subtractProduct(k1, C1, SHORT_A1);
  subtractProduct(k1, C2, SHORT_A2);
  subtractProduct(k2, C1, SHORT_B1);
  subtractProduct(k2, C2, SHORT_B2);
  shiftToWindows(k1);
  shiftToWindows(k2);
}

/** (k + 2^132 - 1) / 2 for an odd k. */
function shiftToWindows(k: usize): void {
  for (let i: usize = 0; i < SHORT_BYTES - 4; i += 4) {
    store<u32>(k + i, (load<u32>(k + i) >> 1) | (load<u32>(k + i, 4) << 31));
  }
  const top = i32(load<u32>(k, SHORT_BYTES - 4));
  store<i32>(k, (top >> 1) + (1 << (WINDOW * WINDOWS - 1 - 32 * (SHORT - 1))), SHORT_BYTES - 4);
}

/** (k + 2^256 - 1) / 2 for the odd one of u and u - n, then its complement, which stands for -u: windows of 8. */
export function windowsOf(r: usize, u: usize): void {
  const isOdd = (load<u32>(u) & 1) !== 0;
  if (isOdd) memory.copy(SUM, u, 32);
  else addComplement(SUM, u);
  const top: u64 = isOdd ? 1 << 63 : 0;
  const w0 = load<u64>(SUM);
  const w1 = load<u64>(SUM, 8);
  const w2 = load<u64>(SUM, 16);
  const w3 = load<u64>(SUM, 24);
  store<u64>(r, ~((w0 >> 1) | (w1 << 63)));
  store<u64>(r, ~((w1 >> 1) | (w2 << 63)), 8);
  store<u64>(r, ~((w2 >> 1) | (w3 << 63)), 16);
  store<u64>(r, ~((w3 >> 1) | top), 24);
}
