/** Tests of 256-bit words. */
import { expect, test } from "@jest/globals";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import {
  bytesWord,
  countWord,
  indexOf,
  leadingWord,
  lowBits,
  readWord,
  wordBytes,
  writeWord,
} from "../../../node/bytes/word.ts";

const edges = [0, 8, 31, 32, 33, 63, 64, 65, 96, 127, 128, 160, 191, 192, 255, 256].flatMap((bits) => {
  const edge = 1n << BigInt(bits);
  return [edge - 1n, edge, edge + 1n].filter((word) => word < 1n << 256n);
});

test("a word of any size is its 32 bytes", () => {
  for (const word of edges) expect(wordBytes(word)).toEqual(fixedBytes(word, 32));
});

test("a word is read from where it was written, and overwrites what was there", () => {
  const bytes = new Uint8Array(40).fill(0xff);
  const view = new DataView(bytes.buffer);
  for (const word of edges) {
    writeWord(view, 5, word);
    expect(readWord(view, 5)).toBe(word);
    expect(bytesToBigint(bytes.subarray(5, 37))).toBe(word);
  }
  expect([bytes[4], bytes[37]]).toEqual([0xff, 0xff]);
});

test("words and numbers turn into one another", () => {
  for (const count of [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER]) {
    expect(countWord(count)).toBe(BigInt(count));
  }
  for (const word of edges) {
    expect(lowBits(word)).toBe(Number(BigInt.asUintN(32, word)));
    expect(indexOf(word)).toBe(word < 1n << 32n ? Number(word) : Infinity);
  }
});

test("bytes are the end or the beginning of a word", () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect([bytesWord(wordBytes(1n << 255n)), bytesWord(bytes), bytesWord(new Uint8Array(0))]).toEqual([
    1n << 255n,
    0x010203n,
    0n,
  ]);
  expect([leadingWord(bytes, 1), leadingWord(bytes, 3)]).toEqual([0x0203n << 240n, 0n]);
});
