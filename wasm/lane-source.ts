/**
 * Writes AssemblyScript functions on pairs of elements of a prime field, lane by lane. All take addresses; a result may
 * be where an operand is.
 *
 * What is stored has limbs in (-8, 2^bits + 8): products come out carried, and sums carry at once, in one round. The
 * sum of a column of products is below 2.1 * limbs * 2^(2 bits) here, 3.1 in `pair-source.ts`, which must be below
 * 2^63; a bias makes it positive for shifts.
 */
import { type Field, limbsOf, negativeInverse, plainConstant, sizeOf } from "./field.ts";

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);
const half = (limb: number): string => (limb % 2 === 0 ? "low" : "high");
const BIAS = 1n << 63n;

/** The source of `add`, `subtract`, `triple`, of the product and the square, `zeroLanes` and what they need. */
export function laneSource(field: Field): string {
  return `
  ${constants(field)}
  ${linear(field, "add", "i32x4.add(A, B)")}
  ${linear(field, "subtract", "i32x4.sub(A, B)")}
  ${linear(field, "triple", "i32x4.mul(A, i32x4.splat(3))")}
  ${lanesSource(field)}
  ${laneSquareSource(field)}
  ${zeroSource(field)}
  `;
}

function constants(field: Field): string {
  const { modulus, bits } = field;
  const factor = negativeInverse(modulus, bits);
  const high = (factor * modulus + 1n) >> BigInt(bits);
  const doubled = (value: bigint): string => plainConstant(limbsOf(field, value), limbsOf(field, value));
  const mask = 2n ** BigInt(bits) - 1n;
  const pair = (value: bigint): string =>
    `memory.data<u64>([${BigInt.asUintN(64, value)}, ${BigInt.asUintN(64, value)}], 16)`;
  return `
  const MODULUS: usize = ${doubled(modulus)};
  const HIGH: usize = ${doubled(high)};
  const FACTOR: usize = ${pair(factor)};
  const LIMB: usize = ${pair(mask)};
  const BIAS: usize = ${pair(BIAS)};
  const NEXT_BIAS: usize = ${pair(BIAS - (BIAS >> BigInt(bits)))};
  const LAST_BIAS: usize = ${pair(-(BIAS >> BigInt(bits)))};
  const MASKS: usize = ${pair((mask << 32n) | mask)};
  const TOP_MASKS: usize = memory.data<u32>([${mask}, ${mask}, 0xffffffff, 0xffffffff], 16);
  `;
}

/**
 * A function of the address r of a result and those of operands, which does to each vector what the expression says
 * of A and B, with one round of carries; the top limb keeps what it has. The expression must stay within signed words.
 */
export function linear({ limbs, bits }: Field, name: string, expression: string): string {
  const vectors = range(limbs / 2);
  const steps = vectors.map((v) => {
    const mask = v === limbs / 2 - 1 ? "TOP_MASKS" : "MASKS";
    const below = v === 0 ? "i32x4.splat(0)" : `h${v - 1}`;
    return `
    const x${v} = ${expression.replaceAll(/\b[AB]\b/g, (operand) => `v128.load(${operand.toLowerCase()}, ${16 * v})`)};
    const h${v} = i32x4.shr_s(x${v}, ${bits});
    v128.store(r, i32x4.add(v128.and(x${v}, v128.load(${mask})),
      v128.shuffle<i32>(${below}, h${v}, 2, 3, 4, 5)), ${16 * v});`;
  });
  const operands = /\bB\b/.test(expression) ? "a: usize, b: usize" : "a: usize";
  return `function ${name}(r: usize, ${operands}): void {${steps.join("")}
  }`;
}

/**
 * Sums of columns, reduced on the way, into the limbs at r. `termsOf` are the products of a column. A column is
 * summed before the carry and the newest factor come to it: what waits for the column before is short.
 */
export function reduced(field: Field, termsOf: (column: number) => readonly string[]): string {
  const { limbs, bits } = field;
  const columns = range(2 * limbs - 1).map((k) => {
    const factors = range(limbs - 1).flatMap((m) => factorTimes(field, { m, at: "HIGH", limb: k - 1 - m }));
    const top = factorTimes(field, { m: limbs - 1, at: "MODULUS", limb: k - limbs + 1 });
    const early = [...termsOf(k), ...(k < limbs ? factors.slice(0, -1) : factors)];
    const late = k < limbs ? factors.slice(-1) : top;
    const bias = k === 2 * limbs - 2 ? "LAST_BIAS" : "NEXT_BIAS";
    return [
      `s = ${early[0]};`,
      ...early.slice(1).map(added("s")),
      "t = i64x2.add(t, s);",
      ...late.map(added("t")),
      ...outcome(field, k),
      `t = i64x2.add(i64x2.shr_u(t, ${bits}), v128.load(${bias}));`,
      ...(k > limbs && (k - limbs) % 2 === 1 ? [stored(k - limbs)] : []),
    ];
  });
  const last = [`const l${limbs - 1} = t;`, stored(limbs - 1)];
  return ["let t: v128 = v128.load(BIAS);", "let s: v128;", ...columns.flat(), ...last].join("\n    ");
}

const added = (to: string) => (term: string): string => `${to} = i64x2.add(${to}, ${term});`;

/** A factor times a limb of a constant, if there is such a limb. */
function factorTimes({ limbs }: Field, { m, at, limb }: { m: number; at: string; limb: number }): string[] {
  if (limb < 0 || limb >= limbs) return [];
  return [`i64x2.extmul_${half(limb)}_i32x4_s(m${m}, v128.load(${at}, ${16 * (limb >> 1)}))`];
}

/** A factor from each low column, a limb of the result from each high one. */
function outcome(field: Field, k: number): string[] {
  const { limbs } = field;
  if (k >= limbs) return [`const l${k - limbs} = v128.and(t, v128.load(LIMB));`];
  const factor = (low: string): string =>
    `const m${k} = v128.shuffle<i32>(${low}, i32x4.splat(0), 0, 2, 0, 2);`;
  if (k < limbs - 1) return [factor("v128.and(t, v128.load(LIMB))")];
  return [
    factor("v128.and(i32x4.mul(t, v128.load(FACTOR)), v128.load(LIMB))"),
    ...factorTimes(field, { m: k, at: "MODULUS", limb: 0 }).map(added("t")),
  ];
}

/** Limbs i - 1 and i, from words of 64 bits. */
function stored(i: number): string {
  return `v128.store(r, v128.shuffle<i32>(l${i - 1}, l${i}, 0, 2, 4, 6), ${8 * (i - 1)});`;
}

/** Pairs (i, j) of limbs whose products are in a column. */
export function column({ limbs }: Field, k: number): [number, number][] {
  return range(limbs).filter((i) => k - i >= 0 && k - i < limbs).map((i) => [i, k - i]);
}

/** The vectors of an operand as constants. */
export const vectorsOf = ({ limbs }: Field, name: string, from: string): string =>
  range(limbs / 2).map((v) => `const ${name}${v} = v128.load(${from}, ${16 * v});`).join("\n    ");

/** A splat of a limb times limb j of an operand. */
export const times = (load: string, name: string, j: number): string =>
  `i64x2.extmul_${half(j)}_i32x4_s(${load}, ${name}${j >> 1})`;

function lanesSource(field: Field): string {
  const terms = (k: number): string[] =>
    column(field, k).map(([i, j]) => times(`v128.load64_splat(a, ${8 * i})`, "b", j));
  return `function multiplyLanes(r: usize, a: usize, b: usize): void {
    ${vectorsOf(field, "b", "b")}
    ${reduced(field, terms)}
  }`;
}

/** Products of two different limbs come twice, and are made once. */
function laneSquareSource(field: Field): string {
  const terms = (k: number): string[] =>
    column(field, k)
      .filter(([i, j]) => i <= j)
      .map(([i, j]) => times(`v128.load64_splat(${i === j ? "a" : "TWICE"}, ${8 * i})`, "b", j));
  const doubled = range(field.limbs / 2).map((v) => `v128.store(TWICE, i32x4.shl(b${v}, 1), ${16 * v});`);
  return `
  const TWICE: usize = memory.data(${sizeOf(field)}, 16);
  function squareLanes(r: usize, a: usize): void {
    ${vectorsOf(field, "b", "a")}
    ${doubled.join("\n    ")}
    ${reduced(field, terms)}
  }`;
}

/** Multiplied by one, which R divides, an element that is zero is 0 or the modulus. */
function zeroSource(field: Field): string {
  const one = limbsOf(field, 1n);
  const vectors = range(field.limbs / 2).map((v) => `
    const x${v} = v128.load(REDUCED, ${16 * v});
    zero = v128.or(zero, x${v});
    modulus = v128.or(modulus, v128.xor(x${v}, v128.load(MODULUS, ${16 * v})));`);
  return `
  const PLAIN_ONE: usize = ${plainConstant(one, one)};
  const REDUCED: usize = memory.data(${sizeOf(field)}, 16);
  /** 1 when the first element is zero, plus 2 when the second is. */
  function zeroLanes(a: usize): i32 {
    multiplyLanes(REDUCED, PLAIN_ONE, a);
    let zero = i32x4.splat(0);
    let modulus = i32x4.splat(0);${vectors.join("")}
    const z = i64x2.extract_lane(zero, 0) | i64x2.extract_lane(zero, 1);
    const m = i64x2.extract_lane(modulus, 0) | i64x2.extract_lane(modulus, 1);
    const first = u32(z) == 0 || u32(m) == 0;
    const second = u64(z) >> 32 == 0 || u64(m) >> 32 == 0;
    return i32(first) | (i32(second) << 1);
  }

  function isZero(a: usize): bool { return zeroLanes(a) == 3; }
  `;
}
