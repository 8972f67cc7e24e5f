/** The memory of texts of blocks: bounded, shared, and never of a failure. */
import { expect, test } from "@jest/globals";
import { KeptBytes } from "../../../node/rpc/kept-bytes.ts";
import { BlockTexts } from "../../../node/rpc/views/block-texts.ts";

const block = (number: number) => ({ hash: Uint8Array.of(number) });

test("a text is written once for each block and form, and the oldest give way", () => {
  const texts = new BlockTexts(new KeptBytes(), 10);
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

test("a text in the making is shared; one that fails is made again", async () => {
  const texts = new BlockTexts(new KeptBytes());
  let made = 0;
  const late = () => texts.text(block(1), "", () => Promise.resolve(`text ${++made}`));
  expect(await Promise.all([late(), late()])).toEqual(["text 1", "text 1"]);
  expect(await late()).toBe("text 1");
  const failing = texts.text(block(2), "", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(texts.text(block(2), "", () => "text")).toBe("text");
});

test("a long text that is asked for again is there as bytes as well, which count and go with it", () => {
  const bytes = new KeptBytes();
  const texts = new BlockTexts(bytes, 100_000);
  const long = (number: number) =>
    texts.text(block(number), "", () => `${number} é${"x".repeat(30_000)}`) as string;
  const first = long(1);
  expect(bytes.of(first)).toBeUndefined();
  long(1);
  expect(bytes.of(first)).toEqual(Buffer.from(first));
  long(2);
  expect(bytes.of(first)).toBeDefined();
  long(2);
  expect([bytes.of(first), bytes.of(long(2))]).toEqual([undefined, Buffer.from(long(2))]);
  void texts.text(block(3), "", () => "short");
  expect(bytes.of(texts.text(block(3), "", () => "") as string)).toBeUndefined();
});
