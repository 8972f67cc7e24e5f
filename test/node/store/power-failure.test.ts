/**
 * Directories as a power failure would leave them: right after a synced write, with of each file of the write-ahead log
 * only the bytes that were synced. Everything written until then must be there.
 */

import {
  copyFileSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { openLevelStore, openLevelWriter } from "../../../node/store/level-store.ts";
import type { WriterBatch } from "../../../node/store/store.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const ROUNDS = 50;
const TIMEOUT_MS = 120_000;
/** Small, so that the engine begins a new file every few batches. */
const BUFFER_BYTES = 128 * 1024;
const MAX_UNSYNCED_BATCHES = 6;
const MAX_VALUE_BYTES = 50_000;
const COMPACTED_SHARE = 0.2;

const parent = mkdtempSync(join(tmpdir(), "knit-power-failure-"));
afterAll(() => rmSync(parent, { recursive: true }));
const [random, directory, image] = [seededRandom(7), join(parent, "store"), join(parent, "image")];
/** Bytes of the files of the log that were synced, by name. */
const synced = new Map<string, number>();

/** Notes each sync of a file by this process; the engine's own are those of its newest file. */
async function noteSyncs(): Promise<void> {
  await using some = await open(parent, "r");
  const prototype = Object.getPrototypeOf(some) as FileHandle;
  const datasync = Object.getOwnPropertyDescriptor(prototype, "datasync")?.value as FileHandle["datasync"];
  prototype.datasync = async function noted(this: FileHandle) {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    const { size } = fstatSync(this.fd);
    await datasync.call(this);
    synced.set(basename(path), size);
  };
}

/** Size and name of the newest file of the log that holds rows: a compaction may have begun another. */
function newestLog(): readonly [size: number, name: string] {
  const names = readdirSync(directory).filter((name) => name.endsWith(".log"));
  const sizeOf = (name: string): number =>
    statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  const sizes = names.sort().map((name) => [sizeOf(name), name] as const);
  return sizes.findLast(([size]) => size > 0) ?? [0, ""];
}

/** False when the engine has changed the files meanwhile. */
function takeImage(): boolean {
  rmSync(image, { recursive: true, force: true });
  mkdirSync(image);
  const names = readdirSync(directory);
  try {
    for (const name of names) copyFileSync(join(directory, name), join(image, name));
  } catch {
    return false; // one was removed
  }
  for (const name of names.filter((each) => each.endsWith(".log")))
    truncateSync(join(image, name), synced.get(name) ?? 0);
  return names.join() === readdirSync(directory).join();
}

const isLinux = process.platform === "linux";
const [linuxTest, reason] = isLinux
  ? [test, ""]
  : [test.skip, " (skipped: the files of a process are listed on Linux)"];

linuxTest.each([
  ["", false],
  [" that another thread may have written", true],
] as const)(
  `no row%s is missing before a synced one after a power failure${reason}`,
  async (_writer, hasWriters) => {
    await noteSyncs();
    const options = { writeBufferBytes: BUFFER_BYTES, hasWriters };
    rmSync(directory, { recursive: true, force: true });
    await using store = await openLevelStore(directory, options);
    await using writer = hasWriters ? await openLevelWriter(directory, options) : undefined;
    let rows = 0;
    let images = 0;
    const addRow = (batch: WriterBatch): void =>
      batch.put(fixedBytes(rows++, 4), randomBytes(random, Math.floor(random() * MAX_VALUE_BYTES)));
    const write = async (sync: boolean): Promise<void> => {
      const batch = store.createBatch();
      addRow(batch);
      await store.write(batch, { sync });
    };
    const writeUnsynced = async (): Promise<void> => {
      if (writer === undefined) return await write(false);
      const batch = writer.createBatch();
      addRow(batch);
      await writer.write(batch);
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (let left = Math.floor(random() * MAX_UNSYNCED_BATCHES); left > 0; left--) await writeUnsynced();
      const compaction = random() < COMPACTED_SHARE ? store.compact() : undefined;
      await write(true);
      const [size, newest] = newestLog();
      synced.set(newest, size);
      const hasImage = takeImage();
      await compaction;
      if (!hasImage) continue;
      images++;
      await using survivor = await openLevelStore(image, { writeBufferBytes: BUFFER_BYTES });
      const missing = Array.from({ length: rows }, (_, row) => row).filter(
        (row) => survivor.get(fixedBytes(row, 4)) === undefined,
      );
      expect({ round, missing }).toEqual({ round, missing: [] });
    }
    expect(images).toBeGreaterThan(ROUNDS / 4);
  },
  TIMEOUT_MS,
);
