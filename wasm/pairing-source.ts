/**
 * Writes AssemblyScript for checks that products of pairings are one: many pairs in one loop (Miller's), which share the
 * squares, then the final exponentiation.
 *
 * A module exports `input()`, the address of 16 pairs as contracts write them, every coordinate below the modulus;
 * `begin()`; `take(count)`, which multiplies the product by the pairings of that many pairs and is false when a point is
 * not on its curve or the second is not in its group; and `isOne()`, which ends the product.
 */
import { curveSource, placesOf, type TwistedCurve } from "./curve-source.ts";
import { cyclotomicSource } from "./cyclotomic-source.ts";
import { type Field, limbOf, limbsOf, montgomeryOne, plainConstant, signedDigits } from "./field.ts";
import { sizesOf, towerSource } from "./tower-source.ts";

/** A pairing and how its points are written. */
export interface Pairing extends TwistedCurve {
  /** The curve's parameter without its sign. */
  readonly parameter: bigint;
  /** What points of the second group are multiplied by in the loop, without its sign. */
  readonly loop: bigint;
  /** Bytes of a coordinate as written, the last of which are those of the field's element. */
  readonly wordBytes: number;
  readonly fieldBytes: number;
  readonly imaginaryFirst: boolean;
  /** The function `multiply12ByLine(r, a)`, by the line LY, LX, LC. */
  readonly lineProduct: string;
  /**
   * The function `finish(pair, isIdle)`, which does what follows the loop and is false when the second point is not in
   * its group; TURNED is room for a point.
   */
  readonly finish: string;
  /** The function `isOne()`, which raises PRODUCT to the last power and spoils it. */
  readonly final: string;
}

/** How many pairs are held at once. */
const PAIRS = 16;

/** A module's source. */
export function pairingSource(pairing: Pairing): string {
  return `
  ${towerSource(pairing.tower)}
  ${curveSource(pairing)}
  ${readSource(pairing)}
  ${pairing.lineProduct}
  ${cyclotomicSource(pairing.tower, pairing.parameter)}
  ${loopSource(pairing)}
  ${pointsSource(pairing)}
  ${takeSource(pairing)}
  ${pairing.final}
  `;
}

/** Elements from bytes, big-endian. */
function readSource({ tower: { field }, fieldBytes, wordBytes }: Pairing): string {
  const square = limbsOf(field, montgomeryOne(field) ** 2n % field.modulus);
  return `
  const INPUT: usize = memory.data(${PAIRS * 6 * wordBytes}, 16);
  const R_SQUARED: usize = ${plainConstant(square, square)};
  export function input(): usize { return INPUT; }
  ${limbsSource(field, fieldBytes, wordBytes - fieldBytes)}

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

/** `readLimbs(to, from)`: the limbs of one element, so many bytes behind `from`, into every other word. */
export function limbsSource(field: Field, bytes: number, behind: number): string {
  const count = bytes / 8;
  const words = Array.from(
    { length: count },
    (_, k) => `const w${k} = bswap<u64>(load<u64>(from, ${behind + bytes - 8 - 8 * k}));`,
  );
  const parts = Array.from(
    { length: field.limbs },
    (_, i) => `store<i32>(to, i32(${limbOf(field, i, count)}), ${8 * i});`,
  );
  return `
  function readLimbs(to: usize, from: usize): void {
    ${words.join("\n    ")}
    ${parts.join("\n    ")}
  }`;
}

/** Digits -1, 0 and 1, the highest first and left out. */
const digitsOf = ({ loop }: Pairing): number[] => signedDigits(loop, 2).slice(1);

function loopSource(pairing: Pairing): string {
  const { fp2, fp12 } = sizesOf(pairing.tower);
  const at = placesOf(pairing);
  return `
  const PAIRS: usize = memory.data(${PAIRS * at.size}, 16);
  const DIGITS: usize = memory.data<i8>([${digitsOf(pairing).join(", ")}]);
  const MILLER: usize = memory.data(${fp12}, 16);
  const PRODUCT: usize = memory.data(${fp12}, 16);
  const TURNED: usize = memory.data(${2 * fp2}, 16);

  function setOne(r: usize): void {
    memory.fill(r, 0, ${fp12});
    memory.copy(r, ONE, ${fp2});
  }

  export function begin(): void { setOne(PRODUCT); }

  /** An idle pair's second point is only looked at: its first is infinity. */
  function byLine(isIdle: bool): void {
    if (!isIdle) multiply12ByLine(MILLER, MILLER);
  }

  function turn(digit: i32, pair: usize, isIdle: bool): void {
    tangent(pair);
    byLine(isIdle);
    if (digit == 0) return;
    if (digit > 0) memory.copy(TURNED, pair + ${at.qy}, ${fp2});
    else subtract(TURNED, ZERO, pair + ${at.qy});
    chord(pair, pair + ${at.qx}, TURNED);
    byLine(isIdle);
  }

  /** Whether the multiple of the second point is the point x, y; never when it became infinity on the way. */
  function isMultipleAt(pair: usize, x: usize, y: usize): bool {
    multiply(x, x, pair + ${at.z});
    multiply(y, y, pair + ${at.z});
    return !isZero(pair + ${at.z}) && equal(x, pair + ${at.x}) && equal(y, pair + ${at.y});
  }
  ${pairing.finish}
  `;
}

function pointsSource(pairing: Pairing): string {
  const { fp2 } = sizesOf(pairing.tower);
  const at = placesOf(pairing);
  const word = pairing.wordBytes;
  const [real, imaginary] = pairing.imaginaryFirst ? [word, 0] : [0, word];
  return `
  /** Reads a pair, or says with -1 that a point is on no curve, with 0 that the second is infinity. */
  function readPoints(pair: usize, from: usize): i32 {
    readPair(pair + ${at.px}, from, from);
    readPair(pair + ${at.py}, from + ${word}, from + ${word});
    if (!isZeroAt(from, ${2 * word}) && !isOnCurve(pair + ${at.px}, pair + ${at.py})) return -1;
    if (isZeroAt(from + ${2 * word}, ${4 * word})) return 0;
    readPair(pair + ${at.qx}, from + ${2 * word + real}, from + ${2 * word + imaginary});
    readPair(pair + ${at.qy}, from + ${4 * word + real}, from + ${4 * word + imaginary});
    if (!isOnTwist(pair + ${at.qx}, pair + ${at.qy})) return -1;
    memory.copy(pair + ${at.x}, pair + ${at.qx}, ${2 * fp2});
    memory.copy(pair + ${at.z}, ONE, ${fp2});
    return 1;
  }
  `;
}

function takeSource(pairing: Pairing): string {
  const { size } = placesOf(pairing);
  const word = pairing.wordBytes;
  return `
  export function take(count: i32): bool {
    let idle: u32 = 0;
    let held = 0;
    for (let i = 0; i < count; i++) {
      const from = INPUT + usize(i) * ${6 * word};
      const found = readPoints(PAIRS + usize(held) * ${size}, from);
      if (found < 0) return false;
      if (found == 0) continue;
      if (isZeroAt(from, ${2 * word})) idle |= u32(1) << held;
      held++;
    }
    setOne(MILLER);
    for (let at = 0; at < ${digitsOf(pairing).length}; at++) {
      const digit = i32(load<i8>(DIGITS + usize(at)));
      square12(MILLER, MILLER);
      for (let i = 0; i < held; i++) turn(digit, PAIRS + usize(i) * ${size}, ((idle >> i) & 1) != 0);
    }
    for (let i = 0; i < held; i++) {
      if (!finish(PAIRS + usize(i) * ${size}, ((idle >> i) & 1) != 0)) return false;
    }
    multiply12(PRODUCT, PRODUCT, MILLER);
    return true;
  }
  `;
}
