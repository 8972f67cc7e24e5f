/** Tests of the cache of texts. */
import { expect, test } from "@jest/globals";
import { ByteCache } from "../../../node/jsonrpc/byte-cache.ts";
import { TextCache } from "../../../node/jsonrpc/text-cache.ts";

test("the oldest texts are dropped above the limit, which counts what an entry costs", () => {
  const cache = new TextCache(1000);
  for (const key of ["a", "b", "c"]) cache.add(key, "x".repeat(200));
  expect(["a", "b", "c"].map((key) => cache.get(key)?.length)).toEqual([undefined, 200, 200]);
});

test("a text above the limit is not kept and drops nothing", () => {
  const cache = new TextCache(1000);
  cache.add("a", "x");
  cache.add("b", "x".repeat(1000));
  expect([cache.get("a"), cache.get("b")]).toEqual(["x", undefined]);
});

test("the bytes of a text are kept from its second request on, and dropped with it", () => {
  const bytes = new ByteCache();
  const cache = new TextCache(50_000, bytes);
  const text = "x".repeat(20_000);
  cache.add("a", text);
  expect(bytes.get(text)).toBeUndefined();
  cache.get("a");
  expect(bytes.get(text)?.length).toBe(20_000);
  cache.add("b", "y".repeat(40_000));
  expect([cache.get("a"), bytes.get(text)]).toEqual([undefined, undefined]);
  cache.get("b");
  cache.clear();
  expect([cache.get("b"), bytes.get("y".repeat(40_000))]).toEqual([undefined, undefined]);
});
