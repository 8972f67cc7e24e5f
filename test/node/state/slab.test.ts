/** Tests of the slab that holds cached trie nodes. */
import { expect, test } from "@jest/globals";
import { Slab } from "../../../node/state/trie/slab.ts";
import { aRandom } from "./random.ts";

const aHash = (n: number): Uint8Array => new Uint8Array(32).fill(n);

test("the newest node of a path is found under its own hash and no other", () => {
  const slab = new Slab(1 << 20);
  slab.put(7, aHash(1), 0, new Uint8Array(50).fill(1), 50);
  slab.put(7, aHash(2), 0, new Uint8Array(500).fill(2), 500);
  slab.put(7, aHash(3), 0, new Uint8Array(20).fill(3), 20);
  expect(slab.find(7, aHash(1), 0)).toBe(-1);
  expect(slab.find(7, aHash(2), 0)).toBe(-1);
  expect(slab.find(8, aHash(3), 0)).toBe(-1);
  const at = slab.find(7, aHash(3), 0);
  expect(slab.bytes.subarray(at, at + 20)).toEqual(new Uint8Array(20).fill(3));
});

test("it starts small, grows and never passes its limit", () => {
  const limit = 3_000_000;
  const slab = new Slab(limit);
  expect(slab.size).toBeLessThan(300_000);
  for (let i = 0; i < 20_000; i++) {
    slab.put(Math.imul(i, 0x9e3779b1) >>> 0, aHash(i & 255), 0, new Uint8Array(532), 532);
    expect(slab.size).toBeLessThanOrEqual(limit);
  }
  expect(slab.size).toBeGreaterThan(limit * 0.95);
});

test("an emptied one is small again, knows nothing of before, and grows as it did", () => {
  const slab = new Slab(3_000_000);
  const fill = (): void => {
    for (let i = 1; i <= 10_000; i++)
      slab.put(Math.imul(i, 0x9e3779b1) >>> 0, aHash(1), 0, new Uint8Array(532), 532);
  };
  fill();
  const full = slab.size;
  slab.empty();
  expect(slab.size).toBeLessThan(300_000);
  for (let i = 1; i <= 10_000; i++) expect(slab.find(Math.imul(i, 0x9e3779b1) >>> 0, aHash(1), 0)).toBe(-1);
  fill();
  expect(slab.size).toBe(full);
  expect(slab.find(Math.imul(10_000, 0x9e3779b1) >>> 0, aHash(1), 0)).toBeGreaterThan(0);
});

test("where there is no room for all that it may take, it goes on with what it has", () => {
  const slab = new Slab(2 ** 52);
  const [before, node] = [slab.size, new Uint8Array(500)];
  for (let i = 0; i < 2000; i++) {
    slab.put(i, aHash(1), 0, node, node.length);
    expect(slab.find(i, aHash(1), 0)).toBeGreaterThan(0);
  }
  expect(slab.size).toBe(before);
});

test("what it finds is what was put last, through growth and overwriting", () => {
  const random = aRandom(99);
  const slab = new Slab(700_000);
  const last = new Map<number, { hash: Uint8Array; node: Uint8Array }>();
  let found = 0;
  for (let i = 0; i < 30_000; i++) {
    const tag = Math.imul(random.below(3000), 0x9e3779b1) >>> 0;
    const hash = new Uint8Array(32).fill(i >> 7);
    hash[0] = i;
    const node = new Uint8Array(1 + random.below(600)).fill(i);
    slab.put(tag, hash, 0, node, node.length);
    last.set(tag, { hash, node });
    const asked = Math.imul(random.below(3000), 0x9e3779b1) >>> 0;
    const wanted = last.get(asked);
    const at = wanted === undefined ? -1 : slab.find(asked, wanted.hash, 0);
    if (wanted === undefined || at < 0) continue;
    expect(Buffer.compare(slab.bytes.subarray(at, at + wanted.node.length), wanted.node)).toBe(0);
    found++;
  }
  expect(found).toBeGreaterThan(5000);
});

test("a node too long for it is left out", () => {
  const slab = new Slab(8192);
  slab.put(1, aHash(1), 0, new Uint8Array(5000), 5000);
  expect(slab.find(1, aHash(1), 0)).toBe(-1);
});
