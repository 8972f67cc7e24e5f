/**
 * Writes AssemblyScript that takes single elements in and out of the lanes of `quad-field-source.ts`. A lane is the
 * address of its lowest limb; the next one is 16 bytes further on.
 */
const LIMBS = [0, 1, 2, 3, 4, 5];
const MASK = 2n ** 43n - 1n;

/** Byte offset of a lane, 0 to 3, as an expression of an i32. */
export const laneOffset = (lane: string): string =>
  `(usize(${lane} >> 1) * ${16 * LIMBS.length} + usize(${lane} & 1) * 8)`;

/** The source of `readLane`, `writeLane`, `reduceLane`, `isZeroLane`, `isOddLane`, `negateLane` and `copyLane`. */
export function quadLaneSource(): string {
  return `
  ${readSource()}
  ${reduceSource()}
  function isZeroLane(a: usize): bool {
    reduceLane(a);
    return (load<u64>(WORDS) | load<u64>(WORDS, 8) | load<u64>(WORDS, 16) | load<u64>(WORDS, 24)) == 0;
  }

  function isOddLane(a: usize): bool {
    reduceLane(a);
    return (load<u64>(WORDS) & 1) != 0;
  }

  /** Big-endian. */
  function writeLane(to: usize, a: usize): void {
    reduceLane(a);
    for (let i: usize = 0; i < 32; i += 8) store<u64>(to + i, bswap(load<u64>(WORDS + 24 - i)));
  }

  function negateLane(a: usize): void {
    ${LIMBS.map((i) => `store<f64>(a, -load<f64>(a, ${16 * i}), ${16 * i});`).join("\n    ")}
  }

  function copyLane(to: usize, from: usize): void {
    ${LIMBS.map((i) => `store<f64>(to, load<f64>(from, ${16 * i}), ${16 * i});`).join("\n    ")}
  }
  `;
}

/** From 32 bytes, big-endian. Its limbs are positive: it weighs 2. */
function readSource(): string {
  const limbs = [
    "w0",
    "(w0 >> 43) | (w1 << 21)",
    "w1 >> 22",
    "(w2 >> 1)",
    "(w2 >> 44) | (w3 << 20)",
    "w3 >> 23",
  ];
  limbs[2] = "(w1 >> 22) | (w2 << 42)";
  const stores = limbs.map((limb, i) => `store<f64>(to, f64((${limb}) & ${MASK}), ${16 * i});`);
  return `
  function readLane(to: usize, from: usize): void {
    const w3 = bswap(load<u64>(from));
    const w2 = bswap(load<u64>(from, 8));
    const w1 = bswap(load<u64>(from, 16));
    const w0 = bswap(load<u64>(from, 24));
    ${stores.join("\n    ")}
  }`;
}

/** 8 p, which makes what weighs up to 3 positive, is added on the way. */
function reduceSource(): string {
  const carries = LIMBS.map((i) => {
    const own = `i64(load<f64>(a, ${16 * i}))`;
    if (i === 0) return `let limb = ${own} - ${8 * (2 ** 32 + 977)};\n    const l0 = u64(limb) & ${MASK};`;
    const bias = i === 5 ? ` + ${2n ** 44n}` : "";
    const rest = i === 5 ? "const l5 = u64(limb);" : `const l${i} = u64(limb) & ${MASK};`;
    return `limb = (limb >> 43) + ${own}${bias};\n    ${rest}`;
  });
  return `
  const WORDS: usize = memory.data(32, 16);
  /** Adds n times 2^256 - p to WORDS; 1 when that passes 2^256. */
  function addFolds(n: u64): u64 {
    let carry = n * ${2 ** 32 + 977};
    for (let at = WORDS; at < WORDS + 32; at += 8) {
      const sum = load<u64>(at) + carry;
      carry = u64(sum < carry);
      store<u64>(at, sum);
    }
    return carry;
  }

  /** Leaves an element that weighs up to 3 in WORDS, below p, the lowest word first. */
  function reduceLane(a: usize): void {
    ${carries.join("\n    ")}
    store<u64>(WORDS, l0 | (l1 << 43));
    store<u64>(WORDS, (l1 >> 21) | (l2 << 22), 8);
    store<u64>(WORDS, (l2 >> 42) | (l3 << 1) | (l4 << 44), 16);
    store<u64>(WORDS, (l4 >> 20) | (l5 << 23), 24);
    const passed = addFolds(l5 >> 41);
    addFolds(passed);
    // adding 2^256 - p passes 2^256 just when what is there is p or more
    if (addFolds(1) == 0) takeFold();
  }

  function takeFold(): void {
    let borrow: u64 = ${2 ** 32 + 977};
    for (let at = WORDS; at < WORDS + 32; at += 8) {
      const word = load<u64>(at);
      store<u64>(at, word - borrow);
      borrow = u64(word < borrow);
    }
  }`;
}
