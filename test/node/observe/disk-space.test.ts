/** Tests of the watch over free disk space. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type DiskSpaceOptions, openDiskSpace } from "../../../node/observe/disk-space.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { until } from "../../support/until.ts";

const watching = (sizes: { free: number }): DiskSpaceOptions => ({
  directory: "/data",
  minBytes: 1_000,
  log: silentLog,
  everyMs: 1,
  freeBytes: async () => sizes.free,
});

test("a disk is low below the least, until a quarter more is free; whoever waits for room goes on then", async () => {
  const sizes = { free: 999 };
  using disk = await openDiskSpace(watching(sizes));
  expect([disk.isLow, disk.free]).toEqual([true, 999]);
  let hasRoom = false;
  const waiting = disk.room().then(() => (hasRoom = true));
  sizes.free = 1_249;
  await until(() => disk.free === 1_249);
  expect([disk.isLow, hasRoom]).toEqual([true, false]);
  sizes.free = 1_250;
  await waiting;
  expect(disk.isLow).toBe(false);
  sizes.free = 1_000;
  await until(() => disk.free === 1_000);
  expect(disk.isLow).toBe(false);
  await disk.room();
});

test("the system is asked how much is free; a directory that is not there is an error", async () => {
  const directory = await mkdtemp(join(tmpdir(), "knit-disk-"));
  try {
    using disk = await openDiskSpace({ directory, minBytes: 1, log: silentLog });
    expect(disk.isLow).toBe(false);
    expect(disk.free).toBeGreaterThan(0);
    const missing = join(directory, "missing");
    await expect(openDiskSpace({ directory: missing, minBytes: 1, log: silentLog })).rejects.toMatchObject({
      code: "ENOENT",
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("a file beside the database may grow until a quarter more than the least is free", async () => {
  const sizes = { free: 1_250 };
  const directory = tmpdir();
  using disk = await openDiskSpace({ ...watching(sizes), directory });
  expect(await disk.shortage(directory)).toBeUndefined();
  sizes.free = 1_249;
  expect(await disk.shortage(directory)).toEqual({ free: 1_249, needed: 1_250 });
});
