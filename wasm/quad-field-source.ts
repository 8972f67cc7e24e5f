/**
 * Writes AssemblyScript functions on elements of secp256k1's field, integers modulo p = 2^256 - 2^32 - 977, four side
 * by side: two halves of two lanes. All take addresses; a result may be where an operand is.
 *
 * A limb is a signed integer in a double, and counts 2^43 of the one below. A product of limbs is split in two doubles
 * without loss: added to 1.5 * 2^95 it is rounded to a multiple of 2^43, and a second fused multiplication gives what
 * the rounding took. 2^258 is 4 * (2^32 + 977), by which the upper half is folded into the lower.
 *
 * Exact as long as every sum stays below 2^53 of its last place. A product's limbs are below 2^42 + 2^9 in magnitude,
 * the lowest, to which the fold brings most, below 1.6 * 2^42. Say a product weighs 1, and a sum what its terms weigh
 * together. Products of operands whose weights multiply to 64 at most, the two of `multiplyApart`, a b - c d, together, keep
 * to that: a column is below 64 * 7.2 * 2^84 < 2^93 and brings 2^50 to the next one; the top limb's carry is below 2^7
 * and brings 2^41 to the lowest. What `squareLess` and the like take away weighs 8 at most.
 */

/** The field's modulus. */
export const FIELD_MODULUS: bigint = 2n ** 256n - 2n ** 32n - 977n;
const LIMBS = 6;
const BITS = 43;
/** Bytes of two elements, a half. */
export const HALF: number = LIMBS * 16;
/** Bytes of four elements. */
export const QUAD: number = 2 * HALF;

type Term = readonly [string, string, "madd" | "nmadd"];

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);
const bitsOf = (value: number): bigint => new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n;
const splat = (value: number): string => `memory.data<u64>([${bitsOf(value)}, ${bitsOf(value)}], 16)`;

/** The source of products, squares and sums. */
export function quadFieldSource(): string {
  const fold = 4 * (2 ** 32 + 977);
  return `
  const ROUND: usize = ${splat(1.5 * 2 ** (52 + BITS))};
  const DOWN: usize = ${splat(2 ** -BITS)};
  const FOLD: usize = ${splat(fold)};
  const FOLD_DOWN: usize = ${splat(fold * 2 ** -BITS)};
  ${productSource("multiply", ["b"], (k) => products("a", "b", k))}
  ${productSource("multiplyLess", ["b", "less"], (k) => products("a", "b", k))}
  ${productSource("multiplyApart", ["b", "c", "d"], (k) => [...products("a", "b", k), ...products("c", "d", k, "nmadd")])}
  ${productSource("square", [], squares)}
  ${productSource("squareLess", ["less"], squares)}
  ${sumSource("add", "f64x2.add(A, B)")}
  ${sumSource("addTwice", "f64x2.add(A, f64x2.add(B, B))")}
  ${sumSource("subtract", "f64x2.sub(A, B)")}
  ${sumSource("subtractFromTwice", "f64x2.sub(f64x2.add(B, B), A)")}
  ${sumSource("scale", "f64x2.mul(A, f64x2.splat(factor))", "factor: f64")}
  ${repeatSource()}
  `;
}

/** Pairs of limbs whose products are in a column. */
const column = (k: number): number[] => range(LIMBS).filter((i) => k - i >= 0 && k - i < LIMBS);

function products(a: string, b: string, k: number, sign: Term[2] = "madd"): Term[] {
  return column(k).map((i) => [`${a}${i}`, `${b}${k - i}`, sign]);
}

/** Products of two different limbs come twice, and are made once. */
function squares(k: number): Term[] {
  return column(k)
    .filter((i) => 2 * i <= k)
    .map((i) => [2 * i === k ? `a${i}` : `twice${i}`, `a${k - i}`, "madd"]);
}

/** A function of four elements, one half after the other. An operand named `less` is taken away from the product. */
function productSource(name: string, operands: readonly string[], termsOf: (k: number) => Term[]): string {
  const names = ["r", "a", ...operands];
  const factors = ["a", ...operands.filter((operand) => operand !== "less")];
  const loads = factors.flatMap((factor) =>
    range(LIMBS).map((i) => `const ${factor}${i} = v128.load(${factor}, ${16 * i});`),
  );
  const twice = range(LIMBS - 1).map((i) => `const twice${i} = f64x2.add(a${i}, a${i});`);
  const parameters = names.map((operand) => `${operand}: usize`).join(", ");
  return `
  function ${name}Half(${parameters}): void {
    const round = v128.load(ROUND);
    const down = v128.load(DOWN);
    const fold = v128.load(FOLD);
    ${[...loads, ...(operands.includes("b") ? [] : twice)].join("\n    ")}
    ${range(2 * LIMBS - 1).flatMap((k) => columnSteps(k, termsOf(k))).join("\n    ")}
    const s${2 * LIMBS - 1} = f64x2.mul(h${2 * LIMBS - 2}, down);
    ${foldSteps().join("\n    ")}
    ${operands.includes("less") ? lessSteps().join("\n    ") : ""}
    ${carrySteps().join("\n    ")}
  }

  function ${name}(${parameters}): void {
    ${name}Half(${names.join(", ")});
    ${name}Half(${names.map((operand) => `${operand} + ${HALF}`).join(", ")});
  }`;
}

/** The sum s of a column: the lower parts l of its products, and the upper ones of the column before. */
function columnSteps(k: number, terms: readonly Term[]): string[] {
  const steps = terms.flatMap(([x, y, sign], n) => {
    const before = n === 0 ? "round" : `t${k}_${n - 1}`;
    const lower = `f64x2.relaxed_${sign}(${x}, ${y}, f64x2.sub(${before}, t${k}_${n}))`;
    return [
      `const t${k}_${n} = f64x2.relaxed_${sign}(${x}, ${y}, ${before});`,
      n === 0 ? `let l${k} = ${lower};` : `l${k} = f64x2.add(l${k}, ${lower});`,
    ];
  });
  const sum = k === 0 ? "l0" : `f64x2.relaxed_madd(h${k - 1}, down, l${k})`;
  return [
    ...steps,
    `const h${k} = f64x2.sub(t${k}_${terms.length - 1}, round);`,
    `${k < LIMBS ? "let" : "const"} s${k} = ${sum};`,
  ];
}

/** Column LIMBS + k comes to columns k and k + 1; what the last one brings above the top, to the lowest two. */
function foldSteps(): string[] {
  const steps = range(LIMBS).flatMap((k) => folded(`s${k + LIMBS}`, k));
  return [...steps, `const over = f64x2.mul(f${LIMBS - 1}, down);`, ...folded("over", 0, "Over")];
}

function folded(from: string, k: number, mark: string = String(k)): string[] {
  const rounded = `const f${mark} = f64x2.sub(f64x2.relaxed_madd(${from}, fold, round), round);`;
  const lower = `s${k} = f64x2.add(s${k}, f64x2.relaxed_madd(${from}, fold, f64x2.neg(f${mark})));`;
  const upper = `s${k + 1} = f64x2.relaxed_madd(f${mark}, down, s${k + 1});`;
  return k + 1 < LIMBS ? [rounded, lower, upper] : [rounded, lower];
}

function lessSteps(): string[] {
  return range(LIMBS).map((k) => `s${k} = f64x2.sub(s${k}, v128.load(less, ${16 * k}));`);
}

/** All limbs carry at once; the top limb's carry goes to the lowest. */
function carrySteps(): string[] {
  const carries = range(LIMBS).map((k) => `const up${k} = f64x2.sub(f64x2.add(s${k}, round), round);`);
  const stores = range(LIMBS).map((k) => {
    const carry = k === 0 ? `up${LIMBS - 1}, v128.load(FOLD_DOWN)` : `up${k - 1}, down`;
    return `v128.store(r, f64x2.relaxed_madd(${carry}, f64x2.sub(s${k}, up${k})), ${16 * k});`;
  });
  return [...carries, ...stores];
}

/** A function that does to each vector what the expression says of A and B, without carries. */
function sumSource(name: string, expression: string, operand = "b: usize"): string {
  const steps = range(2 * LIMBS).map((v) => {
    const value = expression.replaceAll(/\b[AB]\b/g, (from) => `v128.load(${from.toLowerCase()}, ${16 * v})`);
    return `v128.store(r, ${value}, ${16 * v});`;
  });
  return `
  function ${name}(r: usize, a: usize, ${operand}): void {
    ${steps.join("\n    ")}
  }`;
}

/** Powers of a: a^(2^n) b, all in one, from which inverses and square roots are made. */
function repeatSource(): string {
  return `
  const POWER: usize = memory.data(${QUAD}, 16);
  function squareTimes(r: usize, a: usize, n: i32, b: usize): void {
    square(POWER, a);
    for (let i = 1; i < n; i++) square(POWER, POWER);
    multiply(r, POWER, b);
  }`;
}
