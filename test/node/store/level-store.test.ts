/** Tests of the store on disk: restarts, damage, locks. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "@jest/globals";
import { ClassicLevel } from "classic-level";
import { openLevelReader, openLevelStore } from "../../../node/store/level-store.ts";
import { storeContract } from "./contract.ts";

const parent = mkdtempSync(join(tmpdir(), "knit-store-"));
let directories = 0;
const aDirectory = (): string => join(parent, `${directories++}`);
afterAll(() => rmSync(parent, { recursive: true }));

const key = Uint8Array.of(1);
const value = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

storeContract("level store", () => openLevelStore(aDirectory()));
storeContract("temporary level store", () => openLevelStore(aDirectory(), { isTemporary: true }));
storeContract("level store without checksums", () => openLevelStore(aDirectory(), { checksums: false }));

test("rows survive closing and opening again", async () => {
  const directory = aDirectory();
  await fill(directory, 10);
  await using store = await openLevelStore(directory);
  expect(store.get(Uint8Array.of(9))).toEqual(Buffer.from(value(1000, 9)));
});

test("a directory that another process holds is in use", async () => {
  const directory = aDirectory();
  const holder = spawn(process.execPath, ["--input-type=module", "-e", HOLD, directory], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  await expect(openLevelStore(directory)).rejects.toMatchObject({
    code: "in-use",
    message: `${directory} is in use by another process`,
  });
  holder.stdin.end();
  await once(holder, "exit");
  await using store = await openLevelStore(directory);
  expect(store.get(key)).toBeUndefined();
});

const HOLD = `
  import { openLevelStore } from ${JSON.stringify(pathToFileURL("node/store/level-store.ts").href)};
  const store = await openLevelStore(process.argv[1]);
  console.log("open");
  process.stdin.on("end", () => store[Symbol.asyncDispose]()).resume();
`;

test("a directory that this process holds is in use until it is closed", async () => {
  const directory = aDirectory();
  const first = await openLevelStore(directory);
  await expect(openLevelStore(directory)).rejects.toMatchObject({ code: "in-use" });
  await first[Symbol.asyncDispose]();
  await using second = await openLevelStore(directory);
  expect(second.get(key)).toBeUndefined();
});

test("every flipped byte of CURRENT and the manifest gives an error or harms no row", async () => {
  const directory = aDirectory();
  await fill(directory, 20);
  const outcomes = new Set<string>();
  for (const start of ["CURRENT", "MANIFEST"]) {
    const file = fileIn(directory, start);
    const sound = readFileSync(file);
    for (let at = 0; at < sound.length; at += 5) {
      const damaged = Buffer.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(file, damaged);
      outcomes.add(await rowsOrCode(directory, 20));
    }
    writeFileSync(file, sound);
  }
  expect([...outcomes].toSorted()).toEqual(["corrupt"]);
});

test("a flipped byte in the write-ahead log is reported as damage until it is dismissed", async () => {
  const directory = aDirectory();
  await fill(directory, 100);
  flip(directory, ".log", 50_000);
  for (const dismissed of [false, true]) {
    await using store = await openLevelStore(directory);
    expect(store.damage).toMatch(/dropping \d+ bytes/);
    if (dismissed) await store.dismissDamage();
  }
  await using store = await openLevelStore(directory);
  expect(store.damage).toBeUndefined();
});

test("a write-ahead log that ends inside a record is no damage", async () => {
  const directory = aDirectory();
  await fill(directory, 100);
  const file = fileIn(directory, ".log");
  writeFileSync(file, readFileSync(file).subarray(0, 80_500));
  await using store = await openLevelStore(directory);
  expect(store.damage).toBeUndefined();
  expect([store.get(Uint8Array.of(70))?.length, store.get(Uint8Array.of(90))]).toEqual([1000, undefined]);
});

test("no flipped byte of a table file gives a wrong value", async () => {
  const directory = aDirectory();
  await fill(directory, 20);
  await compact(directory);
  const file = fileIn(directory, ".ldb");
  const sound = readFileSync(file);
  let refused = 0;
  for (let at = 7; at < sound.length; at += 101) {
    const damaged = Buffer.from(sound);
    damaged[at] = (damaged[at] ?? 0) ^ 0x20;
    writeFileSync(file, damaged);
    refused += await countRefused(directory, 20);
  }
  expect(refused).toBeGreaterThan(0);
});

test("after a failed write every later one is refused with the same error", async () => {
  await using store = await openLevelStore(aDirectory());
  const spent = store.createBatch();
  spent.put(key, key);
  await store.write(spent, { sync: true });
  const failure = await store.write(spent, { sync: true }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: "StoreError", code: "failed" });
  await expect(store.write(store.createBatch(), { sync: true })).rejects.toBe(failure);
});

test("a reader thread sees the rows of a snapshot of its own", async () => {
  const directory = aDirectory();
  await using store = await openLevelStore(directory);
  const batch = store.createBatch();
  batch.put(key, Uint8Array.of(42));
  await store.write(batch, { sync: true });
  const worker = new Worker(READ, { eval: true, workerData: directory, execArgv: [] });
  const [seen] = (await once(worker, "message")) as [number];
  expect(seen).toBe(42);
  await once(worker, "exit");
});

const READ = `
  import(${JSON.stringify(pathToFileURL("node/store/level-store.ts").href)}).then(async ({ openLevelReader }) => {
    const { parentPort, workerData } = require("node:worker_threads");
    await using reader = await openLevelReader(workerData);
    using snapshot = reader.snapshot();
    parentPort.postMessage(snapshot.get(Uint8Array.of(1))[0]);
  });
`;

test("a reader does not create a directory", async () => {
  await expect(openLevelReader(aDirectory())).rejects.toMatchObject({ name: "StoreError" });
});

async function fill(directory: string, count: number): Promise<void> {
  await using store = await openLevelStore(directory);
  for (let i = 0; i < count; i++) {
    const batch = store.createBatch();
    batch.put(Uint8Array.of(i), value(1000, i));
    await store.write(batch, { sync: false });
  }
}

test("a small directory is tidied when it is closed, if that is asked for", async () => {
  const sizes: number[] = [];
  for (const tidyBytes of [0, 16 * 1024 * 1024, 1024]) {
    const directory = aDirectory();
    const store = await openLevelStore(directory, { tidyBytes });
    for (let i = 0; i < 400; i++) {
      const batch = store.createBatch();
      batch.put(Uint8Array.of(1), randomBytes(8000));
      await store.write(batch, { sync: false });
    }
    await store[Symbol.asyncDispose]();
    sizes.push(readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0));
  }
  expect(sizes[0]).toBeGreaterThan(2_000_000);
  expect(sizes[1]).toBeLessThan(100_000);
  expect(sizes[2]).toBeGreaterThan(2_000_000);
});

async function compact(directory: string): Promise<void> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(directory, {
    keyEncoding: "view",
    valueEncoding: "view",
    compression: false,
  });
  await level.open();
  await level.compactRange(new Uint8Array(), Uint8Array.of(255));
  await level.close();
}

async function rowsOrCode(directory: string, count: number): Promise<string> {
  try {
    await using store = await openLevelStore(directory);
    for (let i = 0; i < count; i++) expect(store.get(Uint8Array.of(i))).toEqual(Buffer.from(value(1000, i)));
    return "whole";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Reads all rows: each is right, absent or refused as corrupt. */
async function countRefused(directory: string, count: number): Promise<number> {
  let refused = 0;
  try {
    await using store = await openLevelStore(directory);
    for (let i = 0; i < count; i++) {
      try {
        expect([undefined, value(1000, i).toString()]).toContain(store.get(Uint8Array.of(i))?.join());
      } catch (error) {
        expect(error).toMatchObject({ code: "corrupt" });
        refused++;
      }
    }
  } catch (error) {
    expect((error as { code: string }).code).toBe("corrupt");
    refused++;
  }
  return refused;
}

function flip(directory: string, part: string, at: number): void {
  const file = fileIn(directory, part);
  const content = readFileSync(file);
  content[at] = (content[at] ?? 0) ^ 1;
  writeFileSync(file, content);
}

function fileIn(directory: string, part: string): string {
  const name = readdirSync(directory).find((file) => file.startsWith(part) || file.endsWith(part));
  if (name === undefined) throw new Error(`no ${part} in ${directory}`);
  return join(directory, name);
}
