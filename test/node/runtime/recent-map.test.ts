/** Tests of the map of recent entries. */
import { expect, test } from "@jest/globals";
import { RecentMap } from "../../../node/runtime/recent-map.ts";

test("what was used lately stays, and never more than the limit", () => {
  const map = new RecentMap<number>(10);
  for (let i = 0; i < 100; i++) {
    map.set(`${i}`, i);
    expect(map.get("0")).toBe(0);
  }
  const kept = Array.from({ length: 100 }, (_, i) => map.get(`${i}`)).filter((value) => value !== undefined);
  expect(kept).toContain(99);
  expect(kept).not.toContain(50);
  expect(kept.length).toBeLessThanOrEqual(10);
});

test("a new value replaces the old one at once", () => {
  const map = new RecentMap<number>(4);
  for (let i = 0; i < 20; i++) {
    map.set("a", i);
    map.set(`${i}`, i);
    expect(map.get("a")).toBe(i);
  }
});
