/** Tests of account keys and their encoding. */
import { expect, test } from "@jest/globals";
import { SigningKey } from "ethers";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp, type RlpInput } from "../../../node/bytes/rlp.ts";
import { encodeAccountKey, FAIL_KEY, LEGACY_KEY, NIL_KEY } from "../../../node/model/account-key.ts";
import { decodeAccountKey } from "../../../node/model/account-key-decode.ts";
import { accountKeyJson } from "../../../node/model/account-key-json.ts";
import { Random } from "./random.ts";

const random = new Random(4);

/** A public key as the JSON answers show it and compressed, by ethers. */
function aKey(): { json: { x: string; y: string }; compressed: Uint8Array } {
  const { publicKey, compressedPublicKey } = new SigningKey(random.bytes(32));
  return {
    json: { x: quantity(publicKey.slice(4, 68)), y: quantity(publicKey.slice(68)) },
    compressed: fromHex(compressedPublicKey),
  };
}

function quantity(digits: string): string {
  return `0x${BigInt(`0x${digits}`).toString(16)}`;
}

function serialise(type: number, body: RlpInput): Uint8Array {
  const item = encodeRlp(body);
  return Uint8Array.of(type, ...item);
}

test.each([
  ["0x80", NIL_KEY, 0],
  ["0x01c0", LEGACY_KEY, 1],
  ["0x03c0", FAIL_KEY, 3],
])("the key %s goes both ways and shows an empty object", (bytes, key, keyType) => {
  expect(decodeAccountKey(fromHex(bytes))).toEqual(key);
  expect(toHex(encodeAccountKey(key))).toBe(bytes);
  expect(accountKeyJson(key)).toEqual({ keyType, key: {} });
});

test("public keys show their point as ethers computes it", () => {
  for (let i = 0; i < 40; i++) {
    const { json, compressed } = aKey();
    const bytes = serialise(2, compressed);
    expect(accountKeyJson(decodeAccountKey(bytes))).toEqual({ keyType: 2, key: json });
    expect(toHex(encodeAccountKey(decodeAccountKey(bytes)))).toBe(toHex(bytes));
  }
});

test("weighted and role-based keys show their parts", () => {
  const [a, b] = [aKey(), aKey()];
  const weighted = serialise(4, [
    integerBytes(3),
    [
      [integerBytes(1), a.compressed],
      [integerBytes(2), b.compressed],
    ],
  ]);
  const weightedJson = {
    keyType: 4,
    key: {
      threshold: 3,
      keys: [
        { weight: 1, key: a.json },
        { weight: 2, key: b.json },
      ],
    },
  };
  expect(accountKeyJson(decodeAccountKey(weighted))).toEqual(weightedJson);
  const roles = serialise(5, [serialise(2, a.compressed), Uint8Array.of(0x80), weighted]);
  expect(accountKeyJson(decodeAccountKey(roles))).toEqual({
    keyType: 5,
    key: [{ keyType: 2, key: a.json }, { keyType: 0, key: {} }, weightedJson],
  });
});

test("a weight beyond 2^53 is shown to the last digit", () => {
  const { compressed } = aKey();
  const key = decodeAccountKey(serialise(4, [integerBytes(2n ** 64n - 1n), [[integerBytes(1), compressed]]]));
  expect(JSON.stringify(accountKeyJson(key))).toContain('"threshold":18446744073709551615,');
});

test.each([
  ["0x06c0", "undefined account key type"],
  ["0x01c180", "empty body"],
  ["0x01c000", "bytes after"],
  ["0x8000", "bytes after"],
  ["0x02a1050000000000000000000000000000000000000000000000000000000000000001", "not a point"],
  ["0x02a102ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "not a point"],
  ["0x02a1020000000000000000000000000000000000000000000000000000000000000005", "not a point"],
  ["0x05c48305c1c0", "nested composite type"],
  ["0x05c3820180", "does not fit"],
])("%s is refused: %s", (bytes, why) => {
  expect(() => decodeAccountKey(fromHex(bytes))).toThrow(why);
});
