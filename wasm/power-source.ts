/**
 * Writes the AssemblyScript source of `base ** exponent` modulo 2^256. `scripts/build-wasm.ts` compiles what comes
 * out.
 *
 * A number is nine limbs of 29 bits, one to a 64-bit word: all products of a column fit into one word without a
 * carry, and what is beyond 2^261 is never made. The module exports `input()`, the address of base and exponent
 * (32 bytes each, big-endian), and `power()`, which leaves the result where the base was.
 */

const LIMBS = 9;
const BITS = 29;
const MASK = `0x${(2 ** BITS - 1).toString(16)}`;
const WORDS = [0, 1, 2, 3];
const all = Array.from({ length: LIMBS }, (_, i) => i);

/** Products a[i] * b[j] of the column k. */
const column = (k: number): [number, number][] => all.slice(0, k + 1).map((i) => [i, k - i]);

/** Column sums, carried upwards, into the limbs at `r`. */
function carried(columnOf: (k: number) => string): string {
  const steps = all.map((k) => `c = (c >> ${BITS}) + ${columnOf(k)}; store<u64>(r, c & ${MASK}, ${8 * k});`);
  return steps.join("\n    ").replace(`(c >> ${BITS}) + `, "");
}

const loads = (name: string, from: string): string =>
  all.map((i) => `const ${name}${i} = load<u64>(${from}, ${8 * i});`).join("\n    ");

const product = (k: number): string => `(${column(k).map(([i, j]) => `a${i} * b${j}`).join(" + ")})`;

/** Each product of two different limbs comes twice. */
function square(k: number): string {
  const twice = column(k).filter(([i, j]) => i < j).map(([i, j]) => `a${i} * a${j}`);
  const once = k % 2 === 0 ? `a${k / 2} * a${k / 2}` : "0";
  return twice.length === 0 ? `(${once})` : `(((${twice.join(" + ")}) << 1) + ${once})`;
}

/** Limb i of the words w0 to w3, the lowest first. */
function limbOf(i: number): string {
  const [word, offset] = [Math.floor((BITS * i) / 64), (BITS * i) % 64];
  const low = `(w${word} >> ${offset})`;
  const needsNext = offset + BITS > 64 && word < 3;
  return `(${needsNext ? `(${low} | (w${word + 1} << ${64 - offset}))` : low} & ${MASK})`;
}

/** Word k of the limbs l0 to l8; what is beyond 256 bits falls off. */
function wordOf(k: number): string {
  const parts = all.flatMap((i) => {
    const shift = BITS * i - 64 * k;
    if (shift <= -BITS || shift >= 64) return [];
    return [shift >= 0 ? `(l${i} << ${shift})` : `(l${i} >> ${-shift})`];
  });
  return parts.join(" | ");
}

/** The module's source. */
export function powerSource(): string {
  return `
  const IN: usize = memory.data(64, 16);
  const POWERS: usize = memory.data(${16 * LIMBS * 8}, 16);
  const RESULT: usize = memory.data(${LIMBS * 8}, 16);

  export function input(): usize { return IN; }

  function multiply(r: usize, a: usize, b: usize): void {
    ${loads("a", "a")}
    ${loads("b", "b")}
    let c: u64 = 0;
    ${carried(product)}
  }

  function square(r: usize): void {
    ${loads("a", "r")}
    let c: u64 = 0;
    ${carried(square)}
  }

  function setOne(r: usize): void {
    memory.fill(r, 0, ${LIMBS * 8});
    store<u64>(r, 1);
  }

  function read(r: usize, from: usize): void {
    ${WORDS.map((k) => `const w${k} = bswap<u64>(load<u64>(from, ${24 - 8 * k}));`).join("\n    ")}
    ${all.map((i) => `store<u64>(r, ${limbOf(i)}, ${8 * i});`).join("\n    ")}
  }

  function write(to: usize, from: usize): void {
    ${loads("l", "from")}
    ${WORDS.map((k) => `store<u64>(to, bswap<u64>(${wordOf(k)}), ${24 - 8 * k});`).join("\n    ")}
  }

  /** The digit of four bits at place n of the exponent, the lowest first. */
  function digit(n: i32): u32 {
    const byte: u32 = load<u8>(IN + 63 - (n >> 1));
    return (n & 1) == 0 ? byte & 15 : byte >> 4;
  }

  function bySquares(top: i32): void {
    for (let n = top; n >= 0; n--) {
      const bits = digit(n);
      for (let bit = 3; bit >= 0; bit--) {
        square(RESULT);
        if (((bits >> bit) & 1) != 0) multiply(RESULT, RESULT, POWERS + ${LIMBS * 8});
      }
    }
  }

  function byDigits(top: i32): void {
    for (let i = 2; i < 16; i++) {
      multiply(POWERS + i * ${LIMBS * 8}, POWERS + (i - 1) * ${LIMBS * 8}, POWERS + ${LIMBS * 8});
    }
    for (let n = top; n >= 0; n--) {
      square(RESULT);
      square(RESULT);
      square(RESULT);
      square(RESULT);
      const bits = digit(n);
      if (bits != 0) multiply(RESULT, RESULT, POWERS + bits * ${LIMBS * 8});
    }
  }

  export function power(): void {
    let top = 63;
    while (top >= 0 && digit(top) == 0) top--;
    read(POWERS + ${LIMBS * 8}, IN);
    setOne(RESULT);
    if (top < 12) bySquares(top);
    else byDigits(top);
    write(IN, RESULT);
  }
  `;
}
