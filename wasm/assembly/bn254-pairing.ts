/**
 * The pairing check on BN254 (EIP-197), with the final exponentiation of Fuentes-Castaneda, Knapp and Rodriguez-Henriquez
 * ("Faster hashing to G2"): the power of a multiple of (p^4 - p^2 + 1) / r which r does not divide,
 * (1 + 6u + 12u^2 + 12u^3) + (4u + 6u^2 + 12u^3) p + (6u + 6u^2 + 12u^3) p^2 + (-1 + 4u + 6u^2 + 12u^3) p^3.
 */
import { enterSubgroup, isOne12, powerOfParameter, squareCyclotomic } from "./pairing/cyclotomic";
import { PRODUCT } from "./pairing/loop";
import { conjugate12, FP12, frobenius12, multiply12 } from "./pairing/tower";

export { begin, input, take } from "./pairing/loop";

const BASE: usize = memory.data(FP12, 16);
const U2: usize = memory.data(FP12, 16);
const U6_SQUARED: usize = memory.data(FP12, 16);
const HIGHER: usize = memory.data(FP12, 16);
const LOWER: usize = memory.data(FP12, 16);

/** Ends a product: true when it is one. */
export function isOne(): bool {
  enterSubgroup(BASE, PRODUCT);
  powerOfParameter(U2, BASE);
  squareCyclotomic(U2, U2);
  squareCyclotomic(HIGHER, U2);
  multiply12(HIGHER, HIGHER, U2);
  powerOfParameter(U6_SQUARED, HIGHER);
  squareCyclotomic(LOWER, U6_SQUARED);
  powerOfParameter(PRODUCT, LOWER);
  multiply12(HIGHER, HIGHER, U6_SQUARED);
  multiply12(HIGHER, HIGHER, PRODUCT);
  conjugate12(LOWER, U2);
  multiply12(LOWER, HIGHER, LOWER);

  multiply12(PRODUCT, HIGHER, U6_SQUARED);
  multiply12(PRODUCT, PRODUCT, BASE);
  conjugate12(BASE, BASE);
  multiply12(BASE, BASE, LOWER);
  frobenius12(BASE, BASE);
  multiply12(BASE, BASE, HIGHER);
  frobenius12(BASE, BASE);
  multiply12(BASE, BASE, LOWER);
  frobenius12(BASE, BASE);
  multiply12(PRODUCT, PRODUCT, BASE);
  return isOne12(PRODUCT);
}
