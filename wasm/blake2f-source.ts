/**
 * Writes the AssemblyScript source of the compression function F of BLAKE2b (RFC 7693 section 3.2) for any number
 * of rounds, with its 16 working words as locals. `scripts/build-wasm.ts` compiles what comes out.
 *
 * The module exports `input()`, the address of h (64 bytes), m (128) and t (16), little-endian, one after another;
 * and `compress(rounds, last)`, which leaves the new h where the old one was.
 */

/** Which message words a round takes, RFC 7693 section 2.7; round 10 begins again. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** The initialisation vector, RFC 7693 section 2.6: that of SHA-512. */
const IV = [
  "0x6a09e667f3bcc908",
  "0xbb67ae8584caa73b",
  "0x3c6ef372fe94f82b",
  "0xa54ff53a5f1d36f1",
  "0x510e527fade682d1",
  "0x9b05688c2b3e6c1f",
  "0x1f83d9abfb41bd6b",
  "0x5be0cd19137e2179",
];

/** The words that each of the eight mixings of a round works on: columns, then diagonals. */
const MIXINGS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];

/** The mixing function G, RFC 7693 section 3.1; `at` is its place in the round. */
function mixing([a, b, c, d]: readonly number[], at: number): string {
  const word = (offset: number): string => `load<u64>(IN + load<u8>(sigma, ${2 * at + offset}), 64)`;
  return `
    v${a} += v${b} + ${word(0)};
    v${d} = rotr(v${d} ^ v${a}, 32);
    v${c} += v${d};
    v${b} = rotr(v${b} ^ v${c}, 24);
    v${a} += v${b} + ${word(1)};
    v${d} = rotr(v${d} ^ v${a}, 16);
    v${c} += v${d};
    v${b} = rotr(v${b} ^ v${c}, 63);`;
}

/** The whole source. */
export function blake2fSource(): string {
  const offsets = SIGMA.flat().map((word) => word * 8);
  return `
const IN: usize = memory.data(208, 8);
const SIGMA: usize = memory.data<u8>([${offsets.join(", ")}]);

export function input(): usize { return IN; }

export function compress(rounds: u32, last: bool): void {
  ${EIGHT.map((i) => `let v${i} = load<u64>(IN, ${i * 8});`).join("\n  ")}
  ${IV.map((word, i) => `let v${i + 8}: u64 = ${word};`).join("\n  ")}
  v12 ^= load<u64>(IN, 192);
  v13 ^= load<u64>(IN, 200);
  if (last) v14 = ~v14;
  let sigma = SIGMA;
  for (let round: u32 = 0; round < rounds; round++) {${MIXINGS.map(mixing).join("")}
    sigma += 16;
    if (sigma === SIGMA + 160) sigma = SIGMA;
  }
  ${EIGHT.map((i) => `store<u64>(IN, load<u64>(IN, ${i * 8}) ^ v${i} ^ v${i + 8}, ${i * 8});`).join("\n  ")}
}
`;
}
