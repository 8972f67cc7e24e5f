/** Archives in directories. */
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { directoryStore } from "../../../node/checkpoint/archive.ts";

const FILES = 4_000;
const { signal } = new AbortController();

let root = "";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "knit-store-"));
  for (const name of ["files", "checkpoints"]) await mkdir(join(root, name));
});
afterAll(() => rm(root, { recursive: true }));

test("manifests that a killed process has not finished are deleted once they are old", async () => {
  const names = ["new.json.1.partial", "old.json", "old.json.2.partial"];
  for (const name of names) {
    const path = join(root, "checkpoints", name);
    await writeFile(path, "");
    if (name.startsWith("old")) await utimes(path, 1, 1);
  }
  await directoryStore(root).removeUnfinished("checkpoints/", 2_000, signal);
  expect((await readdir(join(root, "checkpoints"))).toSorted()).toEqual(names.slice(0, 2));
});

test("other work on files goes on beside the list of a directory with many", async () => {
  for (let i = 0; i < FILES; i++) writeFileSync(join(root, "files", `${i}`), "");
  const list = { isDone: false };
  const listed = directoryStore(root).list("files/", signal);
  void listed.finally(() => (list.isDone = true));
  let others = 0;
  for (; !list.isDone; others++) await stat(root);
  expect(await listed).toHaveLength(FILES);
  expect(others).toBeGreaterThan(20);
});
