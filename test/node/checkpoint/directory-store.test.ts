/** Archives in directories. */
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { directoryStore } from "../../../node/checkpoint/archive.ts";

const FILES = 4_000;
const { signal } = new AbortController();

test("other work on files goes on beside the list of a directory with many", async () => {
  const root = await mkdtemp(join(tmpdir(), "knit-store-"));
  await mkdir(join(root, "files"));
  for (let i = 0; i < FILES; i++) writeFileSync(join(root, "files", `${i}`), "");
  const list = { isDone: false };
  const listed = directoryStore(root).list("files/", signal);
  void listed.finally(() => (list.isDone = true));
  let others = 0;
  for (; !list.isDone; others++) await stat(root);
  expect(await listed).toHaveLength(FILES);
  expect(others).toBeGreaterThan(20);
  await rm(root, { recursive: true });
});
