/** Tests of Keccak-256. */
import { expect, test } from "@jest/globals";
import { keccak256 as oracle } from "ethereum-cryptography/keccak.js";
import { bareHex } from "../../../node/bytes/hex.ts";
import { EMPTY_HASH, hashInput, keccak256, keccakInput, keccakOutput } from "../../../node/crypto/keccak.ts";

/** Bytes that repeat with no period of the block size. */
function someBytes(length: number, seed = 1): Uint8Array {
  let state = (seed * 2_654_435_761) >>> 0;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

test("hashes nothing and abc to their published values", () => {
  expect(bareHex(EMPTY_HASH)).toBe("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  expect(bareHex(keccak256(Buffer.from("abc")))).toBe(
    "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
  );
});

test("agrees with the oracle on every length up to five blocks", () => {
  for (let length = 0; length <= 5 * 136 + 1; length++) {
    const data = someBytes(length, length + 1);
    expect(bareHex(keccak256(data))).toBe(bareHex(oracle(data)));
  }
});

test("agrees with the oracle around and above the size of the input buffer", () => {
  const chunk = 65_536 - (65_536 % 136);
  for (const length of [
    chunk - 1,
    chunk,
    chunk + 1,
    65_535,
    65_536,
    65_537,
    2 * chunk,
    2 * chunk + 1,
    200_001,
  ]) {
    const data = someBytes(length);
    expect(bareHex(keccak256(data))).toBe(bareHex(oracle(data)));
  }
});

test("reads a view into a larger buffer, not the buffer", () => {
  const all = someBytes(300);
  expect(bareHex(keccak256(all.subarray(7, 150)))).toBe(bareHex(oracle(all.slice(7, 150))));
});

test("gives a fresh array that later hashes leave alone", () => {
  const first = keccak256(someBytes(10));
  const before = bareHex(first);
  keccak256(someBytes(11));
  expect(bareHex(first)).toBe(before);
  expect(first.byteLength).toBe(first.buffer.byteLength);
});

test("hashes in place what is written into the input memory", () => {
  const data = someBytes(532);
  keccakInput.set(data);
  hashInput(data.length);
  expect(bareHex(keccakOutput)).toBe(bareHex(oracle(data)));
  expect(keccakInput.length).toBeGreaterThanOrEqual(65_536);
});
