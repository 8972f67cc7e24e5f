/**
 * The pairing check on BLS12-381 (EIP-2537), with the final exponentiation of Hayashida, Hayasaka and Teruya ("Efficient
 * final exponentiation via cyclotomic structure for pairings over families of elliptic curves"): the power of
 * 3 (p^4 - p^2 + 1) / r = (u - 1)^2 (u + p) (u^2 + p^2 - 1) + 3. The parameter of the code is -u.
 */
import { enterSubgroup, isOne12, powerOfParameter, squareCyclotomic } from "./pairing/cyclotomic";
import { PRODUCT } from "./pairing/loop";
import { conjugate12, FP12, frobenius12, multiply12 } from "./pairing/tower";

export { begin, input, take } from "./pairing/loop";

const BASE: usize = memory.data(FP12, 16);
const POWERED: usize = memory.data(FP12, 16);
const PART: usize = memory.data(FP12, 16);

/** a^(1 - u). */
function powerOfOneMore(r: usize, a: usize): void {
  powerOfParameter(PART, a);
  multiply12(r, PART, a);
}

/** Ends a product: true when it is one. */
export function isOne(): bool {
  enterSubgroup(BASE, PRODUCT);
  powerOfOneMore(POWERED, BASE);
  powerOfOneMore(POWERED, POWERED);

  powerOfParameter(PART, POWERED);
  conjugate12(PART, PART);
  frobenius12(POWERED, POWERED);
  multiply12(POWERED, POWERED, PART);

  powerOfParameter(PART, POWERED);
  powerOfParameter(PRODUCT, PART);
  conjugate12(PART, POWERED);
  multiply12(PRODUCT, PRODUCT, PART);
  frobenius12(POWERED, POWERED);
  frobenius12(POWERED, POWERED);
  multiply12(PRODUCT, PRODUCT, POWERED);

  squareCyclotomic(PART, BASE);
  multiply12(PART, PART, BASE);
  multiply12(PRODUCT, PRODUCT, PART);
  return isOne12(PRODUCT);
}
