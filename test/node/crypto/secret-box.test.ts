/** Tests of secrets under a passphrase (web3 secret storage). */
import { expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { deriveKey, type KeyDerivation } from "../../../node/crypto/key-derivation.ts";
import { LIGHT_COST, openSecret, sealSecret } from "../../../node/crypto/secret-box.ts";

const secret = new Uint8Array(32).fill(7);
const flipBit = (bytes: Uint8Array): Uint8Array => bytes.with(3, (bytes[3] as number) ^ 1);
const cheap = { n: 2, p: 1 };
const scryptOf = (n: number, r: number, p: number, length = 32): KeyDerivation => ({
  name: "scrypt",
  n,
  r,
  p,
  length,
  salt: Buffer.from("SodiumChloride"),
});

test("opens what it sealed, with the right passphrase only", async () => {
  const sealed = await sealSecret(secret, "right", LIGHT_COST);
  expect(sealed.derivation).toMatchObject({ name: "scrypt", n: 4096, r: 8, p: 6, length: 32 });
  expect(bareHex(sealed.ciphertext)).not.toBe(bareHex(secret));
  expect(await openSecret(sealed, "right")).toEqual(secret);
  expect(await openSecret(sealed, "wrong")).toBeUndefined();
  expect(await openSecret(sealed, "")).toBeUndefined();
});

test("salts and initialisation vectors never repeat", async () => {
  const sealed = await Promise.all([1, 2, 3].map(() => sealSecret(secret, "same", cheap)));
  expect(new Set(sealed.map(({ iv }) => bareHex(iv))).size).toBe(3);
  expect(new Set(sealed.map(({ derivation }) => bareHex(derivation.salt))).size).toBe(3);
  expect(new Set(sealed.map(({ ciphertext }) => bareHex(ciphertext))).size).toBe(3);
});

test("a changed ciphertext or mac is a wrong passphrase", async () => {
  const sealed = await sealSecret(secret, "x", cheap);
  expect(await openSecret({ ...sealed, ciphertext: flipBit(sealed.ciphertext) }, "x")).toBeUndefined();
  expect(await openSecret({ ...sealed, mac: flipBit(sealed.mac) }, "x")).toBeUndefined();
});

test("derives the published values of RFC 7914 and of PBKDF2", async () => {
  expect(bareHex(await deriveKey(scryptOf(16_384, 8, 1, 64), "pleaseletmein"))).toBe(
    "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2" +
      "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
  );
  const pbkdf2: KeyDerivation = { name: "pbkdf2", iterations: 1, length: 64, salt: Buffer.from("salt") };
  expect(bareHex(await deriveKey(pbkdf2, "passwd"))).toBe(
    "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacb" +
      "c49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
  );
});

test("refuses impossible and too costly parameters before any work", async () => {
  const bad: KeyDerivation[] = [
    ...[0, 1, 3, -4, 1.5, 2 ** 31, 2 ** 40, Number.NaN, Number.POSITIVE_INFINITY].map((n) =>
      scryptOf(n, 8, 1),
    ),
    ...[0, -1, 2.5, 2 ** 30].map((r) => scryptOf(16, r, 1)),
    ...[0, -1, 2.5, 2 ** 30].map((p) => scryptOf(16, 8, p)),
    scryptOf(2 ** 20, 8, 1),
    scryptOf(2 ** 18, 8, 9),
    ...[31, -1, 5000].map((length) => scryptOf(16, 8, 1, length)),
    ...[0, -1, 1e9].map(
      (iterations): KeyDerivation => ({ name: "pbkdf2", iterations, length: 32, salt: secret }),
    ),
    { name: "pbkdf2", iterations: 1, length: 32, salt: new Uint8Array(5000) },
  ];
  for (const derivation of bad) {
    await expect(deriveKey(derivation, "x")).rejects.toMatchObject({ name: "CryptoError", code: "bad-kdf" });
  }
});

test("refuses parts of a box that have a wrong size, and damaged padding", async () => {
  const sealed = await sealSecret(secret, "x", cheap);
  for (const damage of [
    { iv: new Uint8Array(15) },
    { mac: new Uint8Array(31) },
    { ciphertext: new Uint8Array(5000) },
    { cipher: "aes-128-cbc" as const }, // the mac fits, the plain text has no padding
  ]) {
    await expect(openSecret({ ...sealed, ...damage }, "x")).rejects.toMatchObject({ code: "bad-cipher" });
  }
});
