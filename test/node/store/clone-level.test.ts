/** Clones of a directory that is written at the same time hold all rows up to an instant, and none after it. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { cloneLevel } from "../../../node/store/clone-level.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { linkLevel } from "../../../node/store/linked-level.ts";
import { readManifest } from "../../../node/store/live-tables.ts";
import type { Store } from "../../../node/store/store.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-clone-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Small buffers: tables and compactions come all the time. */
const SMALL = { writeBufferBytes: 64 * 1024 };

const key = (row: number): Uint8Array => Uint8Array.of(1, row >> 16, row >> 8, row);

async function put(store: Store, row: number): Promise<void> {
  const batch = store.createBatch();
  batch.put(key(row), Buffer.alloc(700, row));
  batch.put(key(row % 500), Buffer.alloc(700, row)); // overwritten rows make compactions
  batch.put(Uint8Array.of(2), key(row));
  await store.write(batch, { sync: false });
}

const newest = (store: Store): number =>
  Buffer.from(store.get(Uint8Array.of(2)) ?? [1, 0, 0, 0]).readUIntBE(1, 3);

test("a clone of a directory that is written holds every row up to its newest", async () => {
  const from = join(directory, "from");
  await using store = await openLevelStore(from, SMALL);
  let written = 500;
  const stop = new AbortController();
  const writing = (async () => {
    while (!stop.signal.aborted) {
      await put(store, written);
      written++;
    }
  })();
  for (let clone = 0; clone < 20; clone++) {
    const before = written - 1;
    const to = join(directory, `clone-${clone}`);
    await cloneLevel(from, to);
    await using copy = await openLevelStore(to);
    expect(copy.damage).toBeUndefined();
    const last = newest(copy);
    expect(last).toBeGreaterThanOrEqual(before);
    expect(last).toBeLessThanOrEqual(written); // the last write may be on its way
    for (let row = 500; row <= last; row++) expect(copy.get(key(row))?.[0]).toBe(row & 255);
    expect(copy.get(key(last + 1))).toBeUndefined();
  }
  stop.abort();
  await writing;
});

test("tables are linked, and what is written later does not change the clone", async () => {
  const [from, to] = [join(directory, "from"), join(directory, "to")];
  await using store = await openLevelStore(from, SMALL);
  for (let row = 500; row < 900; row++) await put(store, row);
  await store.compact(); // none is under way that would remove tables
  await cloneLevel(from, to);
  const tables = readdirSync(to).filter((name) => name.endsWith(".ldb"));
  expect(tables.length).toBeGreaterThan(0);
  for (const name of tables) expect(statSync(join(to, name)).nlink).toBe(2);
  for (let row = 900; row < 1_300; row++) await put(store, row);
  await store.compact();
  await using copy = await openLevelStore(to);
  expect(newest(copy)).toBe(899);
  expect(copy.get(key(899))?.[0]).toBe(899 & 255);
});

test("a last record of the manifest that is not complete is left out", async () => {
  const from = join(directory, "from");
  {
    await using store = await openLevelStore(from, SMALL);
    for (let row = 500; row < 900; row++) await put(store, row);
  }
  const { name, bytes, tables } = await readManifest(from);
  truncateSync(join(from, name), bytes.length - 1);
  const shorter = await readManifest(from);
  expect(shorter.bytes.length).toBeLessThan(bytes.length - 1);
  expect(shorter.tables).not.toEqual(tables);
});

test("a directory whose write-ahead log is gone is refused and nothing is left", async () => {
  const [from, to] = [join(directory, "from"), join(directory, "to")];
  {
    await using store = await openLevelStore(from);
    await put(store, 500);
  }
  for (const name of readdirSync(from)) if (name.endsWith(".log")) rmSync(join(from, name));
  await expect(cloneLevel(from, to)).rejects.toMatchObject({ code: "failed" });
  expect(readdirSync(directory)).toEqual(["from"]);
});

async function aClosedDirectory(): Promise<string> {
  const from = join(directory, "from");
  await using store = await openLevelStore(from, SMALL);
  for (let row = 500; row < 900; row++) await put(store, row);
  return from;
}

test.each(["../nodekey", "MANIFEST-000002/../../nodekey", "nodekey", ".", ""])(
  "CURRENT with the text %j is refused, and the file that it names stays as it is",
  async (text) => {
    const from = await aClosedDirectory();
    const path = join(directory, "nodekey");
    writeFileSync(path, "ab");
    writeFileSync(join(from, "CURRENT"), `${text}\n`);
    await expect(readManifest(from)).rejects.toThrow(RangeError);
    await expect(cloneLevel(from, join(directory, "to"))).rejects.toMatchObject({ code: "failed" });
    await expect(linkLevel(from, join(directory, "links"))).rejects.toMatchObject({ code: "failed" });
    expect(readFileSync(path, "utf8")).toBe("ab");
  },
);

test("a manifest whose next file would be written over a table is refused", async () => {
  const from = await aClosedDirectory();
  const { name, tables } = await readManifest(from);
  const [last = 0] = tables;
  expect(last).toBeLessThan(128);
  const nextFile = (number: number): void =>
    appendFileSync(join(from, name), Buffer.from([0, 0, 0, 0, 2, 0, 1, 3, number])); // a whole record of one edit
  nextFile(last + 1);
  expect((await readManifest(from)).tables).toEqual(tables);
  nextFile(last);
  await expect(readManifest(from)).rejects.toThrow(`table ${last} is not below next file ${last}`);
});

const firstOf = (from: string, ending: string): string =>
  join(from, readdirSync(from).find((name) => name.endsWith(ending)) ?? "");

test.each([".ldb", ".log"])("a pipe in the place of a %s file is refused without a wait", async (ending) => {
  const from = await aClosedDirectory();
  const path = firstOf(from, ending);
  rmSync(path);
  execFileSync("mkfifo", [path]);
  const refusal = { code: "failed", message: expect.stringContaining("is not a regular file") as unknown };
  await expect(cloneLevel(from, join(directory, "to"))).rejects.toMatchObject(refusal);
  await expect(linkLevel(from, join(directory, "links"))).rejects.toMatchObject(refusal);
});

test("a table that is a symbolic link is not cloned", async () => {
  const from = await aClosedDirectory();
  const path = firstOf(from, ".ldb");
  renameSync(path, join(directory, "elsewhere"));
  symlinkSync(join(directory, "elsewhere"), path);
  await expect(cloneLevel(from, join(directory, "to"))).rejects.toMatchObject({ code: "failed" });
});
