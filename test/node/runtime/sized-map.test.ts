/** Tests of the map that is bounded by the sizes of its entries. */
import { expect, test } from "@jest/globals";
import { SizedMap } from "../../../node/runtime/sized-map.ts";

function aMap() {
  const removed: string[] = [];
  const map = new SizedMap<string>(
    10,
    ({ length }) => length,
    (value) => removed.push(value),
  );
  return { map, removed, has: (...keys: string[]) => keys.filter((key) => map.get(key) !== undefined) };
}

test("the oldest entries leave when the sizes exceed the bound, whether they were read or not", () => {
  const { map, removed, has } = aMap();
  for (const key of ["a", "b", "c"]) map.add(key, key.repeat(3));
  map.get("a");
  map.add("d", "dddd");
  expect([has("a", "b", "c", "d"), removed]).toEqual([["b", "c", "d"], ["aaa"]]);
  map.add("e", "eeee");
  expect([has("b", "c", "d", "e"), removed]).toEqual([
    ["d", "e"],
    ["aaa", "bbb", "ccc"],
  ]);
});

test("an entry above the bound stays alone until the next one comes", () => {
  const { map, removed, has } = aMap();
  map.add("a", "aaa");
  map.add("b", "b".repeat(20));
  expect([has("a", "b"), removed]).toEqual([["b"], ["aaa"]]);
  map.add("c", "c");
  expect(has("b", "c")).toEqual(["c"]);
});

test("deleting and clearing free the room, and report each value once", () => {
  const { map, removed, has } = aMap();
  map.add("a", "a".repeat(10));
  map.delete("a");
  map.delete("a");
  map.add("b", "bb");
  map.clear();
  map.clear();
  for (const key of ["c", "d"]) map.add(key, key.repeat(5));
  expect([has("a", "b", "c", "d"), removed]).toEqual([
    ["c", "d"],
    ["a".repeat(10), "bb"],
  ]);
});
