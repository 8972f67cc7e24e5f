/** Tests of the published vectors of EIP-2537. */
import { describe, expect, test } from "@jest/globals";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import {
  addG1,
  addG2,
  isBlsPairing,
  mapToG1,
  mapToG2,
  sumG1,
  sumG2,
} from "../../../node/crypto/bls-points.ts";
import { cryptoVectors, type PrecompileCase } from "../../support/crypto-vectors.ts";

const vectors = cryptoVectors<PrecompileCase>("eip-2537");

/** The contract's answer. */
function isPairing(input: Uint8Array): Uint8Array | undefined {
  const isOne = isBlsPairing(input);
  return isOne === undefined
    ? undefined
    : Uint8Array.from({ length: 32 }, (_, i) => (i === 31 && isOne ? 1 : 0));
}

const CONTRACTS = { addG1, addG2, sumG1, sumG2, isPairing, mapToG1, mapToG2 };

test("the file has the cases that were recorded, of every contract", () => {
  const counts = Object.entries(vectors).map(([name, cases]) => [name, cases.length]);
  expect(Object.fromEntries(counts)).toEqual({
    addG1: 16,
    addG2: 16,
    sumG1: 103,
    sumG2: 27,
    isPairing: 40,
    mapToG1: 10,
    mapToG2: 10,
  });
});

describe.each(Object.entries(CONTRACTS))("%s gives the published answer", (name, contract) => {
  test.each(vectors[name] ?? [])("$name", ({ input, expected }) => {
    const found = contract(fromBareHex(input));
    expect(found === undefined ? null : bareHex(found)).toBe(expected);
  });
});
