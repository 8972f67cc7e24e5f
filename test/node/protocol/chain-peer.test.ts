/** Tests of a peer's claimed head and known hashes. */
import { expect, test } from "@jest/globals";
import { createKnownSet } from "../../../node/protocol/chain-peer.ts";

const hash = (number: number): Uint8Array => new Uint8Array(32).fill(number);

test("a full set drops its oldest hash, and a repeated hash changes nothing", () => {
  const set = createKnownSet(3);
  for (const number of [1, 2, 3, 2, 1]) set.add(hash(number));
  expect(set.size).toBe(3);
  set.add(hash(4));
  expect([1, 2, 3, 4].map((number) => set.has(hash(number)))).toEqual([false, true, true, true]);
  expect(set.size).toBe(3);
});
