/** Tests of the minimum height of a validator. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readMinHeight } from "../../../node/consensus/min-height.ts";

test("the larger of flag and file counts; a missing file sets none, and one without a number is refused", async () => {
  const directory = await mkdtemp(join(tmpdir(), "knit-height-"));
  const minHeightFile = join(directory, "min-height");
  const read = (minHeight: number) => readMinHeight({ minHeight, minHeightFile });
  expect(await readMinHeight({ minHeight: 3, minHeightFile: undefined })).toBe(3);
  expect(await read(3)).toBe(3);
  await writeFile(minHeightFile, "7\n");
  expect([await read(3), await read(9)]).toEqual([7, 9]);
  for (const text of ["", "-1", "0x7", "7 8", "1".repeat(16)]) {
    await writeFile(minHeightFile, text);
    await expect(read(3)).rejects.toMatchObject({ name: "ConsensusError", code: "min-height" });
  }
  await rm(directory, { recursive: true });
  await expect(readMinHeight({ minHeight: 3, minHeightFile: tmpdir() })).rejects.toMatchObject({
    code: "min-height",
  });
});
