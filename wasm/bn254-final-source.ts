/**
 * Writes AssemblyScript for the final exponentiation of BN254's pairing, by Fuentes-Castaneda, Knapp and
 * Rodriguez-Henriquez ("Faster hashing to G2"). After its first part all values are of the cyclotomic subgroup, where
 * an inverse is a conjugate and squares are Granger's and Scott's ("Faster squaring in the cyclotomic subgroup of sixth
 * degree extensions").
 */
import { FP12, FP2, PLACES } from "./bn254-tower-source.ts";
import { signedDigits } from "./field.ts";

/** The curve's parameter u. */
export const BN254_PARAMETER = 4965661367192848881n;

/** The source of `isOne`, which ends the product; needs the tower and `PRODUCT`. */
export function bn254FinalSource(): string {
  return `
  ${cyclotomicSource()}
  ${powerSource()}
  ${finalSource()}
  `;
}

/** With s = w^3 and a = A + B w + C w^2 over Fp4 = Fp2(s): 3 A^2 - 2 A', 3 s C^2 + 2 B', 3 B^2 - 2 C', ' for s = -s. */
function cyclotomicSource(): string {
  const [w0, w1, w2, w3, w4, w5] = PLACES;
  return `
  /** (x + y s)^2 to SQUARE_0 + SQUARE_1 s. */
  const SQUARE_0: usize = memory.data(${FP2}, 16);
  const SQUARE_1: usize = memory.data(${FP2}, 16);
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
    memory.copy(LOW, SQUARE_0, ${FP2});
    memory.copy(TOP, SQUARE_1, ${FP2});
    square4(a + ${w2}, a + ${w5});
    timesXi(SQUARE_1, SQUARE_1);
    thriceAndTwice(r + ${w1}, SQUARE_1, a + ${w1});
    thriceLessTwice(r + ${w4}, SQUARE_0, a + ${w4});
    thriceLessTwice(r + ${w2}, LOW, a + ${w2});
    thriceAndTwice(r + ${w5}, TOP, a + ${w5});
  }
  `;
}

/** a^u by odd digits of four bits; the inverse of a is its conjugate. */
function powerSource(): string {
  const [first = 0, ...digits] = signedDigits(BN254_PARAMETER, 4);
  return `
  const POWERS: usize = memory.data(${4 * FP12}, 16);
  const SPARE: usize = memory.data(${FP12}, 16);
  const POWER_DIGITS: usize = memory.data<i8>([${digits.join(", ")}]);

  function powerOfParameter(r: usize, a: usize): void {
    memory.copy(POWERS, a, ${FP12});
    squareCyclotomic(SPARE, a);
    for (let i: usize = 1; i < 4; i++) multiply12(POWERS + i * ${FP12}, POWERS + (i - 1) * ${FP12}, SPARE);
    memory.copy(r, POWERS + ${(first >> 1) * FP12}, ${FP12});
    for (let at = 0; at < ${digits.length}; at++) {
      squareCyclotomic(r, r);
      const digit = i32(load<i8>(POWER_DIGITS + usize(at)));
      if (digit > 0) multiply12(r, r, POWERS + usize(digit >> 1) * ${FP12});
      if (digit < 0) {
        conjugate12(SPARE, POWERS + usize(-digit >> 1) * ${FP12});
        multiply12(r, r, SPARE);
      }
    }
  }
  `;
}

/**
 * First the power of (p^6 - 1)(p^2 + 1), then that of a multiple of (p^4 - p^2 + 1) / r which r does not divide:
 * (1 + 6u + 12u^2 + 12u^3) + (4u + 6u^2 + 12u^3) p + (6u + 6u^2 + 12u^3) p^2 + (-1 + 4u + 6u^2 + 12u^3) p^3.
 */
function finalSource(): string {
  const names = ["BASE", "U2", "U6_SQUARED", "A", "BB"];
  return `
  ${names.map((name) => `const ${name}: usize = memory.data(${FP12}, 16);`).join("\n  ")}

  export function isOne(): bool {
    conjugate12(BASE, PRODUCT);
    invert12(PRODUCT, PRODUCT);
    multiply12(BASE, BASE, PRODUCT);
    frobenius12(A, BASE);
    frobenius12(A, A);
    multiply12(BASE, BASE, A);

    powerOfParameter(U2, BASE);
    squareCyclotomic(U2, U2);
    squareCyclotomic(A, U2);
    multiply12(A, A, U2);
    powerOfParameter(U6_SQUARED, A);
    squareCyclotomic(BB, U6_SQUARED);
    powerOfParameter(PRODUCT, BB);
    multiply12(A, A, U6_SQUARED);
    multiply12(A, A, PRODUCT);
    conjugate12(BB, U2);
    multiply12(BB, A, BB);

    multiply12(PRODUCT, A, U6_SQUARED);
    multiply12(PRODUCT, PRODUCT, BASE);
    conjugate12(BASE, BASE);
    multiply12(BASE, BASE, BB);
    frobenius12(BASE, BASE);
    multiply12(BASE, BASE, A);
    frobenius12(BASE, BASE);
    multiply12(BASE, BASE, BB);
    frobenius12(BASE, BASE);
    multiply12(PRODUCT, PRODUCT, BASE);

    subtract(PRODUCT, PRODUCT, ONE);
    for (let at: usize = 0; at < ${FP12}; at += ${FP2}) if (!isZero(PRODUCT + at)) return false;
    return true;
  }
  `;
}
