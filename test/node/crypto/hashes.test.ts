/** Tests of SHA-256 and RIPEMD-160. */
import { expect, test } from "@jest/globals";
import { ripemd160 as nobleRipemd160 } from "@noble/hashes/legacy.js";
import { sha256 as oracleSha256 } from "ethereum-cryptography/sha256.js";
import { bareHex } from "../../../node/bytes/hex.ts";
import { nativeRipemd160, ripemd160, sha256 } from "../../../node/crypto/hashes.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const text = (message: string): Uint8Array => Buffer.from(message, "latin1");

// FIPS 180-4, examples of SHA-256.
test.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
])("the SHA-256 of '%s' is the published one", (message, expected) => {
  expect(bareHex(sha256(text(message)))).toBe(expected);
});

// The vectors of RIPEMD-160's authors.
const RIPEMD = [
  ["", "9c1185a5c5e9fc54612808977ee8f548b2258d31"],
  ["a", "0bdc9d2d256b3ee9daae347be6f4dc835a467ffe"],
  ["abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"],
  ["message digest", "5d0689ef49d2fae572b881b123a85ffa21595f36"],
  ["abcdefghijklmnopqrstuvwxyz", "f71c27109c692c1b56bbdceb5b9d2865b3708dbc"],
  ["abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "12a053384a9c0c88e405a06c27dcf49ada62eb2b"],
] as const;

test.each(RIPEMD)(
  "the RIPEMD-160 of '%s' is the published one, by OpenSSL and without",
  (message, expected) => {
    expect(bareHex(ripemd160(text(message)))).toBe(expected);
    expect(bareHex(nobleRipemd160(text(message)))).toBe(expected);
  },
);

test("an OpenSSL without the hash is noticed when it is chosen", () => {
  expect(nativeRipemd160("ripemd160-of-nobody")).toBeUndefined();
});

test("random messages hash as the oracles do", () => {
  const random = seededRandom(41);
  for (let length = 0; length < 300; length += 7) {
    const message = randomBytes(random, length);
    expect(bareHex(sha256(message))).toBe(bareHex(oracleSha256(message)));
    expect(bareHex(ripemd160(message))).toBe(bareHex(nobleRipemd160(message)));
  }
});
