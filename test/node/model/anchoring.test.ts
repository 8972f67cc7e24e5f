/** Tests of the input of anchoring transactions. */
import { expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { anchoringJson } from "../../../node/model/anchoring.ts";

const hashes = [1, 2, 3, 4, 5].map((byte) => new Uint8Array(32).fill(byte));
const named = {
  blockHash: `0x${"01".repeat(32)}`,
  transactionsRoot: `0x${"02".repeat(32)}`,
  parentHash: `0x${"03".repeat(32)}`,
  receiptsRoot: `0x${"04".repeat(32)}`,
  stateRoot: `0x${"05".repeat(32)}`,
};
const numbers = (...all: bigint[]) => all.map((number) => integerBytes(number));
const typedInput = (type: number, data: Uint8Array) => encodeRlp([integerBytes(type), data]);
const json = (text: string) => JSON.stringify(anchoringJson(typedInput(128, Buffer.from(text))));

test("a block's summary of type 0 is shown with its counts, numbers to the last digit", () => {
  const payload = typedInput(0, encodeRlp([...hashes, ...numbers(2n ** 70n, 8n, 9n)]));
  expect(JSON.stringify(anchoringJson(payload))).toBe(
    JSON.stringify({ ...named, blockNumber: 0, blockCount: 8, txCount: 9 }).replace(
      '"blockNumber":0',
      `"blockNumber":${2n ** 70n}`,
    ),
  );
});

test("an old summary without a type is shown too", () => {
  expect(anchoringJson(encodeRlp([...hashes, ...numbers(5n)]))).toEqual({ ...named, blockNumber: 5 });
});

test("an object of type 128 is shown with sorted keys, as a map is written", () => {
  expect(json('{"b":1,"a":{"d":[{"z":1,"y":2}],"c":null}}')).toBe(
    '{"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1}',
  );
  expect(json('{"__proto__":1}')).toBe('{"__proto__":1}');
});

test.each([
  ["no RLP", fromHex("0x01020304")],
  ["nothing", new Uint8Array(0)],
  ["another type", typedInput(7, new Uint8Array(0))],
  ["a summary cut short", typedInput(0, encodeRlp(hashes))],
  ["a list with more behind it", Uint8Array.of(...encodeRlp([...hashes, ...numbers(5n)]), 0)],
  ["a type of two bytes", encodeRlp([Uint8Array.of(1, 0), new Uint8Array(0)])],
  ["JSON that is a list", typedInput(128, Buffer.from("[1]"))],
  ["JSON that is null", typedInput(128, Buffer.from("null"))],
  ["no JSON", typedInput(128, Buffer.from("{"))],
  [
    "JSON nested ten thousand deep",
    typedInput(128, Buffer.from(`{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`)),
  ],
])("%s is shown as null", (_what, payload) => {
  expect(anchoringJson(payload)).toBeNull();
});
