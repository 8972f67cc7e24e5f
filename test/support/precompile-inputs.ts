/** Well-formed input of contracts on curves: points in and outside the groups, infinity, any scalar. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import { p256 } from "@noble/curves/nist.js";
import { concatBytes } from "../../node/bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../../node/bytes/integer.ts";
import { outsideG1 } from "./bls-points.ts";
import { randomBytes } from "./random.ts";

type Random = () => number;
type Affine<F> = { readonly is0: () => boolean; readonly toAffine: () => { readonly x: F; readonly y: F } };
type Pair = { readonly c0: bigint; readonly c1: bigint };

/** Inputs of the contract of a name, or undefined when it is none on a curve. */
export function curveInputs(name: string, random: Random): Uint8Array[] | undefined {
  return INPUTS[name]?.(random);
}

const INPUTS: Readonly<Record<string, (random: Random) => Uint8Array[]>> = {
  bn254Add: (random) => [concatBytes(bnG1(random), bnG1(random))],
  bn254Mul: (random) => [concatBytes(bnG1(random), scalar(random))],
  bn254Pairing: (random) => [bnPairs(random), concatBytes(bnG1(random), bnG2(random))],
  blsG1Add: (random) => {
    const outside = blsG1Bytes(outsideG1());
    return [concatBytes(blsG1(random), blsG1(random)), concatBytes(blsG1(random), outside)];
  },
  blsG2Add: (random) => [concatBytes(blsG2(random), blsG2(random))],
  blsG1Msm: (random) => [
    terms(random, () => concatBytes(blsG1(random), scalar(random))),
    concatBytes(blsG1Bytes(outsideG1()), scalar(random)),
  ],
  blsG2Msm: (random) => [terms(random, () => concatBytes(blsG2(random), scalar(random)))],
  blsPairing: (random) => [blsPairs(random), concatBytes(blsG1(random), blsG2(random))],
  blsMapG1: (random) => [blsField(random)],
  blsMapG2: (random) => [concatBytes(blsField(random), blsField(random))],
  p256Verify: (random) => [p256Claim(random)],
};

function terms(random: Random, term: () => Uint8Array): Uint8Array {
  return concatBytes(...Array.from({ length: 1 + Math.floor(random() * 4) }, term));
}

function scalar(random: Random): Uint8Array {
  return random() < 0.2 ? fixedBytes(Math.floor(random() * 3), 32) : randomBytes(random, 32);
}

function factor(random: Random): bigint {
  return bytesToBigint(randomBytes(random, 30)) + 1n;
}

const words = (size: number, ...values: readonly bigint[]): Uint8Array =>
  concatBytes(...values.map((value) => fixedBytes(value, size)));

function bnG1(random: Random): Uint8Array {
  return random() < 0.15 ? new Uint8Array(64) : bnG1Bytes(bn254.G1.Point.BASE.multiply(factor(random)));
}

function bnG1Bytes(point: Affine<bigint>): Uint8Array {
  const { x, y } = point.toAffine();
  return words(32, x, y);
}

function bnG2(random: Random): Uint8Array {
  return random() < 0.15 ? new Uint8Array(128) : bnG2Bytes(bn254.G2.Point.BASE.multiply(factor(random)));
}

function bnG2Bytes(point: Affine<Pair>): Uint8Array {
  const { x, y } = point.toAffine();
  return words(32, x.c1, x.c0, y.c1, y.c0);
}

/** Two pairs whose product is one. */
function bnPairs(random: Random): Uint8Array {
  const { G1, G2 } = bn254;
  const [a, b] = [factor(random) >> 120n, factor(random) >> 120n];
  return concatBytes(
    bnG1Bytes(G1.Point.BASE.multiply(a)),
    bnG2Bytes(G2.Point.BASE.multiply(b)),
    bnG1Bytes(G1.Point.BASE.multiply(a * b).negate()),
    bnG2Bytes(G2.Point.BASE),
  );
}

function blsG1(random: Random): Uint8Array {
  const { G1 } = bls12_381;
  return random() < 0.15 ? new Uint8Array(128) : blsG1Bytes(G1.Point.BASE.multiply(factor(random)));
}

function blsG1Bytes(point: Affine<bigint>): Uint8Array {
  const { x, y } = point.toAffine();
  return words(64, x, y);
}

function blsG2(random: Random): Uint8Array {
  const { G2 } = bls12_381;
  return random() < 0.15 ? new Uint8Array(256) : blsG2Bytes(G2.Point.BASE.multiply(factor(random)));
}

function blsG2Bytes(point: Affine<Pair>): Uint8Array {
  const { x, y } = point.toAffine();
  return words(64, x.c0, x.c1, y.c0, y.c1);
}

/** Two pairs whose product is one. */
function blsPairs(random: Random): Uint8Array {
  const { G1, G2 } = bls12_381;
  const [a, b] = [factor(random) >> 120n, factor(random) >> 120n];
  return concatBytes(
    blsG1Bytes(G1.Point.BASE.multiply(a)),
    blsG2Bytes(G2.Point.BASE.multiply(b)),
    blsG1Bytes(G1.Point.BASE.multiply(a * b).negate()),
    blsG2Bytes(G2.Point.BASE),
  );
}

function blsField(random: Random): Uint8Array {
  return random() < 0.15 ? new Uint8Array(64) : concatBytes(new Uint8Array(17), randomBytes(random, 47));
}

function p256Claim(random: Random): Uint8Array {
  const digest = randomBytes(random, 32);
  const key = randomBytes(random, 32).with(0, 1);
  const signature = p256.sign(digest, key, { prehash: false, lowS: random() < 0.5 });
  return concatBytes(digest, signature, p256.getPublicKey(key, false).subarray(1));
}
