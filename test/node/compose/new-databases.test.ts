/** The place of new databases: what a killed first start has left is deleted there, and nothing that has rows. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { clearPlace, hasChain } from "../../../node/compose/new-databases.ts";

let place = "";

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "knit-place-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

async function put(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await writeFile(join(place, path), "");
  }
}

test("what a first start that was killed has left is deleted", async () => {
  await put("chain/LOCK", "chain/LOG", "chain/MANIFEST-000001", "chain/000001.dbtmp");
  await clearPlace(place);
  expect(existsSync(place)).toBe(false);
  await clearPlace(place); // an absent one
});

test.each(["chain/000005.ldb", "chain/000003.log", "trie/0/000004.ldb", "letter.txt"])(
  "a directory without the file that names the tables of a chain, but with %s, is left as it is",
  async (path) => {
    await put("chain/LOCK", path);
    expect(hasChain(place)).toBe(false);
    await expect(clearPlace(place)).rejects.toMatchObject({
      code: "failed",
      message: expect.stringContaining(`${place} has no chain/CURRENT, but it has ${path}`) as unknown,
    });
    expect(await readdir(place, { recursive: true })).toContain(path);
  },
);
