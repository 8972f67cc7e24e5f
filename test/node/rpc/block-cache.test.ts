/** The block cache: bounded, shared by concurrent requests, without failures. */
import { expect, test } from "@jest/globals";
import { ByteCache } from "../../../node/jsonrpc/byte-cache.ts";
import { BlockCache } from "../../../node/presenters/block-cache.ts";

const block = (number: number) => ({ hash: Uint8Array.of(number) });

test("a text is written once for each block and form, and the oldest texts are evicted", () => {
  const texts = new BlockCache(new ByteCache(), 10);
  const written: string[] = [];
  const text = (number: number, form: string, size = 4) =>
    texts.text(block(number), form, () => {
      written.push(`${number} ${form}`);
      return "x".repeat(size);
    });
  for (const [number, form] of [
    [1, "full"],
    [1, "hashes"],
    [1, "full"],
    [2, "full"],
    [1, "hashes"],
    [1, "full"],
  ] as const)
    expect(text(number, form)).toBe("xxxx");
  expect(written).toEqual(["1 full", "1 hashes", "2 full", "1 full"]);
  for (let time = 0; time < 2; time++) expect(text(3, "full", 11)).toHaveLength(11);
  expect(written.slice(4)).toEqual(["3 full", "3 full"]);
});

test("requests share a text that is being written, and a failed text is written again", async () => {
  const texts = new BlockCache(new ByteCache());
  let made = 0;
  const late = () => texts.text(block(1), "", () => Promise.resolve(`text ${++made}`));
  expect(await Promise.all([late(), late()])).toEqual(["text 1", "text 1"]);
  expect(await late()).toBe("text 1");
  const failing = texts.text(block(2), "", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(texts.text(block(2), "", () => "text")).toBe("text");
});

test("a long text that is asked for again is there as bytes as well; the oldest give way, and it goes with its text", () => {
  const bytes = new ByteCache(70_000);
  const texts = new BlockCache(bytes, 100_000);
  const long = (number: number) =>
    texts.text(block(number), "", () => `${number} é${"x".repeat(30_000)}`) as string;
  const known = (number: number) => bytes.get(`${number} é${"x".repeat(30_000)}`);
  long(1);
  expect(known(1)).toBeUndefined();
  const first = long(1);
  expect(known(1)).toEqual(Buffer.from(first));
  for (const number of [2, 2, 3, 3]) long(number);
  expect([1, 2, 3].map((number) => known(number) !== undefined)).toEqual([false, true, true]);
  for (const number of [4, 5]) long(number);
  expect([2, 3].map((number) => known(number) !== undefined)).toEqual([false, true]);
  bytes.add("short");
  expect(bytes.get("short")).toBeUndefined();
});
