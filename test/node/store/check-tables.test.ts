/** Table files are checked block by block, those that count alone. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runAtOnce, runInSlices } from "../../../node/runtime/scheduler.ts";
import { checkAllTables } from "../../../node/store/check-tables.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { liveTables } from "../../../node/store/live-tables.ts";
import { tableFault } from "../../../node/store/table-file.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-tables-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const key = (name: number): Uint8Array => Uint8Array.of(1, name >> 8, name);

/** Rows that do and do not pack well, written, overwritten and merged over several openings. */
async function fill(openings: number): Promise<void> {
  for (let round = 0; round < openings; round++) {
    await using store = await openLevelStore(directory);
    const batch = store.createBatch();
    for (let i = 0; i < 200; i++)
      batch.put(key(i), Buffer.alloc(60 + round, i % 3 === 0 ? "a" : String(i * 7919)));
    await store.write(batch, { sync: false });
    if (round % 2 === 1) await store.compact();
  }
}

const faultOf = (file: Uint8Array): string | undefined => runAtOnce(tableFault(file));
const tableNames = (): string[] => readdirSync(directory).filter((name) => name.endsWith(".ldb"));

test("files that the engine wrote are sound, and the manifest names those that are there", async () => {
  await fill(5);
  await using _ = await openLevelStore(directory); // which removes what no longer counts
  const names = tableNames().map((name) => Number.parseInt(name, 10));
  expect(await liveTables(directory)).toEqual(names.toSorted((a, b) => b - a));
  const bytes = tableNames().reduce((sum, name) => sum + readFileSync(join(directory, name)).length, 0);
  expect(await checkAllTables(directory, runInSlices)).toBe(bytes);
});

test("every flipped bit of a table is found, but for the padding before its end", async () => {
  await fill(2);
  const name = tableNames()[0] ?? "";
  const sound = readFileSync(join(directory, name));
  const missed: number[] = [];
  for (let at = 0; at < sound.length; at++) {
    const damaged = Buffer.from(sound);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    if (faultOf(damaged) === undefined) missed.push(at);
  }
  expect(missed.every((at) => sound[at] === 0 && at >= sound.length - 48 && at < sound.length - 8)).toBe(
    true,
  );
  for (const length of [0, 47, 48, sound.length - 1])
    expect(faultOf(sound.subarray(0, length))).toBeDefined();
});

test("a damaged table keeps the directory from being opened; one that no longer counts does not", async () => {
  await fill(2);
  const [name = ""] = tableNames();
  writeFileSync(join(directory, "000999.ldb"), "left over");
  expect((await openLevelStore(directory).then((store) => store[Symbol.asyncDispose]())) ?? "opened").toBe(
    "opened",
  );
  writeFileSync(join(directory, name), Buffer.alloc(readFileSync(join(directory, name)).length));
  await expect(openLevelStore(directory)).rejects.toMatchObject({
    code: "corrupt",
    message: `${directory} is damaged: ${name}: it does not end like a table`,
  });
});
