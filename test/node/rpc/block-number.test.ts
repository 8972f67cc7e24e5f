/** Block references in parameters, and the Go node's errors for invalid ones. */
import { expect, test } from "@jest/globals";
import { blockNumber, blockReference, decimalOrHex } from "../../../node/calls/arguments/block-number.ts";
import { parseJson } from "../../../node/jsonrpc/json-text.ts";
import { blockText } from "../../../node/presenters/not-found.ts";

const NO_PREFIX = "hex string without 0x prefix";
const NO_STRING = "json: cannot unmarshal number into Go value of type string";
const HASH = `0x${"ab".repeat(32)}`;

test.each([
  [null, 0],
  [7, 7],
  ["0x7", 7],
  ["latest", "latest"],
  ["safe", "latest"],
  ["finalized", "latest"],
  ["earliest", "earliest"],
  ["pending", "pending"],
])("the number %j", (json, number) => {
  expect(blockNumber.decode(json)).toBe(number);
});

test("a count may be decimal text", () => {
  expect(decimalOrHex.decode("12")).toBe(12);
  expect(decimalOrHex.decode("0x12")).toBe(18);
});

test.each([
  [null, undefined],
  [7, { number: 7 }],
  ["0x7", { number: 7 }],
  ["latest", { number: "latest" }],
  [HASH, { hash: expect.any(Uint8Array) }],
  [{ blockHash: HASH, requireCanonical: true }, { hash: expect.any(Uint8Array) }],
  [{ blockNumber: "0x7" }, { number: 7 }],
  [{ blockNumber: null }, undefined],
])("the block %j", (json, block) => {
  expect(blockReference.decode(json)).toEqual(block);
});

test.each([
  ["18446744073709551615", "latest"],
  ["18446744073709551614", "pending"],
  ["9007199254740993", 9007199254740992],
])("the written number %s wraps around at 64 bits as in the Go node", (text, number) => {
  expect(blockNumber.decode(parseJson(text))).toBe(number);
  expect(blockReference.decode(parseJson(text))).toEqual({ number });
});

test.each([
  ["9223372036854775807", "9223372036854775807"],
  ['"0x7fffffffffffffff"', "9223372036854775807"],
  ["9223372036854775808", "-9223372036854775808"],
  ["18446744073709551613", "-2048"],
])("no block has the number %s, and errors name %s", (text, named) => {
  expect(blockText(Number(blockNumber.decode(parseJson(text))))).toBe(named);
});

test.each(["1e1", "1.0", "-0", "0.0", "18446744073709551616"])(
  "the written number %s is no block number",
  (text) => {
    expect(() => blockNumber.decode(parseJson(text))).toThrow(NO_PREFIX);
    expect(() => blockReference.decode(parseJson(text))).toThrow(NO_STRING);
  },
);

test.each([
  { blockHash: "0x11" },
  { blockHash: 1 },
  { blockNumber: "latest " },
  { blockNumber: {} },
  { blockNumber: "0x1", requireCanonical: "yes" },
])("the object %j is read as a text", (json) => {
  expect(() => blockReference.decode(json)).toThrow(
    "json: cannot unmarshal object into Go value of type string",
  );
});

test.each([
  ["number", 1.5, NO_PREFIX],
  ["number", -1, NO_PREFIX],
  ["number", {}, NO_PREFIX],
  ["number", "0x01", "hex number with leading zero digits"],
  ["number", "0x8000000000000000", "Blocknumber too high"],
  ["number", 1e30, NO_PREFIX],
  ["number", `0x${"g".repeat(64)}`, "invalid hex string"],
  ["number", `0x${"1".repeat(16)}g`, "invalid hex string"],
  ["number", `0x${"1".repeat(17)}g`, "hex number > 64 bits"],
  ["block", `0x${"g".repeat(64)}`, "invalid hex string"],
  ["block", 1e30, NO_STRING],
  ["block", 1.5, NO_STRING],
  ["block", -1, NO_STRING],
  ["block", "0x8000000000000000", "blocknumber too high"],
  ["quantity", null, NO_PREFIX],
  ["quantity", "latest", NO_PREFIX],
] as const)("as a %s %j is refused", (kind, json, message) => {
  const codec = { number: blockNumber, block: blockReference, quantity: decimalOrHex }[kind];
  expect(() => codec.decode(json)).toThrow(message);
});
