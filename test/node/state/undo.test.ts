/** Tests of undo records. */
import { expect, test } from "@jest/globals";
import { RecordIndex } from "../../../node/state/history/record-index.ts";
import { decodeUndo, encodeUndo } from "../../../node/state/history/undo-record.ts";

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
  const [record, index] = [encodeUndo(rows), new RecordIndex(rows)];
  for (const { key, before } of rows) expect(index.find(record, key)).toEqual({ found: true, before });
  for (const other of [Uint8Array.of(2, 4), Uint8Array.of(1)]) {
    expect(index.find(record, other)).toEqual({ found: false, before: undefined });
  }
});

test("rows whose keys look alike to the index are told apart", () => {
  const alike = Array.from({ length: 50 }, (_, i) => {
    const key = new Uint8Array(33).fill(9);
    key[16] = i;
    return { key, before: Uint8Array.of(i) };
  });
  const [record, index] = [encodeUndo(alike), new RecordIndex(alike)];
  for (const { key, before } of alike) expect(index.find(record, key)).toEqual({ found: true, before });
  const unknown = new Uint8Array(33).fill(9);
  unknown[16] = 77;
  expect([index.mayHave(unknown), index.find(record, unknown).found]).toEqual([true, false]);
  expect(index.mayHave(new Uint8Array(33).fill(9).fill(8, 0, 5))).toBe(false);
});

test("a row too long for a record is refused", () => {
  expect(() => encodeUndo([{ key: Uint8Array.of(1), before: new Uint8Array(70_000) }])).toThrow(RangeError);
});
