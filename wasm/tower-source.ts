/**
 * Writes AssemblyScript for the field of a pairing, a tower of extensions: Fp2 = Fp(i), Fp6 = Fp2(v) and
 * Fp12 = Fp6(w) with i^2 = -1, v^3 = xi and w^2 = v. Products are Karatsuba's at every storey (Devegili,
 * O hEigeartaigh, Scott, Dahab: "Multiplication and squaring on pairing-friendly fields").
 *
 * An element of Fp6 is the coefficients of 1, v, v^2; one of Fp12 those of 1, v, v^2, w, vw, v^2 w, which are w to
 * the powers 0, 2, 4, 1, 3, 5.
 *
 * Nothing grows out of hand, though nothing is reduced but products: R is above 2^36 moduli, so products of values
 * whose own product is below 2^35 squared moduli are between -1 and 3 moduli. Sums take those of Fp6 to 73 and those
 * of Fp12 to 219; a cyclotomic square takes a to 2 a + 99, and at most eight follow one another before they are settled.
 */
import { constantOf, type Field, sizeOf } from "./field.ts";
import { linear } from "./lane-source.ts";
import { pairSource } from "./pair-source.ts";

/** A field and what makes its tower. */
export interface Tower {
  readonly field: Field;
  readonly xi: Fp2Value;
  /** The statements that leave xi times `a` at `r`; they may use NINE, an element of Fp2. */
  readonly timesXi: string;
}

/** a + b i. */
export type Fp2Value = readonly [bigint, bigint];

/** Bytes of elements, and where the coefficients of w^0 to w^5 lie in one of Fp12. */
export function sizesOf({ field }: Tower): Sizes {
  const fp2 = sizeOf(field);
  return { fp2, fp6: 3 * fp2, fp12: 6 * fp2, places: [0, 3, 1, 4, 2, 5].map((place) => place * fp2) };
}

interface Sizes {
  readonly fp2: number;
  readonly fp6: number;
  readonly fp12: number;
  readonly places: readonly number[];
}

function product({ field: { modulus } }: Tower, [a, b]: Fp2Value, [c, d]: Fp2Value): Fp2Value {
  return [(a * c + (modulus - b) * d) % modulus, (a * d + b * c) % modulus];
}

/** An element of Fp2 to a power of zero or more. */
export function powerOfPair(tower: Tower, base: Fp2Value, exponent: bigint): Fp2Value {
  let [result, square]: [Fp2Value, Fp2Value] = [[1n, 0n], base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = product(tower, result, square);
    square = product(tower, square, square);
  }
  return result;
}

/** An element of Fp2 as a constant. */
export const fp2Constant = ({ field }: Tower, [a, b]: Fp2Value): string => constantOf(field, a, b);

/** What w^i is multiplied by in the field's p-th power. */
export const frobeniusOf = (tower: Tower, i: number): Fp2Value =>
  powerOfPair(tower, tower.xi, (BigInt(i) * (tower.field.modulus - 1n)) / 6n);

/** The tower's source; what is below the storey of Fp2 comes with it. */
export function towerSource(tower: Tower): string {
  const { fp2, fp12 } = sizesOf(tower);
  const { field } = tower;
  return `
  ${pairSource(field)}
  ${linear(field, "addTwice", "i32x4.add(A, i32x4.shl(B, 1))")}
  ${linear(field, "addTimesRoot", "i32x4.add(A, i32x4.sub(v128.xor(v128.shuffle<i32>(B, B, 1, 0, 3, 2), v128.load(FIRST)), v128.load(FIRST)))")}

  function timesXi(r: usize, a: usize): void {
    ${tower.timesXi}
  }
  const NINE: usize = memory.data(${fp2}, 16);
  const ZERO: usize = memory.data(${fp12}, 16);
  const ONE: usize = ${fp2Constant(tower, [1n, 0n])};
  ${inverseSource(tower)}
  ${sixthSource(tower)}
  ${sixthSparseSource(tower)}
  ${twelfthSource(tower)}
  ${twelfthInverseSource(tower)}
  `;
}

/** 1 / (a + bi) is (a - bi) / (a^2 + b^2), and 1 / x is x^(p - 2): 0 for 0. */
function inverseSource(tower: Tower): string {
  const { fp2 } = sizesOf(tower);
  const exponent = tower.field.modulus - 2n;
  const words = [0n, 64n, 128n, 192n, 256n, 320n].map((shift) => BigInt.asUintN(64, exponent >> shift));
  return `
  const EXPONENT: usize = memory.data<u64>([${words.join(", ")}], 16);
  const NORM: usize = memory.data(${fp2}, 16);
  const POWER: usize = memory.data(${fp2}, 16);
  function invert(r: usize, a: usize): void {
    multiplyLanes(POWER, a, a);
    addTurned(NORM, POWER, POWER);
    memory.copy(POWER, NORM, ${fp2});
    for (let bit = ${exponent.toString(2).length - 2}; bit >= 0; bit--) {
      multiplyLanes(POWER, POWER, POWER);
      if (((load<u64>(EXPONENT + ((bit >> 6) << 3)) >> (bit & 63)) & 1) != 0) multiplyLanes(POWER, POWER, NORM);
    }
    conjugate(r, a);
    multiplyLanes(r, r, POWER);
  }
  `;
}

function sixthSource(tower: Tower): string {
  const { fp2 } = sizesOf(tower);
  const each = (name: string): string =>
    [0, 1, 2].map((i) => `${name}(r + ${i * fp2}, a + ${i * fp2}, b + ${i * fp2});`).join(" ");
  return `
  const V0: usize = memory.data(${fp2}, 16);
  const V1: usize = memory.data(${fp2}, 16);
  const V2: usize = memory.data(${fp2}, 16);
  const S0: usize = memory.data(${fp2}, 16);
  const S1: usize = memory.data(${fp2}, 16);
  const S2: usize = memory.data(${fp2}, 16);
  const SUM: usize = memory.data(${fp2}, 16);

  function add6(r: usize, a: usize, b: usize): void { ${each("add")} }
  function subtract6(r: usize, a: usize, b: usize): void { ${each("subtract")} }

  /** (a + b)(c + d) - e - f. */
  function crossed(r: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize): void {
    add(r, a, b);
    add(SUM, c, d);
    multiply(r, r, SUM);
    subtract(r, r, e);
    subtract(r, r, f);
  }

  function multiply6(r: usize, a: usize, b: usize): void {
    multiply(V0, a, b);
    multiply(V1, a + ${fp2}, b + ${fp2});
    multiply(V2, a + ${2 * fp2}, b + ${2 * fp2});
    crossed(S0, a + ${fp2}, a + ${2 * fp2}, b + ${fp2}, b + ${2 * fp2}, V1, V2);
    crossed(S1, a, a + ${fp2}, b, b + ${fp2}, V0, V1);
    crossed(S2, a, a + ${2 * fp2}, b, b + ${2 * fp2}, V0, V2);
    timesXi(S0, S0);
    add(r, V0, S0);
    timesXi(V2, V2);
    add(r + ${fp2}, S1, V2);
    add(r + ${2 * fp2}, S2, V1);
  }

  /** a times v. */
  function timesV(r: usize, a: usize): void {
    timesXi(SUM, a + ${2 * fp2});
    memory.copy(r + ${fp2}, a, ${2 * fp2});
    memory.copy(r, SUM, ${fp2});
  }

  function invert6(r: usize, a: usize): void {
    const a1 = a + ${fp2};
    const a2 = a + ${2 * fp2};
    square(V0, a);
    multiply(S0, a1, a2);
    timesXi(S0, S0);
    subtract(V0, V0, S0);
    square(V1, a2);
    timesXi(V1, V1);
    multiply(S1, a, a1);
    subtract(V1, V1, S1);
    square(V2, a1);
    multiply(S2, a, a2);
    subtract(V2, V2, S2);
    multiply(S0, a, V0);
    multiply(S1, a2, V1);
    multiply(S2, a1, V2);
    add(S1, S1, S2);
    timesXi(S1, S1);
    add(S0, S0, S1);
    invert(S0, S0);
    multiply(r, V0, S0);
    multiply(r + ${fp2}, V1, S0);
    multiply(r + ${2 * fp2}, V2, S0);
  }
  `;
}

/** Products with b0 + b1 v, and with an element of Fp2. */
function sixthSparseSource(tower: Tower): string {
  const { fp2 } = sizesOf(tower);
  return `
  function multiply6By2(r: usize, a: usize, b0: usize, b1: usize): void {
    multiply(V0, a, b0);
    multiply(V1, a + ${fp2}, b1);
    crossed(S1, a, a + ${fp2}, b0, b1, V0, V1);
    add(S0, a + ${fp2}, a + ${2 * fp2});
    multiply(S0, S0, b1);
    subtract(S0, S0, V1);
    timesXi(S0, S0);
    add(S2, a, a + ${2 * fp2});
    multiply(S2, S2, b0);
    subtract(S2, S2, V0);
    add(r, V0, S0);
    memory.copy(r + ${fp2}, S1, ${fp2});
    add(r + ${2 * fp2}, S2, V1);
  }

  function multiply6By1(r: usize, a: usize, b: usize): void {
    multiply(r, a, b);
    multiply(r + ${fp2}, a + ${fp2}, b);
    multiply(r + ${2 * fp2}, a + ${2 * fp2}, b);
  }
  `;
}

function twelfthSource(tower: Tower): string {
  const { fp6 } = sizesOf(tower);
  return `
  const LOW: usize = memory.data(${fp6}, 16);
  const TOP: usize = memory.data(${fp6}, 16);
  const MIXED: usize = memory.data(${fp6}, 16);
  const OTHER: usize = memory.data(${fp6}, 16);

  function multiply12(r: usize, a: usize, b: usize): void {
    add6(MIXED, a, a + ${fp6});
    add6(OTHER, b, b + ${fp6});
    multiply6(MIXED, MIXED, OTHER);
    multiply6(LOW, a, b);
    multiply6(TOP, a + ${fp6}, b + ${fp6});
    gather12(r);
  }

  /** LOW + v TOP, and (MIXED - LOW - TOP) w. */
  function gather12(r: usize): void {
    subtract6(MIXED, MIXED, LOW);
    subtract6(r + ${fp6}, MIXED, TOP);
    timesV(TOP, TOP);
    add6(r, LOW, TOP);
  }

  function square12(r: usize, a: usize): void {
    timesV(OTHER, a + ${fp6});
    add6(OTHER, OTHER, a);
    add6(MIXED, a, a + ${fp6});
    multiply6(TOP, a, a + ${fp6});
    multiply6(MIXED, MIXED, OTHER);
    subtract6(MIXED, MIXED, TOP);
    add6(r + ${fp6}, TOP, TOP);
    timesV(TOP, TOP);
    subtract6(r, MIXED, TOP);
  }

  function conjugate12(r: usize, a: usize): void {
    memory.copy(r, a, ${fp6});
    subtract6(r + ${fp6}, ZERO, a + ${fp6});
  }
  `;
}

function twelfthInverseSource(tower: Tower): string {
  const { fp6, places } = sizesOf(tower);
  const turned = places.map((place, i) => `
    conjugate(r + ${place}, a + ${place});
    multiply(r + ${place}, r + ${place}, FROBENIUS_${i});`);
  return `
  ${places.map((_, i) => `const FROBENIUS_${i}: usize = ${fp2Constant(tower, frobeniusOf(tower, i))};`).join("\n  ")}

  /** a^p. */
  function frobenius12(r: usize, a: usize): void {${turned.join("")}
  }

  function invert12(r: usize, a: usize): void {
    multiply6(LOW, a, a);
    multiply6(TOP, a + ${fp6}, a + ${fp6});
    timesV(TOP, TOP);
    subtract6(LOW, LOW, TOP);
    invert6(LOW, LOW);
    conjugate12(r, a);
    multiply6(r, r, LOW);
    multiply6(r + ${fp6}, r + ${fp6}, LOW);
  }
  `;
}
