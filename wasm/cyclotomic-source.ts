/**
 * Writes AssemblyScript for the cyclotomic subgroup of a pairing's field, where an inverse is a conjugate and squares are
 * Granger's and Scott's ("Faster squaring in the cyclotomic subgroup of sixth degree extensions").
 */
import { signedDigits } from "./field.ts";
import { fp2Constant, sizesOf, type Tower } from "./tower-source.ts";

/**
 * The source of `squareCyclotomic`; of `powerOfParameter`, for a positive one; of `enterSubgroup`, which takes an
 * element to the power of (p^6 - 1)(p^2 + 1), and of `isOne12`. Needs the tower.
 */
export function cyclotomicSource(tower: Tower, parameter: bigint): string {
  return `
  ${squareSource(tower)}
  ${powerSource(tower, parameter)}
  ${edgeSource(tower)}
  `;
}

/** With s = w^3 and a = A + B w + C w^2 over Fp4 = Fp2(s): 3 A^2 - 2 A', 3 s C^2 + 2 B', 3 B^2 - 2 C', ' for s = -s. */
function squareSource(tower: Tower): string {
  const { fp2, places } = sizesOf(tower);
  const [w0, w1, w2, w3, w4, w5] = places;
  return `
  /** (x + y s)^2 to SQUARE_0 + SQUARE_1 s. */
  const SQUARE_0: usize = memory.data(${fp2}, 16);
  const SQUARE_1: usize = memory.data(${fp2}, 16);
  function square4(x: usize, y: usize): void {
    square(V0, x);
    square(V1, y);
    add(S0, x, y);
    square(S0, S0);
    add(S1, V0, V1);
    subtract(SQUARE_1, S0, S1);
    timesXi(V1, V1);
    add(SQUARE_0, V0, V1);
  }

  /** 3 a - 2 b. */
  function thriceLessTwice(r: usize, a: usize, b: usize): void {
    subtract(r, a, b);
    addTwice(r, a, r);
  }

  /** 3 a + 2 b. */
  function thriceAndTwice(r: usize, a: usize, b: usize): void {
    add(r, a, b);
    addTwice(r, a, r);
  }

  /** The square of an element whose (p^6 + 1)-th and (p^4 - p^2 + 1)-th powers are 1. */
  function squareCyclotomic(r: usize, a: usize): void {
    square4(a + ${w0}, a + ${w3});
    thriceLessTwice(r + ${w0}, SQUARE_0, a + ${w0});
    thriceAndTwice(r + ${w3}, SQUARE_1, a + ${w3});
    square4(a + ${w1}, a + ${w4});
    memory.copy(LOW, SQUARE_0, ${fp2});
    memory.copy(TOP, SQUARE_1, ${fp2});
    square4(a + ${w2}, a + ${w5});
    timesXi(SQUARE_1, SQUARE_1);
    thriceAndTwice(r + ${w1}, SQUARE_1, a + ${w1});
    thriceLessTwice(r + ${w4}, SQUARE_0, a + ${w4});
    thriceLessTwice(r + ${w2}, LOW, a + ${w2});
    thriceAndTwice(r + ${w5}, TOP, a + ${w5});
  }
  `;
}

/** a^parameter by odd digits of four bits; the inverse of a is its conjugate. */
function powerSource(tower: Tower, parameter: bigint): string {
  const { fp2, fp12 } = sizesOf(tower);
  const [first = 0, ...digits] = signedDigits(parameter, 4);
  return `
  const BOTH_ONE: usize = ${fp2Constant(tower, [1n, 1n])};
  const POWERS: usize = memory.data(${4 * fp12}, 16);
  const SPARE: usize = memory.data(${fp12}, 16);
  const POWER_DIGITS: usize = memory.data<i8>([${digits.join(", ")}]);

  /** Products with one are small again. */
  function settle12(r: usize): void {
    for (let at: usize = 0; at < ${fp12}; at += ${fp2}) multiplyLanes(r + at, r + at, BOTH_ONE);
  }

  function powerOfParameter(r: usize, a: usize): void {
    memory.copy(POWERS, a, ${fp12});
    settle12(POWERS);
    squareCyclotomic(SPARE, POWERS);
    for (let i: usize = 1; i < 4; i++) multiply12(POWERS + i * ${fp12}, POWERS + (i - 1) * ${fp12}, SPARE);
    memory.copy(r, POWERS + ${(first >> 1) * fp12}, ${fp12});
    for (let at = 0; at < ${digits.length}; at++) {
      squareCyclotomic(r, r);
      const digit = i32(load<i8>(POWER_DIGITS + usize(at)));
      if (digit > 0) multiply12(r, r, POWERS + usize(digit >> 1) * ${fp12});
      if (digit < 0) {
        conjugate12(SPARE, POWERS + usize(-digit >> 1) * ${fp12});
        multiply12(r, r, SPARE);
      }
      if ((at & 7) == 7) settle12(r);
    }
  }
  `;
}

/** The way in, and the question at the end; the element asked of is spoilt. */
function edgeSource(tower: Tower): string {
  const { fp2, fp12 } = sizesOf(tower);
  return `
  function enterSubgroup(r: usize, a: usize): void {
    conjugate12(r, a);
    invert12(SPARE, a);
    multiply12(r, r, SPARE);
    frobenius12(SPARE, r);
    frobenius12(SPARE, SPARE);
    multiply12(r, r, SPARE);
  }

  function isOne12(a: usize): bool {
    subtract(a, a, ONE);
    for (let at: usize = 0; at < ${fp12}; at += ${fp2}) if (!isZero(a + at)) return false;
    return true;
  }
  `;
}
