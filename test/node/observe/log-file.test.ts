/** Tests of log files: rotation, limits, faults. */
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLog } from "../../../node/observe/log.ts";
import { openLogFile } from "../../../node/observe/log-file.ts";

let parent: string;
let count = 0;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "knit-log-"));
});
afterAll(() => rm(parent, { recursive: true }));

const aDirectory = (): string => join(parent, `${count++}`);
const KEEP_ALL = { maxBytes: 100, maxFiles: 0, maxAgeMs: 0, compress: false };
/** A second later whenever it is asked. */
const ticking = (from: number) => () => (from += 1_000);
const NOON = Date.UTC(2026, 0, 2, 12);

test("a file takes the lines of a log as well, without colours, and goes on where it was", async () => {
  const path = join(aDirectory(), "deep", "knit.log");
  const seen: string[] = [];
  const stream = { isTTY: true, write: (line: string) => seen.push(line) };
  for (const text of ["first", "second"]) {
    await using file = openLogFile(path, undefined);
    createLog({ level: "info", format: "terminal", stream, file }).info({ number: 1 }, text);
  }
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/ info {2}first +number=1$/),
    expect.stringMatching(/second/),
  ]);
  expect(seen[0]).toContain("\u001b[32minfo");
});

test("a file that would grow too large is put aside; no line is lost or cut", async () => {
  const directory = aDirectory();
  {
    await using file = openLogFile(join(directory, "knit.log"), KEEP_ALL, ticking(NOON));
    for (let i = 0; i < 7; i++) file.write(`${i}${"x".repeat(39)}\n`);
    file.write(`${"y".repeat(300)}\n`);
  }
  const names = (await readdir(directory)).toSorted();
  expect(names[0]).toMatch(/^knit-2026-01-02T12-00-\d\d\.000\.log$/);
  expect(names.at(-1)).toBe("knit.log");
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
  expect(
    texts
      .join("")
      .split("\n")
      .map((line) => line[0])
      .join(""),
  ).toBe("0123456y");
  expect(texts.map((text) => text.length)).toEqual([82, 82, 82, 41, 301]);
});

test("of files put aside the newest are kept, packed; older days go; others' files stay", async () => {
  const directory = aDirectory();
  const rotation = { maxBytes: 50, maxFiles: 2, maxAgeMs: 86_400_000, compress: true };
  await using _made = openLogFile(join(directory, "knit.log"), undefined); // makes the directory
  const old = join(directory, "knit-2026-01-02T00-00-00.000.log");
  const killed = `${old}.gz.tmp`; // a process that packed it was killed
  for (const name of [old, killed, join(directory, "knit-notes.log")]) await writeFile(name, "before\n");
  const now = Date.now();
  await utimes(old, new Date(now - 90_000_000), new Date(now - 90_000_000));
  {
    await using file = openLogFile(join(directory, "knit.log"), rotation, ticking(now));
    for (let i = 0; i < 5; i++) file.write(`${i}${"x".repeat(39)}\n`);
  }
  const names = (await readdir(directory)).toSorted();
  const packed = names.filter((name) => name.endsWith(".gz"));
  expect(names.filter((name) => !packed.includes(name))).toEqual(["knit-notes.log", "knit.log"]);
  const texts = await Promise.all(packed.map((name) => readFile(join(directory, name))));
  expect(texts.map((bytes) => gunzipSync(bytes).toString()[0])).toEqual(["2", "3"]);
});

test("a file that takes no more lines stops nobody", async () => {
  const file = openLogFile(join(aDirectory(), "knit.log"), KEEP_ALL);
  await file[Symbol.asyncDispose]();
  expect(() => file.write("lost\n")).not.toThrow();
});
