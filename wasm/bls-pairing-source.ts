/**
 * Writes the AssemblyScript source of the pairing check on BLS12-381 (EIP-2537), the ate pairing with the final
 * exponentiation of Hayashida, Hayasaka and Teruya ("Efficient final exponentiation via cyclotomic structure for
 * pairings over families of elliptic curves"). `scripts/build-wasm.ts` compiles what comes out; `pairing-source.ts`
 * says what it exports.
 *
 * The loop ends with -u Q for the curve's parameter u, which is negative; points of the group, and no others, have
 * -u Q = -psi(Q): `bls-order-source.ts` says why. A loop over -u gives the pairing's inverse, which is one when it is.
 */
import { placesOf, type TwistedCurve } from "./curve-source.ts";
import { pairingSource } from "./pairing-source.ts";
import { type Fp2Value, powerOfPair, sizesOf, type Tower } from "./tower-source.ts";

/** The field's modulus. */
export const BLS_MODULUS =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
/** Less the curve's parameter u. */
export const BLS_PARAMETER = 0xd201000000010000n;
const TOWER: Tower = {
  field: {
    modulus: BLS_MODULUS,
    limbs: 16,
    bits: 27,
  },
  xi: [1n, 1n],
  timesXi: "addTimesRoot(r, a, a);",
};
const { fp2, fp6, fp12 } = sizesOf(TOWER);
const HALF = (BLS_MODULUS + 1n) / 2n;
/** 1 / (1 + i) is (1 - i) / 2. */
const overXi = (divisor: bigint): Fp2Value =>
  powerOfPair(TOWER, [HALF, BLS_MODULUS - HALF], (BLS_MODULUS - 1n) / divisor);
/** What the conjugates of x and y are multiplied by in psi, the p-th power behind the twist. */
export const BLS_ENDOMORPHISM: readonly [Fp2Value, Fp2Value] = [overXi(3n), overXi(2n)];
const CURVE: TwistedCurve = {
  tower: TOWER,
  b: 4n,
  twistB: [4n, 4n],
  endomorphism: BLS_ENDOMORPHISM,
};

/** The module's source. */
export function blsPairingSource(): string {
  return pairingSource({
    ...CURVE,
    parameter: BLS_PARAMETER,
    loop: BLS_PARAMETER,
    wordBytes: 64,
    fieldBytes: 48,
    imaginaryFirst: false,
    lineProduct: lineProduct(),
    finish: finish(),
    final: final(),
  });
}

/** By LC + LX w^2 + LY w^3. */
function lineProduct(): string {
  return `
  const BOTH: usize = memory.data(${fp2}, 16);
  function multiply12ByLine(r: usize, a: usize): void {
    add6(MIXED, a, a + ${fp6});
    add(BOTH, LX, LY);
    multiply6By2(MIXED, MIXED, LC, BOTH);
    multiply6By2(LOW, a, LC, LX);
    multiply6By1(TOP, a + ${fp6}, LY);
    timesV(TOP, TOP);
    gather12(r);
  }`;
}

function finish(): string {
  const { qx, qy } = placesOf(CURVE);
  return `
  function finish(pair: usize, isIdle: bool): bool {
    const x = TURNED;
    const y = TURNED + ${fp2};
    endomorphism(x, y, pair + ${qx}, pair + ${qy});
    subtract(y, ZERO, y);
    return isMultipleAt(pair, x, y);
  }`;
}

/** The power of 3 (p^4 - p^2 + 1) / r = (u - 1)^2 (u + p) (u^2 + p^2 - 1) + 3; the parameter is -u. */
function final(): string {
  return `
  ${["BASE", "POWERED", "PART"].map((name) => `const ${name}: usize = memory.data(${fp12}, 16);`).join("\n  ")}

  /** a^(1 - u). */
  function powerOfOneMore(r: usize, a: usize): void {
    powerOfParameter(PART, a);
    multiply12(r, PART, a);
  }

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
  }`;
}
