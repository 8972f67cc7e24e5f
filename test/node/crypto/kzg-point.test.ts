/** Tests of KZG proofs at a point (EIP-4844). */
import { expect, test } from "@jest/globals";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { loadNativeContext } from "../../../node/crypto/kzg-native.ts";
import { isPointEvaluation, verifyKzgProof } from "../../../node/crypto/kzg-point.ts";
import { versionedHash } from "../../../node/crypto/versioned-hash.ts";
import { compressedG1, outsideG1 } from "../../support/bls-points.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const INFINITY = `c0${"00".repeat(47)}`;
const A = "a421e229565952cfff4ef3517100a97da1d4fe57956fa50a442f92af03b1bf37adacc8ad4ed209b31287ea5bb94d9d06";
const TWOS =
  "a572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e";
const LAST = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000";
const [ZERO, ONE, TWO] = [0n, 1n, 2n].map((value) => bareHex(fixedBytes(value, 32))) as [
  string,
  string,
  string,
];
const A_AT_ONE = "1824b159acc5056f998c4fefecbc4ff55884b7fa0003480200000001fffffffe";
const A_AT_LAST = "304962b3598a0adf33189fdfd9789feab1096ff40006900400000003fffffffc";
const GOOD = [
  "8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7",
  LAST,
  "1522a4a7f34e1ea350ae07c29c96c7e79655aa926122e95fe69fcbd932ca49e9",
  "a62ad71d14c5719385c0686f1871430475bf3a00f0aa3f7b8dd99a9abc2160744faf0070725e00b60ad9a026a15b1a8c",
] as const;

const claim = ([commitment, z, y, proof]: readonly [string, string, string, string]): Parameters<
  typeof verifyKzgProof
>[0] => ({
  commitment: fromBareHex(commitment),
  z: fromBareHex(z),
  y: fromBareHex(y),
  proof: fromBareHex(proof),
});

// Reference tests of the consensus layer, verify_kzg_proof.
test.each([
  ["correct_proof_31ebd010e6098750", GOOD, true],
  ["correct_proof_395cf6d697d1a743", [TWOS, LAST, TWO, INFINITY], true],
  [
    "correct_proof_point_at_infinity_for_twos_poly_177b58dc7a46b08f",
    [TWOS, "5eb7004fe57383e6c88b99d839937fddf3f99279353aaf8d5c9a75f91ce33c62", TWO, INFINITY],
    true,
  ],
  ["correct_proof_point_at_infinity_for_zero_poly_c3d4322ec17fe7cd", [INFINITY, ZERO, ZERO, INFINITY], true],
  [
    "incorrect_proof_392169c16a2e5ef6",
    [
      A,
      LAST,
      A_AT_LAST,
      "b08a5afbb1717334e08e05576b07bff58e8851d8cfd9ea71da1ab4233ad4217cffabd669dfa89c3ebf4c44f91694a2f4",
    ],
    false,
  ],
  ["incorrect_proof_point_at_infinity_392169c16a2e5ef6", [A, LAST, A_AT_LAST, INFINITY], false],
  [
    "invalid_proof_e9d3e9ec16fbc15f",
    [A, ONE, A_AT_ONE, `81${"23456789abcdef01".repeat(5)}23456789abcde0`],
    false,
  ],
  [
    "invalid_commitment_1",
    [
      "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb00",
      ONE,
      A_AT_ONE,
      INFINITY,
    ],
    false,
  ],
] as const)("%s", (_name, fields, valid) => {
  expect(verifyKzgProof(claim(fields))).toBe(valid);
});

test("scalars that are not below the order and other lengths are refused", () => {
  const good = claim([TWOS, ZERO, TWO, INFINITY]);
  expect(verifyKzgProof(good)).toBe(true);
  expect(verifyKzgProof({ ...good, z: fixedBytes(ORDER, 32) })).toBe(false);
  expect(verifyKzgProof({ ...good, y: fixedBytes(ORDER + 2n, 32) })).toBe(false);
  for (const length of [0, 31, 33, 47, 49, 96]) {
    for (const field of ["commitment", "z", "y", "proof"] as const) {
      expect(verifyKzgProof({ ...good, [field]: new Uint8Array(length) })).toBe(false);
    }
  }
  // Infinity with a sign, or with anything behind it.
  for (const infinity of [`e0${"00".repeat(47)}`, `c0${"00".repeat(46)}01`, `40${"00".repeat(47)}`]) {
    expect(verifyKzgProof({ ...good, proof: fromBareHex(infinity) })).toBe(false);
  }
});

test("a commitment whose x is not below the modulus is refused", () => {
  const modulus = bls12_381.fields.Fp.ORDER;
  const x = bls12_381.G1.Point.fromHex(TWOS).toAffine().x;
  const written = (value: bigint): Uint8Array => {
    const bytes = fixedBytes(value, 48);
    return bytes.with(0, (bytes[0] as number) | (Number.parseInt(TWOS.slice(0, 2), 16) & 0xe0));
  };
  const good = claim([TWOS, ONE, TWO, INFINITY]);
  expect(verifyKzgProof({ ...good, commitment: written(x) })).toBe(true);
  expect(x + modulus < 1n << 381n).toBe(true);
  expect(verifyKzgProof({ ...good, commitment: written(x + modulus) })).toBe(false);
});

test("a proof outside the group is refused, though its pairings are those of infinity", () => {
  const good = claim([TWOS, ONE, TWO, INFINITY]);
  expect(verifyKzgProof(good)).toBe(true);
  expect(verifyKzgProof({ ...good, proof: compressedG1(outsideG1()) })).toBe(false);
});

test("the precompiled contract's input must begin with the hash of its commitment", () => {
  const { commitment, z, y, proof } = claim(GOOD);
  const input = concatBytes(versionedHash(commitment), z, y, commitment, proof);
  expect(isPointEvaluation(input)).toBe(true);
  for (let at = 0; at < 192; at += 13) {
    expect(isPointEvaluation(input.with(at, (input[at] as number) ^ 1))).toBe(false);
  }
  for (const length of [0, 96, 191]) expect(isPointEvaluation(input.subarray(0, length))).toBe(false);
  expect(isPointEvaluation(concatBytes(input, Uint8Array.of(0)))).toBe(false);
  // The hash of this commitment as EIP-4844's formula gives it.
  expect(bareHex(versionedHash(fromBareHex(INFINITY)))).toBe(
    "010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014",
  );
});

test("proofs that rust-eth-kzg makes for random polynomials hold, and not for another value", () => {
  const oracle = loadNativeContext();
  if (oracle === undefined) throw new Error("rust-eth-kzg did not load");
  const random = seededRandom(4844);
  for (let round = 0; round < 4; round++) {
    const blob = new Uint8Array(131_072);
    for (let element = 0; element < 4096; element += 1 + round * 100)
      blob.set(randomBytes(random, 31), element * 32 + 1);
    const commitment = oracle.blobToKzgCommitment(blob);
    const z = randomBytes(random, 32).with(0, 0);
    const [proof, y] = oracle.computeKzgProof(blob, z);
    expect(verifyKzgProof({ commitment, z, y, proof })).toBe(true);
    const other = y.with(31, (y[31] as number) ^ 1);
    expect(verifyKzgProof({ commitment, z, y: other, proof })).toBe(false);
  }
});

test("a claim in Buffers is judged alike and is left as it was", () => {
  const { commitment, z, y, proof } = claim(GOOD);
  const buffers = { commitment: Buffer.from(commitment), z, y, proof: Buffer.from(proof) };
  expect(verifyKzgProof(buffers)).toBe(verifyKzgProof(claim(GOOD)));
  expect(bareHex(buffers.commitment)).toBe(bareHex(commitment));
  expect(bareHex(buffers.proof)).toBe(bareHex(proof));
});
