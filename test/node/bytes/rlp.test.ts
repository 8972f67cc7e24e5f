/** Tests of RLP of whole values. */
import { RLP } from "@ethereumjs/rlp";
import { expect, test } from "@jest/globals";
import { fromBareHex } from "../../../node/bytes/hex.ts";
import {
  decodeRlp,
  decodeRlpTree,
  encodeRlp,
  encodeRlpList,
  itemAt,
  itemInteger,
  listItems,
  type RlpInput,
  stringBytes,
} from "../../../node/bytes/rlp.ts";
import { seededRandom } from "../../support/random.ts";

const random = seededRandom(1);

function randomItem(depth: number): RlpInput {
  if (depth === 0 || random() < 0.6) {
    const long = random() < 0.1;
    const bytes = new Uint8Array(Math.floor(random() * (long ? 70_000 : 80)));
    for (let i = 0; i < Math.min(bytes.length, 64); i++) bytes[i] = Math.floor(random() * 256);
    return bytes;
  }
  return Array.from({ length: Math.floor(random() * 8) }, () => randomItem(depth - 1));
}

test("random trees encode as the oracle does and decode back", () => {
  for (let round = 0; round < 500; round++) {
    const tree = randomItem(5);
    const encoded = encodeRlp(tree);
    expect(Buffer.compare(encoded, RLP.encode(tree as Uint8Array))).toBe(0); // the oracle's type names no readonly lists
    expect(Buffer.compare(encodeRlp(decodeRlpTree(decodeRlp(encoded))), encoded)).toBe(0);
  }
});

test("items encoded on their own make the list that holds them", () => {
  const parts = [new Uint8Array([1]), new Uint8Array(60), [new Uint8Array(0)]];
  expect(encodeRlpList(parts.map((part) => encodeRlp(part)))).toEqual(encodeRlp(parts));
});

test.each([
  ["8100", "single byte below 0x80"],
  ["817f", "single byte below 0x80"],
  ["b800", "more bytes than needed"],
  ["b90037", "more bytes than needed"],
  [`b837${"00".repeat(55)}`, "more bytes than needed"],
  [`f837${"80".repeat(55)}`, "more bytes than needed"],
  ["82ff", "passes the end"],
  ["c2ff", "passes the end"],
  ["bfffffffffffffffff", "passes the end"],
  ["ffffffffffffffffff", "passes the end"],
  ["b9", "unexpected end"],
  ["", "an item is missing"],
  ["8000", "bytes after the item"],
])("%s is refused: %s", (hex, why) => {
  expect(() => decodeRlp(fromBareHex(hex))).toThrow(why);
});

test("a list with a damaged item inside is refused when its items are asked for", () => {
  expect(() => listItems(decodeRlp(fromBareHex("c2817f")))).toThrow("single byte below 0x80");
  expect(() => listItems(decodeRlp(fromBareHex("c182")))).toThrow("passes the end");
});

test("lists nested too deep are refused and not recursed into", () => {
  let nested: RlpInput = [];
  for (let i = 0; i < 100; i++) nested = [nested];
  const item = decodeRlp(encodeRlp(nested));
  expect(() => decodeRlpTree(item)).toThrow("nested deeper");
});

test("integers keep their exact form: leading zeros and excess width are refused", () => {
  expect(itemInteger(itemAt(fromBareHex("820400"), 0))).toBe(1024n);
  expect(itemInteger(itemAt(fromBareHex("80"), 0))).toBe(0n);
  expect(() => itemInteger(itemAt(fromBareHex("820001"), 0))).toThrow("leading zero");
  expect(() => itemInteger(itemAt(fromBareHex("00"), 0))).toThrow("leading zero");
  expect(() => itemInteger(itemAt(fromBareHex("83010203"), 0), 2)).toThrow("at most 2");
});

test("a list is not taken for a string nor a string for a list", () => {
  expect(() => stringBytes(itemAt(fromBareHex("c0"), 0))).toThrow("a list where");
  expect(() => listItems(itemAt(fromBareHex("80"), 0))).toThrow("a byte string where");
});

test("mutated encodings give a coded error or the same bytes back", () => {
  const source = encodeRlp(randomItem(4));
  for (let round = 0; round < 2000; round++) {
    const bytes = Uint8Array.from(source.subarray(0, 4096));
    bytes[Math.floor(random() * Math.min(bytes.length, 64))] = Math.floor(random() * 256);
    try {
      const item = itemAt(bytes, 0);
      expect(Buffer.compare(encodeRlp(decodeRlpTree(item)), item.raw)).toBe(0);
    } catch (error) {
      expect(error).toMatchObject({ code: "bad-rlp" });
    }
  }
});
