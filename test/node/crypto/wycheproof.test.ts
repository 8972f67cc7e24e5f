/** Tests of the Wycheproof vectors for secp256k1 and BLS. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { type Bls, createBls, loadBls } from "../../../node/crypto/bls.ts";
import { nobleBls } from "../../../node/crypto/bls-noble.ts";
import { sha256 } from "../../../node/crypto/hashes.ts";
import { deriveKey } from "../../../node/crypto/key-derivation.ts";
import { recoverPacked } from "../../../node/crypto/packed-recovery.ts";
import { packJobs, unpackSigners } from "../../../node/crypto/recovery-batch.ts";
import { createSecp256k1, isLowS } from "../../../node/crypto/secp256k1.ts";
import { loadNativeCurve } from "../../../node/crypto/secp256k1-native.ts";
import { nobleCurve } from "../../../node/crypto/secp256k1-noble.ts";
import { cryptoVectors, type DerivationCase, type WycheproofCase } from "../../support/crypto-vectors.ts";

const { ecdsa = [], ecdh = [], bls = [] } = cryptoVectors<WycheproofCase>("wycheproof");
const { pbkdf2 = [] } = cryptoVectors<DerivationCase>("wycheproof");
const bytes = fromBareHex;
/** x and y of an uncompressed key. */
const keyOf = ({ publicKey }: WycheproofCase): Uint8Array => bytes(publicKey).subarray(1);
/** Their points have an x of the order or more: recovery ids 2 and 3, which no transaction has. */
const LARGE_X: readonly number[] = [115, 247];
const native = loadNativeCurve();

test("the files have the cases that were recorded", () => {
  expect([ecdsa.length, ecdh.length, bls.length, pbkdf2.length]).toEqual([252, 491, 26, 60]);
  expect(native).toBeDefined();
});

const texts = (keys: readonly (Uint8Array | undefined)[]): unknown[] =>
  keys.map((key) => key && bareHex(key));

describe.each([native ?? nobleCurve, nobleCurve])("ECDSA and ECDH on secp256k1, $name", (curve) => {
  const secp256k1 = createSecp256k1(curve);

  test("signatures are valid just when Wycheproof says so and their s is low (EIP-2)", () => {
    const found = ecdsa.filter((each) => {
      const signature = bytes(each.signature);
      return secp256k1.verify({ digest: sha256(bytes(each.message)), signature, publicKey: keyOf(each) });
    });
    const expected = ecdsa.filter(
      ({ result, signature }) => result === "valid" && isLowS(bytes(signature).subarray(32)),
    );
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(expected.length).toBeGreaterThan(50);
  });

  test("the key of a valid signature is recovered with one of the two parities, no key of an invalid one is", () => {
    for (const each of ecdsa) {
      const digest = sha256(bytes(each.message));
      const keys = [0, 1].map((v) =>
        secp256k1.recover(digest, concatBytes(bytes(each.signature), Uint8Array.of(v))),
      );
      const isFound = keys.some((key) => key !== undefined && bareHex(key) === each.publicKey.slice(2));
      expect([each.id, isFound]).toEqual([each.id, each.result === "valid" && !LARGE_X.includes(each.id)]);
    }
  });

  test("secrets are shared with keys on the curve alone", () => {
    for (const each of ecdh) {
      const key = bytes(each.privateKey.padStart(64, "0").slice(-64));
      const secret = secp256k1.ecdh(key, keyOf(each));
      expect([each.id, secret && bareHex(secret)]).toEqual([
        each.id,
        each.result === "invalid" ? undefined : each.shared,
      ]);
    }
  });
});

test("the kernel and the single recovery find the same keys for every signature of 64 bytes", () => {
  const jobs = ecdsa
    .filter(({ signature }) => signature.length === 128)
    .flatMap((each) =>
      [0, 1].map((v) => ({
        digest: sha256(bytes(each.message)),
        signature: concatBytes(bytes(each.signature), Uint8Array.of(v)),
      })),
    );
  const oracle = createSecp256k1(nobleCurve);
  const found = unpackSigners(recoverPacked(packJobs(jobs), "key"), "key");
  expect(texts(found)).toEqual(texts(jobs.map(({ digest, signature }) => oracle.recover(digest, signature))));
});

test("PBKDF2 derives the keys of the passwords that are text; keys below 32 bytes are refused", async () => {
  let texted = 0;
  for (const { id, password, salt, iterations, length, key } of pbkdf2) {
    const passphrase = Buffer.from(password, "hex").toString();
    if (Buffer.from(passphrase).toString("hex") !== password) continue; // a passphrase here is text
    const derived = deriveKey({ name: "pbkdf2", iterations, length, salt: bytes(salt) }, passphrase);
    const found = await derived.then(bareHex, (error: { code?: unknown }) => error.code);
    expect([id, found]).toEqual([id, length < 32 ? "bad-kdf" : key]);
    texted++;
  }
  expect(texted).toBeGreaterThan(40);
});

describe("BLS signatures of the suite with proofs of possession", () => {
  let fastest: Bls;
  beforeAll(async () => {
    fastest = await loadBls();
  });

  test.each(bls)("case $id, $comment: $result", ({ publicKey, message, signature, result }) => {
    const claim = { publicKey: bytes(publicKey), message: bytes(message), signature: bytes(signature) };
    expect(fastest.backend).toBe("blst");
    expect([fastest.verify(claim), createBls(nobleBls).verify(claim)]).toEqual([
      result === "valid",
      result === "valid",
    ]);
  });
});
