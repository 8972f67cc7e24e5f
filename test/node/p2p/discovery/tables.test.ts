/** Tests of the tables of discovered nodes. */
import { describe, expect, test } from "@jest/globals";
import { toHex } from "../../../../node/bytes/hex.ts";
import { keccak256 } from "../../../../node/crypto/keccak.ts";
import type { FoundNode } from "../../../../node/p2p/discovery/packets.ts";
import {
  closest,
  createBucketTable,
  createListTable,
  type NodeTable,
} from "../../../../node/p2p/discovery/tables.ts";
import { keyOf } from "../../../support/p2p.ts";
import { randomBytes, seededRandom } from "../../../support/random.ts";

const OWN = keyOf("own").id;
const random = seededRandom(7);
const node = (ip: string, id: Uint8Array = randomBytes(random, 64)): FoundNode => ({
  id,
  ip,
  udpPort: 32_323,
  tcpPort: 32_323,
  type: "en",
});
const lan = (count: number): FoundNode[] =>
  Array.from({ length: count }, (_, n) => node(`10.0.${n >> 8}.${n & 255}`));
const hashNumber = (id: Uint8Array): bigint => BigInt(toHex(keccak256(id)));
/** Distance of two hashes by their first differing bit. */
const distance = (id: Uint8Array): number => {
  const own = keccak256(OWN);
  const bits = keccak256(id).map((byte, at) => byte ^ (own[at] ?? 0));
  const at = bits.findIndex((byte) => byte !== 0);
  return 256 - at * 8 - Math.clz32(bits[at] ?? 0) + 24;
};

describe.each<[string, () => NodeTable]>([
  ["a list", () => createListTable(100, random)],
  ["buckets", () => createBucketTable(OWN, random)],
])("%s", (_, create) => {
  test("a table keeps at most ten nodes of a subnet, and any number of private networks", () => {
    const table = create();
    for (let n = 0; n < 200; n++) table.add(node(`8.8.8.${n % 250}`));
    expect(table.size).toBeGreaterThan(1);
    expect(table.size).toBeLessThanOrEqual(10);
    for (const each of lan(12)) table.add(each);
    expect(table.size).toBeGreaterThan(10);
  });

  test("a table has a node once, with its latest endpoint, until it is removed", () => {
    const table = create();
    const id = randomBytes(random, 64);
    table.add(node("10.0.0.1", id));
    table.add(node("10.0.0.2", id));
    expect(table.list()).toMatchObject([{ ip: "10.0.0.2" }]);
    table.remove(id);
    expect([table.size, table.oldest()]).toEqual([0, undefined]);
  });
});

test("a full list accepts no node, and the least recent responder is revalidated first", () => {
  const table = createListTable(3, random);
  const [first, second, third, fourth] = lan(4) as [FoundNode, FoundNode, FoundNode, FoundNode];
  expect([first, second, third, fourth].map((each) => table.add(each))).toEqual([true, true, true, false]);
  expect(table.oldest()).toBe(first);
  table.add(first);
  expect(table.oldest()).toBe(second);
  expect(new Set(table.answer(OWN, 2)).size).toBe(2);
});

test("a bucket holds 16 nodes of its distance, and replacements fill free slots", () => {
  const table = createBucketTable(OWN, random);
  const nodes = lan(3000);
  for (const each of nodes) table.add(each);
  const counts = Map.groupBy(table.list(), ({ id }) => distance(id));
  expect([counts.get(256)?.length, counts.get(255)?.length, counts.get(250)?.length]).toEqual([16, 16, 16]);
  expect(table.size).toBeLessThanOrEqual(17 * 16);
  const [gone] = counts.get(256) ?? [];
  if (gone !== undefined) table.remove(gone.id);
  expect(table.list().filter(({ id }) => distance(id) === 256)).toHaveLength(16);
});

test("a bucket holds at most two nodes of a subnet", () => {
  const table = createBucketTable(OWN, random);
  for (let n = 0; n < 100; n++) table.add(node(`8.8.8.${n}`));
  const counts = Map.groupBy(table.list(), ({ id }) => Math.max(239, distance(id)));
  expect(Math.max(...[...counts.values()].map((each) => each.length))).toBe(2);
});

test("a query is answered with the closest nodes", () => {
  const table = createBucketTable(OWN, random);
  for (const each of lan(200)) table.add(each);
  const target = randomBytes(random, 64);
  const away = ({ id }: FoundNode): bigint => hashNumber(id) ^ hashNumber(target);
  const sorted = table.list().sort((a, b) => (away(a) > away(b) ? 1 : -1));
  expect(table.answer(target, 16)).toEqual(sorted.slice(0, 16));
  expect(closest(table.list(), target)).toEqual(sorted);
});
