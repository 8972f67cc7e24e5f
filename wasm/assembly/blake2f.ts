/**
 * The compression function F of BLAKE2b (RFC 7693 section 3.2) for any number of rounds, as in EIP-152, with its 16
 * working words as locals.
 *
 * `input()` is the address of h (64 bytes), m (128) and t (16), little-endian, one after another; `compress(rounds,
 * last)` leaves the new h where the old one was.
 */
const INPUT: usize = memory.data(208, 8);
/** Offsets of the message words that a round takes, RFC 7693 section 2.7; round 10 begins again. */
const SIGMA: usize = memory.data<u8>([
  0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 112, 80, 32, 64, 72, 120, 104, 48, 8, 96,
  0, 16, 88, 56, 40, 24, 88, 64, 96, 0, 40, 16, 120, 104, 80, 112, 24, 48, 56, 8, 72, 32, 56, 72, 24, 8, 104,
  96, 88, 112, 16, 48, 40, 80, 32, 0, 120, 64, 72, 0, 40, 56, 16, 32, 80, 120, 112, 8, 88, 96, 48, 64, 24,
  104, 16, 96, 48, 80, 0, 88, 64, 24, 32, 104, 56, 40, 120, 112, 8, 72, 96, 40, 8, 120, 112, 104, 32, 80, 0,
  56, 48, 24, 72, 16, 64, 88, 104, 88, 56, 112, 96, 8, 24, 72, 40, 0, 120, 32, 64, 48, 16, 80, 48, 120, 112,
  72, 88, 24, 0, 64, 96, 16, 104, 56, 8, 32, 80, 40, 80, 16, 64, 32, 56, 48, 8, 40, 120, 88, 72, 112, 24, 96,
  104, 0,
]);

export function input(): usize {
  return INPUT;
}

/** @unroll */
export function compress(rounds: u32, last: bool): void {
  // The columns, then the diagonals.
  const mixings = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
  ];
  const v = new StaticArray<u64>(16);
  for (let i = 0; i < 8; i++) v[i] = load<u64>(INPUT, 8 * i);
  // The initialisation vector, RFC 7693 section 2.6: that of SHA-512.
  v[8] = 0x6a09e667f3bcc908;
  v[9] = 0xbb67ae8584caa73b;
  v[10] = 0x3c6ef372fe94f82b;
  v[11] = 0xa54ff53a5f1d36f1;
  v[12] = 0x510e527fade682d1;
  v[13] = 0x9b05688c2b3e6c1f;
  v[14] = 0x1f83d9abfb41bd6b;
  v[15] = 0x5be0cd19137e2179;
  v[12] ^= load<u64>(INPUT, 192);
  v[13] ^= load<u64>(INPUT, 200);
  if (last) v[14] = ~v[14];
  let sigma = SIGMA;
  for (let round: u32 = 0; round < rounds; round++) {
    for (let n = 0; n < 8; n++) {
      const first = load<u64>(INPUT + load<u8>(sigma, 2 * n), 64);
      const second = load<u64>(INPUT + load<u8>(sigma, 2 * n + 1), 64);
      mix(v, mixings[n][0], mixings[n][1], mixings[n][2], mixings[n][3], first, second);
    }
    sigma += 16;
    if (sigma === SIGMA + 160) sigma = SIGMA;
  }
  for (let i = 0; i < 8; i++) store<u64>(INPUT, load<u64>(INPUT, 8 * i) ^ v[i] ^ v[i + 8], 8 * i);
}

/**
 * The mixing function G, RFC 7693 section 3.1.
 * @unroll
 */
function mix(v: StaticArray<u64>, a: i32, b: i32, c: i32, d: i32, first: u64, second: u64): void {
  v[a] += v[b] + first;
  v[d] = rotr(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = rotr(v[b] ^ v[c], 24);
  v[a] += v[b] + second;
  v[d] = rotr(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = rotr(v[b] ^ v[c], 63);
}
