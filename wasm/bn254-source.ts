/**
 * Writes the AssemblyScript source of the pairing check on BN254 (EIP-197), the optimal ate pairing (Vercauteren:
 * "Optimal pairings") with the final exponentiation of Fuentes-Castaneda, Knapp and Rodriguez-Henriquez ("Faster
 * hashing to G2"). `scripts/build-wasm.ts` compiles what comes out; `pairing-source.ts` says what it exports.
 *
 * That a point Q of the twist is in the group costs next to nothing. With u the curve's parameter, phi the
 * endomorphism and t its trace, the loop ends with (6u + 2) Q + phi(Q) - phi^2(Q), to which adding phi^3(Q) gives
 * infinity for all points of the group. With phi^2 = t phi - p this is a map (b + c phi) of degree
 * b^2 + b c t + c^2 p, whose greatest common divisor with the number of points of the twist is the order of the
 * group, so no other point gives infinity; test/node/crypto/bn254.test.ts does the sum.
 */
import { placesOf, type TwistedCurve } from "./curve-source.ts";
import { powerOf } from "./field.ts";
import { pairingSource } from "./pairing-source.ts";
import { frobeniusOf, sizesOf, type Tower } from "./tower-source.ts";

const PARAMETER = 4965661367192848881n;
const TOWER: Tower = {
  field: {
    modulus: 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
    limbs: 10,
    bits: 29,
  },
  xi: [9n, 1n],
  timesXi: "triple(NINE, a); triple(NINE, NINE); addTimesRoot(r, NINE, a);",
};
const { fp2, fp6, fp12 } = sizesOf(TOWER);
const { modulus } = TOWER.field;
/** 3 / 82; 1 / (9 + i) is (9 - i) / 82. */
const THIRD = (3n * powerOf(82n, modulus - 2n, modulus)) % modulus;
const CURVE: TwistedCurve = {
  tower: TOWER,
  b: 3n,
  twistB: [(9n * THIRD) % modulus, modulus - THIRD],
  endomorphism: [frobeniusOf(TOWER, 2), frobeniusOf(TOWER, 3)],
};

/** The module's source. */
export function bn254Source(): string {
  return pairingSource({
    ...CURVE,
    parameter: PARAMETER,
    loop: 6n * PARAMETER + 2n,
    wordBytes: 32,
    fieldBytes: 32,
    imaginaryFirst: true,
    lineProduct: lineProduct(),
    finish: finish(),
    final: final(),
  });
}

/** By LY + LX w + LC w^3. */
function lineProduct(): string {
  return `
  const BOTH: usize = memory.data(${fp2}, 16);
  function multiply12ByLine(r: usize, a: usize): void {
    add6(MIXED, a, a + ${fp6});
    add(BOTH, LY, LX);
    multiply6By2(MIXED, MIXED, BOTH, LC);
    multiply6By1(LOW, a, LY);
    multiply6By2(TOP, a + ${fp6}, LX, LC);
    gather12(r);
  }`;
}

/** The last two lines, to phi(Q) and -phi^2(Q); the sum is then -phi^3(Q). */
function finish(): string {
  const { qx, qy } = placesOf(CURVE);
  return `
  function finish(pair: usize, isIdle: bool): bool {
    const x = TURNED;
    const y = TURNED + ${fp2};
    endomorphism(x, y, pair + ${qx}, pair + ${qy});
    chord(pair, x, y);
    byLine(isIdle);
    endomorphism(x, y, x, y);
    subtract(y, ZERO, y);
    chord(pair, x, y);
    byLine(isIdle);
    endomorphism(x, y, x, y);
    return isMultipleAt(pair, x, y);
  }`;
}

/**
 * The power of a multiple of (p^4 - p^2 + 1) / r which r does not divide: (1 + 6u + 12u^2 + 12u^3) +
 * (4u + 6u^2 + 12u^3) p + (6u + 6u^2 + 12u^3) p^2 + (-1 + 4u + 6u^2 + 12u^3) p^3.
 */
function final(): string {
  const names = ["BASE", "U2", "U6_SQUARED", "HIGHER", "LOWER"];
  return `
  ${names.map((name) => `const ${name}: usize = memory.data(${fp12}, 16);`).join("\n  ")}
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
  }`;
}
