/**
 * Writes AssemblyScript for the field of BN254's pairing, a tower of extensions: Fp2 = Fp(i), Fp6 = Fp2(v) and
 * Fp12 = Fp6(w) with i^2 = -1, v^3 = 9 + i and w^2 = v. Products are Karatsuba's at every storey (Devegili,
 * O hEigeartaigh, Scott, Dahab: "Multiplication and squaring on pairing-friendly fields").
 *
 * An element of Fp6 is the coefficients of 1, v, v^2; one of Fp12 those of 1, v, v^2, w, vw, v^2 w, which are w to
 * the powers 0, 2, 4, 1, 3, 5.
 *
 * Nothing grows out of hand, though nothing is reduced but products: R is above 2^36 moduli, so products of values
 * whose own product is below 2^35 squared moduli are between -1 and 3 moduli. Sums take those of Fp6 to 73 and those
 * of Fp12 to 219; a cyclotomic square takes a to 2 a + 99, and at most seven follow one another.
 */
import { constantOf, type Field, sizeOf } from "./field.ts";
import { linear } from "./lane-source.ts";
import { pairSource } from "./pair-source.ts";

/** BN254's field. */
export const BN254_FIELD: Field = {
  modulus: 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
  limbs: 10,
  bits: 29,
};
/** Bytes of an element of Fp2, Fp6 and Fp12. */
export const FP2 = sizeOf(BN254_FIELD);
export const FP6 = 3 * FP2;
export const FP12 = 2 * FP6;

/** Where the coefficients of w^0 to w^5 lie in an element of Fp12. */
export const PLACES = [0, 3, 1, 4, 2, 5].map((place) => place * FP2);

type Fp2Value = readonly [bigint, bigint];

const reduce = (value: bigint): bigint => {
  const rest = value % BN254_FIELD.modulus;
  return rest < 0n ? rest + BN254_FIELD.modulus : rest;
};
const product = ([a, b]: Fp2Value, [c, d]: Fp2Value): Fp2Value => [reduce(a * c - b * d), reduce(a * d + b * c)];

/** (9 + i) ** exponent. */
function powerOfXi(exponent: bigint): Fp2Value {
  let [result, square]: [Fp2Value, Fp2Value] = [[1n, 0n], [9n, 1n]];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

/** An element of Fp2 as a constant. */
export const fp2Constant = ([a, b]: Fp2Value): string => constantOf(BN254_FIELD, a, b);

/** What w^i is multiplied by in the field's p-th power, i from 0 to 5, as a constant. */
export const frobeniusConstant = (i: number): string =>
  fp2Constant(powerOfXi((BigInt(i) * (BN254_FIELD.modulus - 1n)) / 6n));

/** The tower's source; what is below the storey of Fp2 comes with it. */
export function bn254TowerSource(): string {
  return `
  ${pairSource(BN254_FIELD)}
  ${linear(BN254_FIELD, "addTwice", "i32x4.add(A, i32x4.shl(B, 1))")}
  ${linear(BN254_FIELD, "addTimesRoot", "i32x4.add(A, i32x4.sub(v128.xor(v128.shuffle<i32>(B, B, 1, 0, 3, 2), v128.load(FIRST)), v128.load(FIRST)))")}

  /** (9 + i) a. */
  function timesXi(r: usize, a: usize): void {
    triple(NINE, a);
    triple(NINE, NINE);
    addTimesRoot(r, NINE, a);
  }
  const NINE: usize = memory.data(${FP2}, 16);
  const ZERO: usize = memory.data(${FP12}, 16);
  const ONE: usize = ${fp2Constant([1n, 0n])};
  ${inverseSource()}
  ${sixthSource()}
  ${sixthSparseSource()}
  ${twelfthSource()}
  ${twelfthInverseSource()}
  `;
}

/** 1 / (a + bi) is (a - bi) / (a^2 + b^2), and 1 / x is x^(p - 2): 0 for 0. */
function inverseSource(): string {
  const exponent = BN254_FIELD.modulus - 2n;
  const words = [0n, 64n, 128n, 192n].map((shift) => BigInt.asUintN(64, exponent >> shift));
  return `
  const EXPONENT: usize = memory.data<u64>([${words.join(", ")}], 16);
  const NORM: usize = memory.data(${FP2}, 16);
  const POWER: usize = memory.data(${FP2}, 16);
  function invert(r: usize, a: usize): void {
    multiplyLanes(POWER, a, a);
    addTurned(NORM, POWER, POWER);
    memory.copy(POWER, NORM, ${FP2});
    for (let bit = ${exponent.toString(2).length - 2}; bit >= 0; bit--) {
      multiplyLanes(POWER, POWER, POWER);
      if (((load<u64>(EXPONENT + ((bit >> 6) << 3)) >> (bit & 63)) & 1) != 0) multiplyLanes(POWER, POWER, NORM);
    }
    conjugate(r, a);
    multiplyLanes(r, r, POWER);
  }
  `;
}

function sixthSource(): string {
  const each = (name: string): string =>
    [0, 1, 2].map((i) => `${name}(r + ${i * FP2}, a + ${i * FP2}, b + ${i * FP2});`).join(" ");
  return `
  const V0: usize = memory.data(${FP2}, 16);
  const V1: usize = memory.data(${FP2}, 16);
  const V2: usize = memory.data(${FP2}, 16);
  const S0: usize = memory.data(${FP2}, 16);
  const S1: usize = memory.data(${FP2}, 16);
  const S2: usize = memory.data(${FP2}, 16);
  const SUM: usize = memory.data(${FP2}, 16);

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
    multiply(V1, a + ${FP2}, b + ${FP2});
    multiply(V2, a + ${2 * FP2}, b + ${2 * FP2});
    crossed(S0, a + ${FP2}, a + ${2 * FP2}, b + ${FP2}, b + ${2 * FP2}, V1, V2);
    crossed(S1, a, a + ${FP2}, b, b + ${FP2}, V0, V1);
    crossed(S2, a, a + ${2 * FP2}, b, b + ${2 * FP2}, V0, V2);
    timesXi(S0, S0);
    add(r, V0, S0);
    timesXi(V2, V2);
    add(r + ${FP2}, S1, V2);
    add(r + ${2 * FP2}, S2, V1);
  }

  /** a times v. */
  function timesV(r: usize, a: usize): void {
    timesXi(SUM, a + ${2 * FP2});
    memory.copy(r + ${FP2}, a, ${2 * FP2});
    memory.copy(r, SUM, ${FP2});
  }

  function invert6(r: usize, a: usize): void {
    const a1 = a + ${FP2};
    const a2 = a + ${2 * FP2};
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
    multiply(r + ${FP2}, V1, S0);
    multiply(r + ${2 * FP2}, V2, S0);
  }
  `;
}

/** Products with b0 + b1 v, and with an element of Fp2. */
function sixthSparseSource(): string {
  return `
  function multiply6By2(r: usize, a: usize, b0: usize, b1: usize): void {
    multiply(V0, a, b0);
    multiply(V1, a + ${FP2}, b1);
    crossed(S1, a, a + ${FP2}, b0, b1, V0, V1);
    add(S0, a + ${FP2}, a + ${2 * FP2});
    multiply(S0, S0, b1);
    subtract(S0, S0, V1);
    timesXi(S0, S0);
    add(S2, a, a + ${2 * FP2});
    multiply(S2, S2, b0);
    subtract(S2, S2, V0);
    add(r, V0, S0);
    memory.copy(r + ${FP2}, S1, ${FP2});
    add(r + ${2 * FP2}, S2, V1);
  }

  function multiply6By1(r: usize, a: usize, b: usize): void {
    multiply(r, a, b);
    multiply(r + ${FP2}, a + ${FP2}, b);
    multiply(r + ${2 * FP2}, a + ${2 * FP2}, b);
  }
  `;
}

function twelfthSource(): string {
  return `
  const LOW: usize = memory.data(${FP6}, 16);
  const TOP: usize = memory.data(${FP6}, 16);
  const MIXED: usize = memory.data(${FP6}, 16);
  const OTHER: usize = memory.data(${FP6}, 16);
  const BOTH: usize = memory.data(${FP2}, 16);

  function multiply12(r: usize, a: usize, b: usize): void {
    add6(MIXED, a, a + ${FP6});
    add6(OTHER, b, b + ${FP6});
    multiply6(MIXED, MIXED, OTHER);
    multiply6(LOW, a, b);
    multiply6(TOP, a + ${FP6}, b + ${FP6});
    gather12(r);
  }

  /** LOW + v TOP, and (MIXED - LOW - TOP) w. */
  function gather12(r: usize): void {
    subtract6(MIXED, MIXED, LOW);
    subtract6(r + ${FP6}, MIXED, TOP);
    timesV(TOP, TOP);
    add6(r, LOW, TOP);
  }

  /** a times l0 + l1 w + l3 w^3. */
  function multiply12ByLine(r: usize, a: usize, l0: usize, l1: usize, l3: usize): void {
    add6(MIXED, a, a + ${FP6});
    add(BOTH, l0, l1);
    multiply6By2(MIXED, MIXED, BOTH, l3);
    multiply6By1(LOW, a, l0);
    multiply6By2(TOP, a + ${FP6}, l1, l3);
    gather12(r);
  }

  function square12(r: usize, a: usize): void {
    timesV(OTHER, a + ${FP6});
    add6(OTHER, OTHER, a);
    add6(MIXED, a, a + ${FP6});
    multiply6(TOP, a, a + ${FP6});
    multiply6(MIXED, MIXED, OTHER);
    subtract6(MIXED, MIXED, TOP);
    add6(r + ${FP6}, TOP, TOP);
    timesV(TOP, TOP);
    subtract6(r, MIXED, TOP);
  }

  function conjugate12(r: usize, a: usize): void {
    memory.copy(r, a, ${FP6});
    subtract6(r + ${FP6}, ZERO, a + ${FP6});
  }
  `;
}

function twelfthInverseSource(): string {
  const turned = PLACES.map((place, i) => `
    conjugate(r + ${place}, a + ${place});
    multiply(r + ${place}, r + ${place}, FROBENIUS_${i});`);
  return `
  ${PLACES.map((_, i) => `const FROBENIUS_${i}: usize = ${frobeniusConstant(i)};`).join("\n  ")}

  /** a^p. */
  function frobenius12(r: usize, a: usize): void {${turned.join("")}
  }

  function invert12(r: usize, a: usize): void {
    multiply6(LOW, a, a);
    multiply6(TOP, a + ${FP6}, a + ${FP6});
    timesV(TOP, TOP);
    subtract6(LOW, LOW, TOP);
    invert6(LOW, LOW);
    conjugate12(r, a);
    multiply6(r, r, LOW);
    multiply6(r + ${FP6}, r + ${FP6}, LOW);
  }
  `;
}
