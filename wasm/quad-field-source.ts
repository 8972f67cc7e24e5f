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
 * together. Operands whose weights, with the number `f`, multiply to 64 at most, both products of `multiplyApart`
 * together, keep to that: a column is below 64 * 7.2 * 2^84 < 2^93 and brings 2^50 to the next one; the top limb's
 * carry is below 2^7 and brings 2^41 to the lowest. What is taken away from a product weighs 8 at most.
 */

/** The field's modulus. */
export const FIELD_MODULUS: bigint = 2n ** 256n - 2n ** 32n - 977n;
const LIMBS = 6;
const BITS = 43;
const ROUND = 1.5 * 2 ** (52 + BITS);
/** Bytes of two elements, a half. */
export const HALF: number = LIMBS * 16;
/** Bytes of four elements. */
export const QUAD: number = 2 * HALF;

/** Two vectors by name, whose product is added or taken away. */
type Term = readonly [string, string, "madd" | "nmadd"];

/** A function that leaves a sum of products at r, from operands at the addresses that its parameters give. */
interface Product {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Limb i of what is multiplied, by name, as expressions of limbs A to F at addresses a to f. */
  readonly factors: Readonly<Record<string, string>>;
  readonly termsOf: (k: number) => readonly Term[];
  /** What is taken away from limb i of the product, in turn. */
  readonly less?: readonly string[];
}

const ONE_PRODUCT = (k: number): Term[] => products("x", "y", k, "madd");
const SQUARE = (k: number): Term[] => squares("x", "x", "twice", k);
const TWICE_X = "f64x2.add(x, x)";

const PRODUCTS: readonly Product[] = [
  { name: "multiply", parameters: ["a", "b"], factors: { x: "A", y: "B" }, termsOf: ONE_PRODUCT },
  // a b f, for a number f in both lanes
  {
    name: "multiplyBy",
    parameters: ["a", "b", "f"],
    factors: { x: "A", y: "f64x2.mul(B, v128.load(f))" },
    termsOf: ONE_PRODUCT,
  },
  // a b - c
  {
    name: "multiplyLess",
    parameters: ["a", "b", "c"],
    factors: { x: "A", y: "B" },
    termsOf: ONE_PRODUCT,
    less: ["C"],
  },
  // a (b - c) - d
  {
    name: "multiplyGapLess",
    parameters: ["a", "b", "c", "d"],
    factors: { x: "A", y: "f64x2.sub(B, C)" },
    termsOf: ONE_PRODUCT,
    less: ["D"],
  },
  // a (b - c) - d e
  {
    name: "multiplyApart",
    parameters: ["a", "b", "c", "d", "e"],
    factors: { x: "A", y: "f64x2.sub(B, C)", v: "D", w: "E" },
    termsOf: (k) => [...ONE_PRODUCT(k), ...products("v", "w", k, "nmadd")],
  },
  { name: "square", parameters: ["a"], factors: { x: "A", twice: TWICE_X }, termsOf: SQUARE },
  // a^2 f
  {
    name: "squareBy",
    parameters: ["a", "f"],
    factors: { x: "A", once: "f64x2.mul(x, v128.load(f))", twice: "f64x2.add(once, once)" },
    termsOf: (k) => squares("x", "once", "twice", k),
  },
  // a^2 - b - 2 c
  {
    name: "squareLess",
    parameters: ["a", "b", "c"],
    factors: { x: "A", twice: TWICE_X },
    termsOf: SQUARE,
    less: ["B", "f64x2.add(C, C)"],
  },
];

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);
const bitsOf = (value: number): bigint => new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n;

/** The address of a constant in both lanes. */
export const splat = (value: number): string => `memory.data<u64>([${bitsOf(value)}, ${bitsOf(value)}], 16)`;

/** The source of the products and of what they need. */
export function quadFieldSource(): string {
  const fold = 4 * (2 ** 32 + 977);
  return `
  const ROUND: usize = ${splat(ROUND)};
  const LACKING: usize = ${splat(ROUND - ROUND * 2 ** -BITS)};
  const LACK: usize = ${splat(-ROUND * 2 ** -BITS)};
  const DOWN: usize = ${splat(2 ** -BITS)};
  const FOLD: usize = ${splat(fold)};
  const FOLD_DOWN: usize = ${splat(fold * 2 ** -BITS)};
  ${PRODUCTS.map(productSource).join("")}
  ${repeatSource()}
  `;
}

/** Pairs of limbs whose products are in a column. */
const column = (k: number): number[] => range(LIMBS).filter((i) => k - i >= 0 && k - i < LIMBS);

function products(x: string, y: string, k: number, sign: Term[2]): Term[] {
  return column(k).map((i) => [`${x}${i}`, `${y}${k - i}`, sign]);
}

/** Products of two different limbs come twice, and are made once. */
function squares(x: string, once: string, twice: string, k: number): Term[] {
  return column(k)
    .filter((i) => 2 * i <= k)
    .map((i) => [`${2 * i === k ? once : twice}${i}`, `${x}${k - i}`, "madd"]);
}

/** An expression with limb i of its operands in place of their names. */
function atLimb(expression: string, i: number): string {
  return expression
    .replaceAll(/\b(x|once)\b/g, (name) => `${name}${i}`)
    .replaceAll(/\b[A-E]\b/g, (name) => `v128.load(${name.toLowerCase()}, ${16 * i})`);
}

/** The function for one half, and that for both, which does one after the other. */
function productSource({ name, parameters, factors, termsOf, less = [] }: Product): string {
  const typed = ["r", ...parameters].map((parameter) => `${parameter}: usize`).join(", ");
  const next = parameters.map((parameter) => (parameter === "f" ? parameter : `${parameter} + ${HALF}`));
  const values = Object.entries(factors).flatMap(([factor, value]) =>
    range(LIMBS).map((i) => `const ${factor}${i} = ${atLimb(value, i)};`),
  );
  const taken = less.flatMap((value) =>
    range(LIMBS).map((i) => `s${i} = f64x2.sub(s${i}, ${atLimb(value, i)});`),
  );
  const steps = [
    ...values,
    ...range(2 * LIMBS - 1).flatMap((k) => columnSteps(k, termsOf(k))),
    `let s${2 * LIMBS - 1} = f64x2.relaxed_madd(u${2 * LIMBS - 2}, down, v128.load(LACK));`,
    ...foldSteps(),
    ...taken,
    ...carrySteps(),
  ];
  return `
  function ${name}Half(${typed}): void {
    const round = v128.load(ROUND);
    const down = v128.load(DOWN);
    const fold = v128.load(FOLD);
    ${steps.join("\n    ")}
  }

  function ${name}(${typed}): void {
    ${name}Half(r, ${parameters.join(", ")});
    ${name}Half(r + ${HALF}, ${next.join(", ")});
  }
  `;
}

/**
 * The sum s of a column: the lower parts l of its products, and the upper ones of the column before, with which a
 * product of `round` comes; that is why the first lower part lacks as much.
 */
function columnSteps(k: number, terms: readonly Term[]): string[] {
  const steps = terms.flatMap(([x, y, sign], n) => {
    const before = n === 0 ? "round" : `t${k}_${n - 1}`;
    const from = n === 0 && k > 0 ? "v128.load(LACKING)" : before;
    const lower = `f64x2.relaxed_${sign}(${x}, ${y}, f64x2.sub(${from}, t${k}_${n}))`;
    return [
      `const t${k}_${n} = f64x2.relaxed_${sign}(${x}, ${y}, ${before});`,
      n === 0 ? `let l${k} = ${lower};` : `l${k} = f64x2.add(l${k}, ${lower});`,
    ];
  });
  const sum = k === 0 ? "l0" : `f64x2.relaxed_madd(u${k - 1}, down, l${k})`;
  return [...steps, `const u${k} = t${k}_${terms.length - 1};`, `let s${k} = ${sum};`];
}

/** Column LIMBS + k comes to columns k and k + 1, the last one first: what it brings above the top is folded too. */
function foldSteps(): string[] {
  return [LIMBS - 1, ...range(LIMBS - 1)].flatMap((k) => [
    `const f${k} = f64x2.sub(round, f64x2.relaxed_madd(s${k + LIMBS}, fold, round));`,
    `s${k} = f64x2.add(s${k}, f64x2.relaxed_madd(s${k + LIMBS}, fold, f${k}));`,
    `s${k + 1} = f64x2.relaxed_nmadd(f${k}, down, s${k + 1});`,
  ]);
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
