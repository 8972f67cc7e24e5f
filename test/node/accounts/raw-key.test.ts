/** Tests of private keys as text. */
import { expect, test } from "@jest/globals";
import { parseRawKey, randomKey } from "../../../node/accounts/raw-key.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";

const KEY = "c87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3";
const ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const OTHER = "86bce8c859f5f304aa30adb89f2f7b6ee5a0d6e2";

test("64 digits of either case give the key and the address that follows from it", () => {
  for (const text of [KEY, KEY.toUpperCase()]) {
    const { key, address } = parseRawKey(text);
    expect(bareHex(key)).toBe(KEY);
    expect(bareHex(address)).toBe("627306090abab3a6e1400e9345bc60c78a8bef57");
  }
});

test("a wallet key gives its own address, which need not follow from the key", () => {
  const { key, address } = parseRawKey(`${KEY}0x000x${OTHER}`);
  expect([bareHex(key), bareHex(address)]).toEqual([KEY, OTHER]);
});

test("bad texts are refused with the words of the Go node and without the key", () => {
  const cases: [string, string][] = [
    ["", "invalid length, need 256 bits"],
    [KEY.slice(2), "invalid length, need 256 bits"],
    [KEY.slice(1), "invalid hex string"],
    [`0x${KEY}`, "invalid hex string"],
    [`${KEY.slice(2)}zz`, "invalid hex string"],
    ["00".repeat(32), "invalid private key, zero or negative"],
    [ORDER, "invalid private key, >=N"],
    ["ff".repeat(32), "invalid private key, >=N"],
    [`${KEY}00000x${OTHER}`, "invalid hex string"],
    [`${KEY}0x000x${OTHER.slice(2)}zz`, "invalid hex string"],
    [`${ORDER}0x000x${OTHER}`, "invalid private key, >=N"],
  ];
  for (const [text, message] of cases) {
    expect(() => parseRawKey(text)).toThrow(expect.objectContaining({ code: "bad-raw-key", message }));
  }
  expect(() => parseRawKey(`${KEY}0x010x${OTHER}`)).toThrow(
    expect.objectContaining({ code: "bad-wallet-key", message: "Klaytn wallet key type must be 00." }),
  );
});

test("random keys differ and give their address", () => {
  const keys = [randomKey(), randomKey()];
  expect(new Set(keys.map(({ key }) => bareHex(key))).size).toBe(2);
  for (const { key, address } of keys) expect(addressOfKey(key)).toEqual(address);
});
