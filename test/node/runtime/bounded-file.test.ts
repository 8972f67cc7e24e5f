/** Tests of the reader of small files: limits, devices, files that say no size. */
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readBoundedText } from "../../../node/runtime/bounded-file.ts";

test("a file up to the limit is read whole, one byte more is refused", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "knit-bounded-"));
  const path = join(directory.path, "text");
  for (const length of [0, 1, 4095, 4096, 4097, 10_000]) {
    const text = "é".repeat(length / 2) + "x".repeat(length % 2); // length in bytes
    await writeFile(path, text);
    expect(await readBoundedText(path, 10_000)).toBe(text);
  }
  await expect(readBoundedText(path, 9_999)).rejects.toThrow("more than 9999 bytes");
});

test("a device that never ends is refused, one without a size is read, an absent file is named", async () => {
  await expect(readBoundedText("/dev/zero", 1_000_000)).rejects.toThrow("more than 1000000 bytes");
  expect(await readBoundedText("/proc/self/status", 1_000_000)).toContain("Pid:");
  await expect(readBoundedText("/no/such/file", 10)).rejects.toMatchObject({ code: "ENOENT" });
});
