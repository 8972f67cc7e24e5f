/** Tests of the RLP cursor and writer. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes, integerBytes } from "../../../node/bytes/integer.ts";
import { decodeRlp, decodeRlpTree, encodeRlp, type RlpInput } from "../../../node/bytes/rlp.ts";
import { RlpCursor, readBigEndian } from "../../../node/bytes/rlp-cursor.ts";
import { RlpWriter } from "../../../node/bytes/rlp-writer.ts";
import { Random } from "../model/random.ts";

const refused = expect.objectContaining({ code: "bad-rlp" });

function randomTree(random: Random, depth: number): RlpInput {
  if (depth === 0 || random.number(2) === 0) return random.bytes(random.pick([0, 1, 1, 20, 55, 56, 300]));
  return Array.from({ length: random.number(6) }, () => randomTree(random, depth - 1));
}

function write(writer: RlpWriter, input: RlpInput): void {
  if (input instanceof Uint8Array) return writer.string(input);
  const mark = writer.length;
  for (const item of input.toReversed()) write(writer, item);
  writer.list(mark);
}

function read(cursor: RlpCursor): RlpInput {
  if (!cursor.atList) return cursor.string();
  const end = cursor.enter();
  const items: RlpInput[] = [];
  while (!cursor.done) items.push(read(cursor));
  cursor.leave(end);
  return items;
}

test("cursor and writer agree with the tree decoder and encoder on random trees", () => {
  const random = new Random(1);
  const writer = new RlpWriter(8);
  for (let i = 0; i < 300; i++) {
    const tree = randomTree(random, 4);
    const bytes = encodeRlp(tree);
    write(writer, tree);
    expect(toHex(writer.take())).toBe(toHex(bytes));
    expect(read(new RlpCursor(bytes))).toEqual(decodeRlpTree(decodeRlp(bytes)));
  }
});

test("the view holds the bytes that are taken afterwards, however long", () => {
  const writer = new RlpWriter();
  for (const length of [0, 1, 100, 65_536, 70_000]) {
    const bytes = new Uint8Array(length).fill(7);
    writer.string(bytes);
    expect(toHex(writer.view)).toBe(toHex(encodeRlp(bytes)));
    expect(toHex(writer.take())).toBe(toHex(encodeRlp(bytes)));
    expect(writer.length).toBe(0);
  }
});

test("integers of every length up to 256 bits go both ways", () => {
  const writer = new RlpWriter();
  for (let bits = 0n; bits <= 256n; bits++) {
    for (const value of [2n ** bits - 1n, 2n ** (bits === 0n ? 0n : bits - 1n)]) {
      writer.integer(value);
      const bytes = writer.take();
      expect(toHex(bytes)).toBe(toHex(encodeRlp(integerBytes(value))));
      expect(new RlpCursor(bytes).bigint()).toBe(value);
    }
  }
});

test("a number and a bigint of the same value are written alike", () => {
  const writer = new RlpWriter();
  for (const value of [0, 1, 127, 128, 255, 256, 2 ** 31, 2 ** 32, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]) {
    writer.integer(value);
    const bytes = writer.take();
    writer.integer(BigInt(value));
    expect(toHex(writer.take())).toBe(toHex(bytes));
    expect(new RlpCursor(bytes).number()).toBe(value);
  }
  expect(() => writer.integer(-1)).toThrow(RangeError);
  expect(() => writer.integer(-1n)).toThrow(RangeError);
  expect(() => writer.integer(0.5)).toThrow(RangeError);
});

test("bytes inside a larger array are read as an integer without touching their neighbours", () => {
  const random = new Random(2);
  for (let length = 0; length <= 32; length++) {
    const bytes = random.bytes(40);
    expect(readBigEndian(bytes, 3, length)).toBe(bytesToBigint(bytes.subarray(3, 3 + length)));
  }
});

test.each([
  ["0x", "missing"],
  ["0xc0", "a list where"],
  ["0x81", "passes the end"],
  ["0x8105", "length prefix"],
  ["0xb801ff", "more bytes than needed"],
  ["0xb90001", "more bytes than needed"],
  ["0xbfffffffffffffffff", "passes the end"],
  ["0xbf", "unexpected end"],
])("%s is refused as a byte string: %s", (bytes, why) => {
  expect(() => new RlpCursor(fromHex(bytes)).string()).toThrow(refused);
  expect(() => new RlpCursor(fromHex(bytes)).string()).toThrow(why);
});

test.each(["0x00", "0x820001", "0x8900ffffffffffffffff", "0xa1" + "11".repeat(33)])(
  "%s is refused as an integer",
  (bytes) => {
    expect(() => new RlpCursor(fromHex(bytes)).bigint()).toThrow(refused);
  },
);

test("integers above the asked size, numbers above 2^53 - 1 and other truth values are refused", () => {
  const uint64 = encodeRlp(fixedBytes(2n ** 64n - 1n, 8));
  expect(new RlpCursor(uint64).bigint(8)).toBe(2n ** 64n - 1n);
  expect(() => new RlpCursor(encodeRlp(fixedBytes(2n ** 64n, 9))).bigint(8)).toThrow(refused);
  expect(() => new RlpCursor(uint64).number()).toThrow("2^53");
  expect(new RlpCursor(Uint8Array.of(0x80)).boolean()).toBe(false);
  expect(new RlpCursor(Uint8Array.of(0x01)).boolean()).toBe(true);
  expect(() => new RlpCursor(Uint8Array.of(0x02)).boolean()).toThrow(refused);
});

test("an inner list cannot reach past its own end, and must be read to it", () => {
  const cursor = new RlpCursor(fromHex("0xc4c2820102"));
  cursor.enter();
  cursor.enter();
  expect(() => cursor.string()).toThrow("passes the end");
  const partly = new RlpCursor(fromHex("0xc20102"));
  const end = partly.enter();
  partly.number();
  expect(() => partly.leave(end)).toThrow("more items");
});
