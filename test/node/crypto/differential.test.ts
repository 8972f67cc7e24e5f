/**
 * Kernels and libraries against @noble on random input and on edges: points at infinity, equal and opposite ones, ones off
 * their curves and out of their groups, coordinates that are not in the field, scalars about the order. KNIT_CRYPTO_ROUNDS
 * inputs an operation, ten times as many recoveries.
 */
import { describe, expect, test } from "@jest/globals";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 as nobleCurveOf254 } from "@noble/curves/bn254.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import {
  addG1,
  addG2,
  isBlsPairing,
  mapToG1,
  mapToG2,
  sumG1,
  sumG2,
} from "../../../node/crypto/bls-points.ts";
import { bn254, createBn254 } from "../../../node/crypto/bn254.ts";
import { recoverPacked } from "../../../node/crypto/packed-recovery.ts";
import { packJobs, type RecoveryJob, unpackSigners } from "../../../node/crypto/recovery-batch.ts";
import { createSecp256k1, recover } from "../../../node/crypto/secp256k1.ts";
import { nobleCurve } from "../../../node/crypto/secp256k1-noble.ts";
import { nobleContracts } from "../../support/bls-noble.ts";
import { bytesOfG1, bytesOfG2, outsideG1, outsideG2 } from "../../support/bls-points.ts";
import { nobleBn254 } from "../../support/bn254-noble.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const ROUNDS = Number(process.env["KNIT_CRYPTO_ROUNDS"] ?? 6);
const SEED = Number(process.env["KNIT_SEED"] ?? 1);
const RECOVERIES = 10 * ROUNDS;
/** @noble takes up to a tenth of a second for an input. */
const TIMEOUT_MS = 20_000 + ROUNDS * 200;

type Random = () => number;
type Answer = Uint8Array | boolean | undefined;

const text = (answer: Answer): string => (answer instanceof Uint8Array ? bareHex(answer) : String(answer));
const oneOf = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T; // within its length
const scalar = (random: Random, order: bigint): bigint => bytesToBigint(randomBytes(random, 40)) % order;

/** Scalars as contracts may write them. */
function someScalar(random: Random, order: bigint): Uint8Array {
  const edges = [0n, 1n, 2n, order - 1n, order, order + 1n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n];
  return random() < 0.3 ? fixedBytes(oneOf(random, edges), 32) : randomBytes(random, 32);
}

/** Mostly good points, one in five from the edges, one in twenty with a bit that is wrong or a coordinate too large. */
function somePoint(random: Random, good: () => Uint8Array, edges: readonly Uint8Array[]): Uint8Array {
  const point = random() < 0.2 ? oneOf(random, edges) : good();
  const fate = random();
  if (fate < 0.03) return point.with(Math.floor(random() * point.length), Math.floor(random() * 256));
  return fate < 0.05 ? point.map((byte) => (random() < 0.5 ? 255 : byte)) : point;
}

function compare(
  inputs: () => Uint8Array,
  ours: (input: Uint8Array) => Answer,
  oracle: (input: Uint8Array) => Answer,
): void {
  const kinds = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const input = inputs();
    const found = ours(input);
    kinds.add(found instanceof Uint8Array ? "bytes" : String(found));
    expect([bareHex(input), text(found)]).toEqual([bareHex(input), text(oracle(input))]);
  }
  if (ROUNDS >= 200) expect(kinds.size).toBeGreaterThan(1);
}

describe("secp256k1", () => {
  const { ORDER } = secp256k1.Point.Fn;
  const edges = [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, secp256k1.Point.Fp.ORDER - 1n, 2n ** 256n - 1n];

  function someJob(random: Random): RecoveryJob {
    const digest = random() < 0.1 ? fixedBytes(oneOf(random, edges), 32) : randomBytes(random, 32);
    const part = (): Uint8Array =>
      random() < 0.03 ? fixedBytes(oneOf(random, edges), 32) : randomBytes(random, 32);
    const v = random() < 0.02 ? 2 : Math.floor(random() * 2);
    return { digest, signature: concatBytes(part(), part(), Uint8Array.of(v)) };
  }

  test(
    "recovers the keys that @noble recovers, many at once and one by one",
    () => {
      const random = seededRandom(SEED);
      const oracle = createSecp256k1(nobleCurve);
      let found = 0;
      for (let done = 0; done < RECOVERIES; done += 100) {
        const jobs = Array.from({ length: Math.min(100, RECOVERIES - done) }, () => someJob(random));
        const expected = jobs.map(({ digest, signature }) => text(oracle.recover(digest, signature)));
        expect(unpackSigners(recoverPacked(packJobs(jobs), "key"), "key").map(text)).toEqual(expected);
        expect(jobs.map(({ digest, signature }) => text(recover(digest, signature)))).toEqual(expected);
        found += expected.filter((key) => key !== "undefined").length;
      }
      expect(found).toBeGreaterThan(RECOVERIES / 4);
    },
    TIMEOUT_MS,
  );
});

describe("bn254", () => {
  const { G1, G2, fields } = nobleCurveOf254;
  const order = fields.Fr.ORDER;
  const oracle = createBn254(nobleBn254);
  const first = (factor: bigint): Uint8Array => {
    if (factor === 0n) return new Uint8Array(64);
    const { x, y } = G1.Point.BASE.multiply(factor).toAffine();
    return concatBytes(fixedBytes(x, 32), fixedBytes(y, 32));
  };
  const second = (factor: bigint): Uint8Array => {
    const { x, y } = G2.Point.BASE.multiply(factor).toAffine();
    return concatBytes(...[x.c1, x.c0, y.c1, y.c0].map((part) => fixedBytes(part, 32)));
  };
  const edges1 = [new Uint8Array(64), first(1n), first(order - 1n), first(2n)];
  const edges2 = [new Uint8Array(128), second(1n), second(order - 1n), outsideTwist()];

  /** A point of the twist that is not in the group. */
  function outsideTwist(): Uint8Array {
    const { Fp2 } = fields;
    const { b } = G2.Point.CURVE() as { b: ReturnType<typeof Fp2.create> };
    for (let c0 = 1n; ; c0++) {
      const x = Fp2.fromBigTuple([c0, 1n]);
      try {
        const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b));
        return concatBytes(...[x.c1, x.c0, y.c1, y.c0].map((part) => fixedBytes(part, 32)));
      } catch {
        // no root: the next x
      }
    }
  }

  test(
    "adds and multiplies as @noble does",
    () => {
      const random = seededRandom(SEED + 1);
      const good = (): Uint8Array => first(scalar(random, order));
      const point = (): Uint8Array => somePoint(random, good, edges1);
      compare(() => concatBytes(point(), point()), bn254().add, oracle.add);
      compare(() => concatBytes(point(), someScalar(random, order)), bn254().multiply, oracle.multiply);
    },
    TIMEOUT_MS,
  );

  test(
    "pairs as @noble does",
    () => {
      const random = seededRandom(SEED + 2);
      const inputs = (): Uint8Array => {
        const [a, b] = [scalar(random, order - 1n) + 1n, scalar(random, order - 1n) + 1n];
        const closing = concatBytes(first(order - fields.Fr.mul(a, b)), second(1n));
        if (random() < 0.4) return concatBytes(first(a), second(b), closing);
        const pair = (): Uint8Array =>
          concatBytes(
            somePoint(random, () => first(a), edges1),
            somePoint(random, () => second(b), edges2),
          );
        return concatBytes(...Array.from({ length: Math.floor(random() * 3) }, pair), closing);
      };
      compare(inputs, bn254().isPairing, oracle.isPairing);
    },
    TIMEOUT_MS,
  );
});

describe("BLS12-381", () => {
  const { G1, G2, fields } = bls12_381;
  const order = fields.Fr.ORDER;
  const first = (factor: bigint): Uint8Array =>
    bytesOfG1(factor === 0n ? G1.Point.ZERO : G1.Point.BASE.multiply(factor));
  const second = (factor: bigint): Uint8Array =>
    bytesOfG2(factor === 0n ? G2.Point.ZERO : G2.Point.BASE.multiply(factor));
  const edges1 = [new Uint8Array(128), first(1n), first(order - 1n), bytesOfG1(outsideG1())];
  const edges2 = [new Uint8Array(256), second(1n), second(order - 1n), bytesOfG2(outsideG2())];
  const somePoints = (random: Random): { g1: () => Uint8Array; g2: () => Uint8Array } => ({
    g1: () => somePoint(random, () => first(scalar(random, order)), edges1),
    g2: () => somePoint(random, () => second(scalar(random, order)), edges2),
  });

  test(
    "adds and sums as @noble does",
    () => {
      const random = seededRandom(SEED + 3);
      const { g1, g2 } = somePoints(random);
      const terms = (point: () => Uint8Array): Uint8Array =>
        concatBytes(
          ...Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
            concatBytes(point(), someScalar(random, order)),
          ),
        );
      compare(() => concatBytes(g1(), g1()), addG1, nobleContracts.addG1);
      compare(() => concatBytes(g2(), g2()), addG2, nobleContracts.addG2);
      compare(() => terms(g1), sumG1, nobleContracts.sumG1);
      compare(() => terms(g2), sumG2, nobleContracts.sumG2);
    },
    TIMEOUT_MS,
  );

  test(
    "maps as @noble does",
    () => {
      const random = seededRandom(SEED + 4);
      const { ORDER } = fields.Fp;
      const element = (): Uint8Array =>
        fixedBytes(
          random() < 0.2 ? oneOf(random, [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n]) : scalar(random, ORDER),
          64,
        );
      compare(element, mapToG1, nobleContracts.mapToG1);
      compare(() => concatBytes(element(), element()), mapToG2, nobleContracts.mapToG2);
    },
    TIMEOUT_MS,
  );

  test(
    "pairs as @noble does",
    () => {
      const random = seededRandom(SEED + 5);
      const { g1, g2 } = somePoints(random);
      const inputs = (): Uint8Array => {
        const [a, b] = [scalar(random, order - 1n) + 1n, scalar(random, order - 1n) + 1n];
        const closing = concatBytes(first(order - fields.Fr.mul(a, b)), second(1n));
        if (random() < 0.4) return concatBytes(first(a), second(b), closing);
        const pairs = Array.from({ length: Math.floor(random() * 3) }, () => concatBytes(g1(), g2()));
        return concatBytes(...pairs, closing);
      };
      compare(inputs, isBlsPairing, nobleContracts.isPairing);
    },
    TIMEOUT_MS,
  );
});
