/**
 * BN254 with the optimal ate pairing (EIP-197; Vercauteren: "Optimal pairings"): y^2 = x^3 + 3, xi = 9 + i.
 *
 * That a point Q of the twist is in the group costs next to nothing. With u the curve's parameter, phi the endomorphism
 * and t its trace, the loop ends with (6u + 2) Q + phi(Q) - phi^2(Q), to which adding phi^3(Q) gives infinity for all
 * points of the group. With phi^2 = t phi - p this is a map (b + c phi) of degree b^2 + b c t + c^2 p, whose greatest
 * common divisor with the number of points of the twist is the order of the group, so no other point gives infinity;
 * test/node/crypto/bn254.test.ts does the sum.
 */

import { add, addTimesRoot, subtract, triple } from "../field/elements";
import { isMultipleAt, multiplyByLine, TURNED } from "../pairing/loop";
import { chord, endomorphism, LC, LX, LY, QX, QY } from "../pairing/points";
import {
  add6,
  FP2,
  FP6,
  gather12,
  LOW,
  MIXED,
  multiply6By1,
  multiply6By2,
  TOP,
  ZERO,
} from "../pairing/tower";
import { ELEMENT } from "./constants";

const NINE: usize = memory.data(ELEMENT, 16);

/** Multiplies by 9 + i. */
export function timesXi(r: usize, a: usize): void {
  triple(NINE, a);
  triple(NINE, NINE);
  addTimesRoot(r, NINE, a);
}

const BOTH: usize = memory.data(ELEMENT, 16);

/** Multiplies by the line LY + LX w + LC w^3. */
export function multiply12ByLine(r: usize, a: usize): void {
  add6(MIXED, a, a + FP6);
  add(BOTH, LY, LX);
  multiply6By2(MIXED, MIXED, BOTH, LC);
  multiply6By1(LOW, a, LY);
  multiply6By2(TOP, a + FP6, LX, LC);
  gather12(r);
}

/**
 * Does what follows the loop: the lines to phi(Q) and -phi^2(Q), after which the sum is -phi^3(Q) just when the second
 * point is in its group; false otherwise.
 */
export function finish(pair: usize, isIdle: bool): bool {
  const x = TURNED;
  const y = TURNED + FP2;
  endomorphism(x, y, pair + QX, pair + QY);
  chord(pair, x, y);
  multiplyByLine(isIdle);
  endomorphism(x, y, x, y);
  subtract(y, ZERO, y);
  chord(pair, x, y);
  multiplyByLine(isIdle);
  endomorphism(x, y, x, y);
  return isMultipleAt(pair, x, y);
}
