/** Codecs of plain JSON at the bounds of Go's types. */
import { expect, test } from "@jest/globals";
import { anything } from "../../../node/jsonrpc/codecs/hex.ts";
import { count, signed, text } from "../../../node/jsonrpc/codecs/plain.ts";
import { parseJson } from "../../../node/jsonrpc/json-text.ts";

test.each([
  [count, "uint64", "18446744073709551615", "18446744073709551616"],
  [signed, "int", "9223372036854775807", "9223372036854775808"],
  [signed, "int", "-9223372036854775808", "-9223372036854775809"],
] as const)("%o ends where Go's %s does", (codec, goType, last, first) => {
  expect(codec.decode(parseJson(last))).toBe(Number(last));
  expect(() => codec.decode(parseJson(first))).toThrow(
    `json: cannot unmarshal number ${first} into Go value of type ${goType}`,
  );
});

test("half of a surrogate pair is read as the replacement character", () => {
  expect(text.decode(parseJson('"a\\ud800b\\ud83d\\ude00"'))).toBe("a\ufffdb\u{1f600}");
});

test("any value is left as it is, but a number beyond what the Go node's type holds is refused", () => {
  const [large, tooLarge] = parseJson("[1e300,1e400]") as [unknown, unknown];
  expect([anything.decode("x"), anything.decode(large)]).toEqual(["x", large]);
  expect(() => anything.decode(tooLarge)).toThrow(
    "json: cannot unmarshal number 1e400 into Go value of type float64",
  );
});
