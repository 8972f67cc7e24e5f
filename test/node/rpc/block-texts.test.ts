/** The memory of texts of blocks: bounded, shared, and never of a failure. */
import { expect, test } from "@jest/globals";
import { BlockTexts } from "../../../node/rpc/views/block-texts.ts";

const block = (number: number) => ({ hash: Uint8Array.of(number) });

test("a text is written once for each block and form, and the oldest give way", () => {
  const texts = new BlockTexts(10);
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
  const texts = new BlockTexts();
  let made = 0;
  const late = () => texts.text(block(1), "", () => Promise.resolve(`text ${++made}`));
  expect(await Promise.all([late(), late()])).toEqual(["text 1", "text 1"]);
  expect(await late()).toBe("text 1");
  const failing = texts.text(block(2), "", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(texts.text(block(2), "", () => "text")).toBe("text");
});
