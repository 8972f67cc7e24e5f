/** Tests of the recovery of many signers at once. */
import { describe, expect, test } from "@jest/globals";
import { secp256k1 as oracle } from "@noble/curves/secp256k1.js";
import { bareHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { recoverPacked, recoverPackedBy } from "../../../node/crypto/packed-recovery.ts";
import { KEY_ANSWER_BYTES, openRecoverMany } from "../../../node/crypto/recover-many.ts";
import { packJobs, type RecoveryJob, unpackSigners } from "../../../node/crypto/recovery-batch.ts";
import { recover, sign } from "../../../node/crypto/secp256k1.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const N = oracle.Point.Fn.ORDER;
/** A cube root of one modulo N, the factor of the curve's endomorphism. */
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;
const recoverMany = openRecoverMany();
const random = seededRandom(20);

const modulo = (value: bigint): bigint => ((value % N) + N) % N;
const texts = (keys: readonly (Uint8Array | undefined)[]): (string | undefined)[] =>
  keys.map((key) => key && bareHex(key));
const recoverOneByOne = (jobs: readonly RecoveryJob[]): (string | undefined)[] =>
  texts(jobs.map(({ digest, signature }) => recover(digest, signature)));
const recoverTogether = (jobs: readonly RecoveryJob[]): (string | undefined)[] =>
  texts(unpackSigners(recoverPacked(packJobs(jobs), "key"), "key"));

/** Marks of up to 64 jobs for which the function itself finds a key. */
const isFound = (jobs: readonly RecoveryJob[]): boolean[] => {
  const answers = recoverMany?.(packJobs(jobs)) ?? new Uint8Array();
  return jobs.map((_, i) => answers[i * KEY_ANSWER_BYTES] === 1);
};

function someJob(): RecoveryJob {
  const digest = randomBytes(random, 32);
  return { digest, signature: sign(digest, randomBytes(random, 32)) };
}

const jobOf = (z: bigint, r: bigint, s: bigint, v = 0): RecoveryJob => ({
  digest: fixedBytes(z, 32),
  signature: Uint8Array.from([...fixedBytes(r, 32), ...fixedBytes(s, 32), v]),
});

/** A signature whose key is u1 G + u2 R, for R = k G. */
function chosenJob(k: bigint, u1: bigint, u2: bigint): RecoveryJob {
  const { x, y } = oracle.Point.BASE.multiply(modulo(k)).toAffine();
  return jobOf(modulo(-u1 * x), x, modulo(u2 * x), Number(y & 1n));
}

test("is in use here", () => {
  expect(recoverMany).toBeDefined();
});

test("finds the keys that the other implementation finds, for any number of signatures", () => {
  const jobs = Array.from({ length: 137 }, someJob);
  const keys = recoverOneByOne(jobs);
  for (const count of [0, 1, 3, 4, 5, 7, 63, 64, 65, 67, 68, 137]) {
    expect(recoverTogether(jobs.slice(0, count))).toEqual(keys.slice(0, count));
  }
  expect(isFound(jobs.slice(0, 64))).not.toContain(false);
});

test("what is no signature is not found and harms none beside it", () => {
  const good = Array.from({ length: 40 }, someJob);
  const { x } = oracle.Point.BASE.toAffine();
  const none = [
    jobOf(1n, 0n, 1n),
    jobOf(1n, N, 1n),
    jobOf(1n, 2n ** 256n - 1n, 1n),
    jobOf(1n, x, 0n),
    jobOf(1n, x, N),
    jobOf(1n, x, 2n ** 256n - 1n),
    jobOf(1n, x, 1n, 2),
    jobOf(1n, x, 1n, 255),
    jobOf(1n, 5n, 1n), // 5^3 + 7 has no root
    jobOf(0n, 0n, 0n),
  ];
  const jobs = good.flatMap((job, i) => [job, none[i % none.length] ?? job]);
  expect(recoverTogether(jobs)).toEqual(recoverOneByOne(jobs));
  expect(isFound(jobs.slice(0, 64))).toEqual(jobs.slice(0, 64).map((_, i) => i % 2 === 0));
});

test("digests and scalars at their edges give the same keys", () => {
  const edges = [0n, 1n, 2n, 3n, N / 2n, N - 1n, N, N + 1n, 2n ** 255n, 2n ** 256n - 1n];
  const [{ x }, many] = [oracle.Point.BASE.multiply(7n).toAffine(), edges.filter((s) => s > 0n && s < N)];
  const jobs = edges.flatMap((z) => many.flatMap((s) => [jobOf(z, x, s, 0), jobOf(z, x, s, 1)]));
  // for small r, where one is on the curve
  const rs = [1n, 2n, 3n, 4n, 6n, 8n, N - 1n, N - 2n, N - 3n, N - 4n];
  const all = [...jobs, ...rs.flatMap((r) => [jobOf(5n, r, 9n), jobOf(5n, r, 9n, 1)])];
  expect(recoverTogether(all)).toEqual(recoverOneByOne(all));
});

describe("signatures that somebody chose so that points meet", () => {
  const small = [1n, 2n, 3n, 5n, 8n, 15n, 16n, 255n, 256n, LAMBDA, LAMBDA + 1n, 2n ** 128n, 2n ** 64n];
  const signed = small.flatMap((value) => [value, -value]);

  test("give the same keys, or none where the key is no point", () => {
    const jobs = [1n, 2n, LAMBDA, -1n].flatMap((k) =>
      signed.flatMap((u2, i) => [
        chosenJob(k, signed[(i * 7 + 3) % signed.length] ?? 1n, u2),
        chosenJob(k, -u2 * k, u2),
        chosenJob(k, u2 * k, u2),
        chosenJob(k, 0n, u2),
      ]),
    );
    expect(recoverTogether(jobs)).toEqual(recoverOneByOne(jobs));
  });

  test("are left to the other implementation when the key is no point, and only they are", () => {
    const jobs = Array.from({ length: 16 }, someJob);
    const nowhere = chosenJob(11n, -33n, 3n);
    expect(recover(nowhere.digest, nowhere.signature)).toBeUndefined();
    expect(isFound([...jobs, nowhere, ...jobs])).toEqual([
      ...jobs.map(() => true),
      false,
      ...jobs.map(() => true),
    ]);
  });
});

test("without it, and for addresses, the answers are the same", () => {
  const jobs = [...Array.from({ length: 20 }, someJob), jobOf(1n, 5n, 1n)];
  const packed = packJobs(jobs);
  for (const wanted of ["key", "address"] as const) {
    expect(recoverPackedBy(undefined, packed, wanted)).toEqual(recoverPackedBy(recoverMany, packed, wanted));
  }
});
