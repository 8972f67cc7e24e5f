import { expect, test } from "@jest/globals";
import { decodeUndo, encodeUndo, findUndone } from "../../../node/state/undo.ts";

const rows = [
  { key: Uint8Array.of(1, 2, 3), before: new Uint8Array(300).fill(7) },
  { key: Uint8Array.of(1, 2, 4), before: undefined },
  { key: Uint8Array.of(1, 2), before: new Uint8Array(0) },
];

test("an undo record tells absent rows from empty ones", () => {
  expect([...decodeUndo(encodeUndo(rows))]).toEqual(rows);
  expect([...decodeUndo(encodeUndo([]))]).toEqual([]);
});

test("a row is found by its whole key", () => {
  const record = encodeUndo(rows);
  for (const { key, before } of rows) expect(findUndone(record, key)).toEqual({ found: true, before });
  expect(findUndone(record, Uint8Array.of(2, 4))).toEqual({ found: false, before: undefined });
  expect(findUndone(record, Uint8Array.of(1))).toEqual({ found: false, before: undefined });
});

test("a row too long for a record is refused", () => {
  expect(() => encodeUndo([{ key: Uint8Array.of(1), before: new Uint8Array(70_000) }])).toThrow(RangeError);
});
