/** Tests of the writer of key files. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { keyFileName, writeKeyFile } from "../../../node/accounts/key-writer.ts";

let directory: string;
const refuse = (): Promise<void> => Promise.reject(new Error("does not decrypt"));
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-writer-"));
});
afterEach(() => rm(directory, { recursive: true }));

test("the file has its name only after it was read back and checked", async () => {
  const seen: unknown[] = [];
  const verify = async (text: string): Promise<void> => void seen.push([text, await readdir(directory)]);
  await writeKeyFile({ directory, name: "key", text: "content", verify });
  expect(seen).toEqual([["content", [expect.stringMatching(/^\.key\.tmp[0-9a-f]+$/)]]]);
  expect(await readdir(directory)).toEqual(["key"]);
  expect((await stat(join(directory, "key"))).mode & 0o777).toBe(0o600);
});

test("when the check fails the old file stays and nothing else does", async () => {
  await writeFile(join(directory, "key"), "old");
  await expect(writeKeyFile({ directory, name: "key", text: "new", verify: refuse })).rejects.toThrow(
    "does not decrypt",
  );
  expect(await readdir(directory)).toEqual(["key"]);
  expect(await readFile(join(directory, "key"), "utf8")).toBe("old");
});

test("names hold the time in UTC with nine digits of a second, and the address", () => {
  const name = keyFileName(Date.UTC(2020, 1, 3, 4, 5, 6, 7), new Uint8Array(20).fill(0xab));
  expect(name).toMatch(/^UTC--2020-02-03T04-05-06\.007\d{6}Z--(ab){20}$/);
});
