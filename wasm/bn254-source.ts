/**
 * Writes the AssemblyScript source of the pairing check on BN254 (EIP-197): the optimal ate pairing (Vercauteren:
 * "Optimal pairings") of many pairs in one loop, then the final exponentiation. `scripts/build-wasm.ts` compiles what comes out.
 *
 * The module exports `input()`, the address of 16 pairs as contracts write them, every coordinate below the modulus;
 * `begin()`; `take(count)`, which multiplies the product by the pairings of that many pairs and is false when a point
 * is not in its group; and `isOne()`, which ends the product.
 *
 * That a point Q of the twist is in the group costs next to nothing. With u the curve's parameter, phi the
 * endomorphism and t its trace, the loop ends with (6u + 2) Q + phi(Q) - phi^2(Q), to which adding phi^3(Q) gives
 * infinity for all points of the group. With phi^2 = t phi - p this is a map (b + c phi) of degree
 * b^2 + b c t + c^2 p, whose greatest common divisor with the number of points of the twist is the order of the
 * group, so no other point gives infinity; test/node/crypto/bn254.test.ts does the sum.
 */
import { bn254CurveSource, PAIR } from "./bn254-curve-source.ts";
import { BN254_PARAMETER, bn254FinalSource } from "./bn254-final-source.ts";
import { BN254_FIELD, bn254TowerSource, FP12, FP2 } from "./bn254-tower-source.ts";
import { limbOf, limbsOf, montgomeryOne, plainConstant, signedDigits } from "./field.ts";

/** How many pairs are held at once. */
export const BN254_PAIRS = 16;

const INPUT_PAIR = 192;
const POINT = 64;

/** The module's source. */
export function bn254Source(): string {
  return `
  ${bn254TowerSource()}
  ${bn254CurveSource()}
  ${readSource()}
  ${loopSource()}
  ${bn254FinalSource()}
  `;
}

/** Points from bytes, big-endian, imaginary parts first. */
function readSource(): string {
  const { limbs, modulus } = BN254_FIELD;
  const square = limbsOf(BN254_FIELD, montgomeryOne(BN254_FIELD) ** 2n % modulus);
  const words = [0, 1, 2, 3].map((k) => `const w${k} = bswap<u64>(load<u64>(from, ${24 - 8 * k}));`);
  const parts = Array.from({ length: limbs }, (_, i) => `store<i32>(to, i32(${limbOf(BN254_FIELD, i, 4)}), ${8 * i});`);
  return `
  const INPUT: usize = memory.data(${BN254_PAIRS * INPUT_PAIR}, 16);
  const R_SQUARED: usize = ${plainConstant(square, square)};
  export function input(): usize { return INPUT; }

  function readLimbs(to: usize, from: usize): void {
    ${words.join("\n    ")}
    ${parts.join("\n    ")}
  }

  function readPair(to: usize, first: usize, second: usize): void {
    readLimbs(to, first);
    readLimbs(to + 4, second);
    multiplyLanes(to, to, R_SQUARED);
  }

  function isZeroAt(from: usize, length: usize): bool {
    let bits: u64 = 0;
    for (let at: usize = 0; at < length; at += 8) bits |= load<u64>(from + at);
    return bits == 0;
  }
  `;
}

/** Digits -1, 0 and 1, the highest first and left out. */
function loopDigits(): number[] {
  return signedDigits(6n * BN254_PARAMETER + 2n, 2).slice(1);
}

/** One loop for all pairs, which share the squares. `count` pairs are of the product, those at `idle` only looked at. */
function loopSource(): string {
  const digits = loopDigits();
  return `
  const PAIRS: usize = memory.data(${BN254_PAIRS * PAIR.size}, 16);
  const DIGITS: usize = memory.data<i8>([${digits.join(", ")}]);
  const MILLER: usize = memory.data(${FP12}, 16);
  const PRODUCT: usize = memory.data(${FP12}, 16);
  const TURNED: usize = memory.data(${2 * FP2}, 16);
  ${setOneSource()}
  ${takeSource()}

  function byLine(isIdle: bool): void {
    if (!isIdle) multiply12ByLine(MILLER, MILLER, L0, L1, L3);
  }

  function turn(digit: i32, pair: usize, isIdle: bool): void {
    tangent(pair);
    byLine(isIdle);
    if (digit == 0) return;
    if (digit > 0) memory.copy(TURNED, pair + ${PAIR.qy}, ${FP2});
    else subtract(TURNED, ZERO, pair + ${PAIR.qy});
    chord(pair, pair + ${PAIR.qx}, TURNED);
    byLine(isIdle);
  }

  /** The last two lines, to phi(Q) and -phi^2(Q); false unless the sum is then -phi^3(Q). */
  function finish(pair: usize, isIdle: bool): bool {
    const x = TURNED;
    const y = TURNED + ${FP2};
    endomorphism(x, y, pair + ${PAIR.qx}, pair + ${PAIR.qy});
    chord(pair, x, y);
    byLine(isIdle);
    endomorphism(x, y, x, y);
    subtract(y, ZERO, y);
    chord(pair, x, y);
    byLine(isIdle);
    endomorphism(x, y, x, y);
    multiply(x, x, pair + ${PAIR.z});
    multiply(y, y, pair + ${PAIR.z});
    return !isZero(pair + ${PAIR.z}) && equal(x, pair + ${PAIR.x}) && equal(y, pair + ${PAIR.y});
  }
  `;
}

function setOneSource(): string {
  return `
  function setOne(r: usize): void {
    memory.fill(r, 0, ${FP12});
    memory.copy(r, ONE, ${FP2});
  }

  export function begin(): void { setOne(PRODUCT); }
  `;
}

function takeSource(): string {
  return `
  /** Reads a pair, or says with -1 that a point is on no curve, with 0 that the second is infinity. */
  function readPoints(pair: usize, from: usize): i32 {
    readPair(pair + ${PAIR.px}, from, from);
    readPair(pair + ${PAIR.py}, from + 32, from + 32);
    if (!isZeroAt(from, ${POINT}) && !isOnCurve(pair + ${PAIR.px}, pair + ${PAIR.py})) return -1;
    if (isZeroAt(from + ${POINT}, ${2 * POINT})) return 0;
    readPair(pair + ${PAIR.qx}, from + 96, from + 64);
    readPair(pair + ${PAIR.qy}, from + 160, from + 128);
    if (!isOnTwist(pair + ${PAIR.qx}, pair + ${PAIR.qy})) return -1;
    memory.copy(pair + ${PAIR.x}, pair + ${PAIR.qx}, ${2 * FP2});
    memory.copy(pair + ${PAIR.z}, ONE, ${FP2});
    return 1;
  }

  export function take(count: i32): bool {
    let idle: u32 = 0;
    let held = 0;
    for (let i = 0; i < count; i++) {
      const from = INPUT + usize(i) * ${INPUT_PAIR};
      const found = readPoints(PAIRS + usize(held) * ${PAIR.size}, from);
      if (found < 0) return false;
      if (found == 0) continue;
      if (isZeroAt(from, ${POINT})) idle |= u32(1) << held;
      held++;
    }
    setOne(MILLER);
    for (let at = 0; at < ${loopDigits().length}; at++) {
      const digit = i32(load<i8>(DIGITS + usize(at)));
      square12(MILLER, MILLER);
      for (let i = 0; i < held; i++) turn(digit, PAIRS + usize(i) * ${PAIR.size}, ((idle >> i) & 1) != 0);
    }
    for (let i = 0; i < held; i++) {
      if (!finish(PAIRS + usize(i) * ${PAIR.size}, ((idle >> i) & 1) != 0)) return false;
    }
    multiply12(PRODUCT, PRODUCT, MILLER);
    return true;
  }
  `;
}
