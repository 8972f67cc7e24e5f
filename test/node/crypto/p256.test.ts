/** Tests of signatures on P-256 (EIP-7951). */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { expect, test } from "@jest/globals";
import { p256 as oracle } from "@noble/curves/nist.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromBareHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import { verifyP256 as verify } from "../../../node/crypto/p256.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const FIELD = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;

const DIGEST = "bb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca605023";
const KEY =
  "2927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e";
const R = "2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e18";
const S = "4cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76";

// EIP-7951's test vectors, which are Wycheproof's: the first few of each kind.
test.each([
  ["1: a signature with a low s", DIGEST, R + S, true],
  [
    "3: the order of the group less r",
    DIGEST,
    `d45c5740946b2a147f59262ee6f5bc90bd01ed280528b62b3aed5fc93f06f739b329f479a2bbd0a5c384ee1493b1f5186a87139cac5df4087c134b49156847db`,
    false,
  ],
  [
    "5: r and s out of range",
    DIGEST,
    `d45c5741946b2a137f59262ee6f5bc91001af27a5e1117a64733950642a3d1e8b329f479a2bbd0a5c384ee1493b1f5186a87139cac5df4087c134b49156847db`,
    false,
  ],
  ["8: s changed", DIGEST, `${R}4cd60b865d442f5a3c7b11eb6c4e0ae79578ec6353a20bf783ecb4b6ea97b825`, false],
  ["9: zeros", DIGEST, "00".repeat(64), false],
  [
    "11: no r and s at the order",
    DIGEST,
    `${"00".repeat(32)}ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551`,
    false,
  ],
  [
    "25: both at the order",
    DIGEST,
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".repeat(2),
    false,
  ],
  ["of another digest", DIGEST.replace("b", "c"), R + S, false],
])("vector %s", (_name, digest, signature, valid) => {
  expect(verify(fromBareHex(digest + signature + KEY))).toBe(valid);
});

test("the high-s twin of a signature is valid too", () => {
  const twin = fixedBytes(N - bytesToBigint(fromBareHex(S)), 32);
  expect(verify(concatBytes(fromBareHex(DIGEST + R), twin, fromBareHex(KEY)))).toBe(true);
});

test("what OpenSSL signs is valid, and with any byte changed it is not", () => {
  const random = seededRandom(7951);
  for (let round = 0; round < 12; round++) {
    const { input, message } = signedInput(randomBytes(random, 32), randomBytes(random, round * 9));
    expect(verify(input)).toBe(true);
    const at = Math.floor(random() * input.length);
    expect(verify(input.with(at, (input[at] as number) ^ (1 << (at % 8))))).toBe(false);
    expect(createHash("sha256").update(message).digest().equals(input.subarray(0, 32))).toBe(true);
  }
});

test("agrees with noble on signatures of digests at the edges, and where points meet or cancel", () => {
  const random = seededRandom(256);
  const secret = randomBytes(random, 32);
  const key = oracle.getPublicKey(secret, false);
  const d = bytesToBigint(secret);
  const inputs: Uint8Array[] = [];
  for (const digest of [0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n, bytesToBigint(randomBytes(random, 32))]) {
    const signature = oracle.sign(fixedBytes(digest, 32), secret, { prehash: false, lowS: false });
    inputs.push(concatBytes(fixedBytes(digest, 32), signature, key.subarray(1)));
    // The digest that makes t G the key (a doubling) or its opposite (infinity), for this r.
    const r = bytesToBigint(signature.subarray(0, 32));
    for (const t of [d, N - d]) {
      const met = fixedBytes((r * t) % N, 32);
      inputs.push(concatBytes(met, oracle.sign(met, secret, { prehash: false }), key.subarray(1)));
      inputs.push(concatBytes(met, signature, key.subarray(1)));
    }
  }
  // A valid signature where t G is the key itself: with R = 2 u Q chosen first, r = x(R), s = r / u, z = r d.
  const u = 7n;
  const r =
    oracle.Point.fromBytes(key)
      .multiply(2n * u)
      .toAffine().x % N;
  const s = (r * oracle.Point.Fn.inv(u)) % N;
  const doubled = concatBytes(...[(r * d) % N, r, s].map((value) => fixedBytes(value, 32)), key.subarray(1));
  expect(verify(doubled)).toBe(true);
  const answers = [...inputs, doubled].map((input) => {
    const expected = oracle.verify(input.subarray(32, 96), input.subarray(0, 32), key, {
      prehash: false,
      lowS: false,
    });
    expect(verify(input)).toBe(expected);
    return expected;
  });
  expect(new Set(answers)).toEqual(new Set([true, false]));
});

test("another length, infinity and a key off the curve or out of the field are false", () => {
  const good = fromBareHex(DIGEST + R + S + KEY);
  for (const length of [0, 1, 96, 159]) expect(verify(good.subarray(0, length))).toBe(false);
  expect(verify(concatBytes(good, Uint8Array.of(0)))).toBe(false);
  expect(verify(concatBytes(good.subarray(0, 96), new Uint8Array(64)))).toBe(false);
  const [x, y] = [bytesToBigint(good.subarray(96, 128)), bytesToBigint(good.subarray(128))];
  expect(verify(concatBytes(good.subarray(0, 128), fixedBytes(y ^ 1n, 32)))).toBe(false);
  if (x + FIELD < 2n ** 256n)
    expect(verify(concatBytes(good.subarray(0, 96), fixedBytes(x + FIELD, 32), good.subarray(128)))).toBe(
      false,
    );
  expect(verify(concatBytes(good.subarray(0, 96), fixedBytes(FIELD, 32), good.subarray(128)))).toBe(false);
});

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

function signedInput(secret: Uint8Array, message: Uint8Array): { input: Uint8Array; message: Uint8Array } {
  const point = oracle.getPublicKey(secret, false).subarray(1);
  const key = createPrivateKey({
    key: {
      kty: "EC",
      crv: "P-256",
      d: text(secret),
      x: text(point.subarray(0, 32)),
      y: text(point.subarray(32)),
    },
    format: "jwk",
  });
  expect(createPublicKey(key).export({ format: "jwk" })).toMatchObject({ x: text(point.subarray(0, 32)) });
  const signature = sign("sha256", message, { key, dsaEncoding: "ieee-p1363" });
  return { input: concatBytes(createHash("sha256").update(message).digest(), signature, point), message };
}
