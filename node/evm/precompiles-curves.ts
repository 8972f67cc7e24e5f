/** Precompiled contracts for BN254, BLAKE2b, KZG proofs, P-256 and modular exponentiation. */
import { equalBytes } from "../bytes/compare.ts";
import { BLAKE2F_INPUT_BYTES, blake2f, blake2fRounds } from "../crypto/blake2f.ts";
import { BN254_PAIR_BYTES, bn254 } from "../crypto/bn254.ts";
import { isPointEvaluation, POINT_EVALUATION_INPUT_BYTES } from "../crypto/kzg-point.ts";
import { verifyP256 } from "../crypto/p256.ts";
import { versionedHash } from "../crypto/versioned-hash.ts";
import { type ModexpPricing, modexp, modexpCost, modexpGas } from "./modexp.ts";
import type { PrecompileWork } from "./precompile.ts";

const WORD = 32;
const INVALID_LENGTH = "invalid input length";

/**
 * Output of the point evaluation contract (EIP-4844): the number of field elements in a blob and the order of
 * the scalar field.
 */
const POINT_EVALUATION_OUTPUT = Buffer.from(
  `${"1000".padStart(64, "0")}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`,
  "hex",
);

/** Returns 1 or 0 as a 32-byte word. */
export function truth(value: boolean): Uint8Array {
  const word = new Uint8Array(WORD);
  word[WORD - 1] = value ? 1 : 0;
  return word;
}

/** Modular exponentiation (EIP-198). */
export function modexpContract(pricing: ModexpPricing): PrecompileWork {
  return {
    name: "modexp",
    gas: (input) => modexpGas(input, pricing),
    cost: (_input, gas) => modexpCost(BigInt(gas), pricing),
    run: ({ input }) => modexp(input, pricing),
    fault: () => "one or more of base/exponent/modulus length exceeded 1024 bytes",
  };
}

/** BN254 addition (EIP-196; gas of EIP-1108 from Istanbul on). */
export function bn254Add(gas: number): PrecompileWork {
  return {
    name: "bn254Add",
    gas: () => gas,
    cost: () => 8000,
    run: ({ input }) => bn254().add(input),
    fault: notOnCurve,
  };
}

/** BN254 scalar multiplication (EIP-196; gas of EIP-1108 from Istanbul on). */
export function bn254Multiply(gas: number): PrecompileWork {
  return {
    name: "bn254Mul",
    gas: () => gas,
    cost: () => 100_000,
    run: ({ input }) => bn254().multiply(input),
    fault: notOnCurve,
  };
}

/** BN254 pairing check (EIP-197; gas of EIP-1108 from Istanbul on). */
export function bn254Pairing(gas: { readonly base: number; readonly pair: number }): PrecompileWork {
  return {
    name: "bn254Pairing",
    gas: (input) => gas.base + gas.pair * bn254Pairs(input),
    cost: (input) => 2_000_000 + 1_000_000 * bn254Pairs(input),
    run: ({ input }) => {
      const result = bn254().isPairing(input);
      return result === undefined ? undefined : truth(result);
    },
    fault: (input) =>
      input.length % BN254_PAIR_BYTES === 0 ? notOnCurve() : "bad elliptic curve pairing size",
  };
}

function notOnCurve(): string {
  return "point is not on curve";
}

function bn254Pairs(input: Uint8Array): number {
  return Math.floor(input.length / BN254_PAIR_BYTES);
}

/** BLAKE2b compression function F (EIP-152): one gas per round. */
export const blake2fContract: PrecompileWork = {
  name: "blake2f",
  gas: (input) => (input.length === BLAKE2F_INPUT_BYTES ? blake2fRounds(input) : 0),
  cost: (input) => (input.length === BLAKE2F_INPUT_BYTES ? 10_000 + 10 * blake2fRounds(input) : 0),
  run: ({ input }) => blake2f(input),
  fault: ({ length }) => (length === BLAKE2F_INPUT_BYTES ? "invalid final flag" : INVALID_LENGTH),
};

/** Point evaluation of a KZG commitment (EIP-4844). */
export const pointEvaluation: PrecompileWork = {
  name: "kzgPointEvaluation",
  gas: () => 50_000,
  cost: () => 2_200_000,
  run: ({ input }) => (isPointEvaluation(input) ? Uint8Array.from(POINT_EVALUATION_OUTPUT) : undefined),
  fault: (input) => {
    if (input.length !== POINT_EVALUATION_INPUT_BYTES) return INVALID_LENGTH;
    const isNamed = equalBytes(versionedHash(input.subarray(96, 144)), input.subarray(0, WORD));
    return isNamed ? "error verifying kzg proof" : "mismatched versioned hash";
  },
};

/** P-256 signature verification (EIP-7951); the output is empty for an invalid signature. */
export const p256Verify: PrecompileWork = {
  name: "p256Verify",
  gas: () => 6900,
  cost: () => 235_000,
  run: ({ input }) => (verifyP256(input) ? truth(true) : new Uint8Array(0)),
};
