/** Tests of the numbers in pages of the index of changes. */
import { expect, test } from "@jest/globals";
import { changesOf, numberAt, numberBytes } from "../../../node/state/history/change-page.ts";

test.each([0, 127, 128, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])("%i is read back", (value) => {
  const bytes = numberBytes(value);
  expect(numberAt(bytes, 0)).toEqual({ value, end: bytes.length });
});

test("a number that does not end is refused; it once ended a page silently", () => {
  const endless = new Uint8Array(2000).fill(0x80);
  expect(() => numberAt(endless, 0)).toThrow("does not end");
  expect(() => [...changesOf(Uint8Array.of(1, ...endless, 0, 0), 0)]).toThrow(RangeError);
});
