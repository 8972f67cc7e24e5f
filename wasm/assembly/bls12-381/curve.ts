/**
 * BLS12-381 with the ate pairing (EIP-2537): y^2 = x^3 + 4, xi = 1 + i. The loop ends with -u Q for the curve's
 * parameter u, which is negative; points of the group, and no others, have -u Q = -psi(Q): `bls12-381-groups.ts` says
 * why. A loop over -u gives the pairing's inverse, which is one when it is.
 */

import { add, addTimesRoot, subtract } from "../field/elements";
import { isMultipleAt, TURNED } from "../pairing/loop";
import { endomorphism, LC, LX, LY, QX, QY } from "../pairing/points";
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
  timesV,
  ZERO,
} from "../pairing/tower";
import { ELEMENT } from "./constants";

/** Multiplies by 1 + i. */
export function timesXi(r: usize, a: usize): void {
  addTimesRoot(r, a, a);
}

const BOTH: usize = memory.data(ELEMENT, 16);

/** Multiplies by the line LC + LX w^2 + LY w^3. */
export function multiply12ByLine(r: usize, a: usize): void {
  add6(MIXED, a, a + FP6);
  add(BOTH, LX, LY);
  multiply6By2(MIXED, MIXED, LC, BOTH);
  multiply6By2(LOW, a, LC, LX);
  multiply6By1(TOP, a + FP6, LY);
  timesV(TOP, TOP);
  gather12(r);
}

/** Does what follows the loop: nothing but the question whether the second point is in its group. */
export function finish(pair: usize, _isIdle: bool): bool {
  const x = TURNED;
  const y = TURNED + FP2;
  endomorphism(x, y, pair + QX, pair + QY);
  subtract(y, ZERO, y);
  return isMultipleAt(pair, x, y);
}
