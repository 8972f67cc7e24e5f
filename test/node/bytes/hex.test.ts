/** Tests of hex text. */
import { expect, test } from "@jest/globals";
import { compareBytes, concatBytes, equalBytes, isZero } from "../../../node/bytes/compare.ts";
import {
  addressText,
  bareHex,
  fromBareHex,
  fromHex,
  hashText,
  mapKey,
  toHex,
} from "../../../node/bytes/hex.ts";
import {
  bytesToBigint,
  bytesToNumber,
  fixedBytes,
  integerBytes,
  toQuantity,
} from "../../../node/bytes/integer.ts";

test("hex text goes both ways and accepts upper-case digits", () => {
  expect(fromHex("0x00FFa1")).toEqual(Uint8Array.of(0, 255, 161));
  expect(toHex(Uint8Array.of(0, 255, 161))).toBe("0x00ffa1");
  expect(bareHex(Uint8Array.of(0, 1))).toBe("0001");
  expect(fromHex("0x")).toEqual(new Uint8Array(0));
});

const NOT_HEX = ["00", "0x0", "0xzz", "0x0g", "0x00 0", "0x\u00e900", `0x${"00".repeat(99)}0g`];
/** Node's own reading takes this letter for a 0. */
const HALF_READ = `0x${"00".repeat(99)}0\u0130`;

test.each([...NOT_HEX, HALF_READ])("%s is refused as hex", (text) => {
  expect(() => fromHex(text)).toThrow(expect.objectContaining({ code: "bad-hex" }));
});

test("hex of a view of a larger buffer is that of the view", () => {
  expect(toHex(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toBe("0x0203");
  expect(mapKey(Uint8Array.of(1, 0x41, 0xff).subarray(1))).toBe("A\u00ff");
});

test("hashes have 32 bytes and addresses 20", () => {
  expect(() => hashText(new Uint8Array(31))).toThrow("32 bytes");
  expect(() => addressText(new Uint8Array(21))).toThrow("20 bytes");
  expect(addressText(new Uint8Array(20))).toHaveLength(42);
});

test("integers have the shortest big-endian form", () => {
  for (const value of [
    0n,
    1n,
    127n,
    128n,
    255n,
    256n,
    65_535n,
    2n ** 32n,
    2n ** 53n,
    2n ** 64n - 1n,
    2n ** 256n - 1n,
  ]) {
    const bytes = integerBytes(value);
    expect(bytesToBigint(bytes)).toBe(value);
    expect(bytes[0]).not.toBe(0);
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      expect(integerBytes(Number(value))).toEqual(Uint8Array.from(bytes));
      expect(bytesToNumber(bytes)).toBe(Number(value));
    }
  }
  expect(() => integerBytes(-1n)).toThrow(RangeError);
  expect(() => integerBytes(1.5)).toThrow(RangeError);
  expect(() => bytesToNumber(new Uint8Array(8).fill(255))).toThrow("2^53");
});

test("fixed widths are padded on the left and refuse what does not fit", () => {
  expect(fixedBytes(258, 4)).toEqual(Uint8Array.of(0, 0, 1, 2));
  expect(() => fixedBytes(65_536n, 2)).toThrow("does not fit");
  expect(fromBareHex("0102")).toEqual(Uint8Array.of(1, 2));
});

test("quantities have no leading zero", () => {
  expect(toQuantity(0)).toBe("0x0");
  expect(toQuantity(31n)).toBe("0x1f");
});

test("comparison is by bytes and concatenation keeps order", () => {
  const a = Uint8Array.of(1, 2);
  expect(equalBytes(a, Uint8Array.of(1, 2))).toBe(true);
  expect(equalBytes(a, Uint8Array.of(1, 2, 0))).toBe(false);
  expect(compareBytes(a, Uint8Array.of(1, 255))).toBeLessThan(0);
  expect(concatBytes(a, new Uint8Array(0), a)).toEqual(Uint8Array.of(1, 2, 1, 2));
  expect(isZero(new Uint8Array(3))).toBe(true);
  expect(isZero(Uint8Array.of(0, 1))).toBe(false);
});
