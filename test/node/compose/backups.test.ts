/** Backups of a running node: sent, read back, and only so many kept; one at a time. */
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { BackupTarget } from "../../../node/checkpoint/backup-target.ts";
import type { CheckpointManifest } from "../../../node/checkpoint/manifest.ts";
import { TableHashes } from "../../../node/checkpoint/table-hashes.ts";
import { pullFromArchive } from "../../../node/compose/archive-jobs.ts";
import { type Backups, openBackups } from "../../../node/compose/backups.ts";
import { createCheckpointOffline } from "../../../node/compose/checkpoint-jobs.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { loadNodeKey } from "../../../node/p2p/node-key.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { until } from "../../support/rpc-client.ts";
import { openS3Player, S3_KEYS } from "../../support/s3-player.ts";
import { makeWholeDirectory, optionsOf } from "../../support/whole-directory.ts";

const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();

let scratch = "";
let source = "";
let archive = "";
let file = "";
let places = 0;

const place = (): string => join(scratch, `place-${places++}`);

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-node-backups-"));
  source = (await makeWholeDirectory(scratch)).path;
});
afterAll(() => rm(scratch, { recursive: true }));

beforeEach(async () => {
  archive = place();
  file = place();
  await say({});
});

function say(more: Partial<BackupTarget>): Promise<void> {
  return writeFile(file, JSON.stringify({ url: archive, keep: 2, verify: true, ...more }));
}

interface Given {
  readonly head?: number;
  readonly create?: (directory: string) => Promise<CheckpointManifest>;
}

/** Backups of the directory, which say that its newest block has another number. */
async function open({ head, create }: Given = {}): Promise<Backups> {
  const options = optionsOf(source);
  const made = async (directory: string): Promise<CheckpointManifest> => {
    const manifest = await createCheckpointOffline(options, { directory, progress, signal });
    if (head === undefined) return manifest;
    const other = { ...manifest, head: { ...manifest.head, number: head } };
    await writeFile(join(directory, "checkpoint.json"), JSON.stringify(other));
    return other;
  };
  return openBackups({
    options: { paths: options.paths, backupFile: file },
    checkpoints: { create: create ?? made },
    nodeKey: await loadNodeKey(options.paths.nodeKey),
    clock: systemClock,
    hashes: new TableHashes(),
    log: silentLog,
  });
}

async function backUp(backups: Backups): Promise<void> {
  await backups.start();
  await until(() => Promise.resolve(backups.status.isRunning ? undefined : true));
}

const leftovers = async (): Promise<readonly string[]> =>
  (await readdir(optionsOf(source).paths.chainData)).filter((name) => name.startsWith("backup"));

/** Pulls the newest checkpoint of the archive, verified as a whole. */
const pullWhole = () =>
  pullFromArchive(optionsOf(place()), {
    directory: place(),
    from: archive,
    wanted: {},
    full: true,
    progress,
    signal,
    environment: {},
  });

test("a backup is in the archive, was read back, and leaves nothing beside the databases", async () => {
  await using backups = await open();
  expect(backups.status).toMatchObject({ isRunning: false, last: null, err: null });
  await backUp(backups);
  const { last, err } = backups.status;
  expect([err, last]).toEqual([
    null,
    expect.objectContaining({ block: 34, archive, isVerified: true, checkpoint: expect.any(String) }),
  ]);
  expect(await leftovers()).toEqual([]);
  const pulled = await pullWhole();
  expect(pulled.head.number).toBe(34);
});

test("only so many checkpoints stay, with the files that they need", async () => {
  for (const head of [10, 11, 12, 13]) {
    await using backups = await open({ head });
    await backUp(backups);
    const files = await readdir(join(archive, "files"));
    // As though they had been written long ago: young files stay for whoever sends a checkpoint at the time.
    for (const name of files) await utimes(join(archive, "files", name), 1, 1);
    expect(backups.status.err).toBeNull();
  }
  const names = await readdir(join(archive, "checkpoints"));
  expect(names.map((name) => Number(name.split("-")[0])).toSorted((a, b) => a - b)).toEqual([12, 13]);
  const before = (await readdir(join(archive, "files"))).length;
  await writeFile(join(archive, "files", "0".repeat(64)), "young");
  const drafts = ["young", "old"].map((age) => `${"2".repeat(64)}.${age}.partial`); // of senders that were killed
  for (const name of ["1".repeat(64), ...drafts]) await writeFile(join(archive, "files", name), "left");
  for (const name of ["1".repeat(64), drafts[1] ?? ""]) await utimes(join(archive, "files", name), 1, 1);
  await using backups = await open({ head: 14 });
  await backUp(backups);
  const files = await readdir(join(archive, "files"));
  expect(files).toContain("0".repeat(64));
  expect(files).not.toContain("1".repeat(64));
  expect(files.filter((name) => name.endsWith(".partial"))).toEqual([drafts[0]]);
  expect(files.length).toBeLessThan(2 * before);
});

const heads = async (): Promise<readonly number[]> => {
  const names = await readdir(join(archive, "checkpoints"));
  return names.map((name) => Number(name.split("-")[0])).toSorted((a, b) => a - b);
};

/** Sends backups of these heads, each manifest a minute after the one before, in the past. */
async function backUpHeads(...numbers: readonly number[]): Promise<void> {
  for (const [i, head] of numbers.entries()) {
    await using backups = await open({ head });
    await backUp(backups);
    expect(backups.status).toMatchObject({ err: null, last: { block: head } });
    const name = (await readdir(join(archive, "checkpoints"))).find(
      (each) => Number(each.split("-")[0]) === head,
    );
    await utimes(join(archive, "checkpoints", name ?? ""), 60 * (i + 1), 60 * (i + 1));
  }
}

test("a backup after a rewind stays, and the checkpoints that were written before it go first", async () => {
  await backUpHeads(12, 13, 5);
  expect(await heads()).toEqual([5, 13]);
  await backUpHeads(6);
  expect(await heads()).toHaveLength(2);
  expect(await heads()).toContain(6);
});

test("a backup stays in an archive whose clock is ahead", async () => {
  await say({ keep: 1 });
  await backUpHeads(13);
  const [name = ""] = await readdir(join(archive, "checkpoints"));
  await utimes(join(archive, "checkpoints", name), 1e10, 1e10);
  await backUpHeads(5);
  expect(await heads()).toEqual([5]);
});

test("no file is deleted while a manifest cannot be read", async () => {
  await mkdir(join(archive, "checkpoints"), { recursive: true });
  await mkdir(join(archive, "files"));
  await writeFile(join(archive, "checkpoints", "000000000099-x.json"), "{}");
  await writeFile(join(archive, "files", "1".repeat(64)), "old");
  await utimes(join(archive, "files", "1".repeat(64)), 1, 1);
  await using backups = await open();
  await backUp(backups);
  expect(backups.status.err).toBeNull();
  expect(await readdir(join(archive, "files"))).toContain("1".repeat(64));
});

test("files that have other bytes in the archive are sent again when they are read back", async () => {
  await using first = await open();
  await backUp(first);
  for (const name of await readdir(join(archive, "files"))) {
    const path = join(archive, "files", name);
    await writeFile(path, Buffer.alloc((await stat(path)).size)); // of the right size, so a push goes by it
  }
  await using second = await open();
  await backUp(second);
  expect(second.status).toMatchObject({ err: null, last: { isVerified: true } });
  await pullWhole();
});

test("a second start is refused, and a stop ends the backup", async () => {
  const options = optionsOf(source);
  await using backups = await openBackups({
    options: { paths: options.paths, backupFile: file },
    checkpoints: { create: (_directory, ended) => rejection(ended) },
    nodeKey: await loadNodeKey(options.paths.nodeKey),
    hashes: new TableHashes(),
    clock: systemClock,
    log: silentLog,
  });
  expect(backups.stop()).toBe(false);
  await backups.start();
  await expect(backups.start()).rejects.toMatchObject({ code: "busy" });
  expect(backups.status).toMatchObject({ isRunning: true, step: "creating" });
  expect(backups.stop()).toBe(true);
  await until(() => Promise.resolve(backups.status.isRunning ? undefined : true));
  expect(backups.status.err).toBe("the backup was stopped");
});

/** Rejects when it is told to end. */
function rejection(ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    ended.addEventListener("abort", () => reject(new Error("ended")));
  });
}

describe("what is wrong is said:", () => {
  test.each([
    ["not json", "cannot read"],
    ["[]", "url is not a text"],
    ['{"url":"","keep":1}', "url is not a text"],
    ['{"url":"x","keep":0}', "keep is not a number from 1 to 1000"],
    ['{"url":"x","keep":1,"verify":"yes"}', "verify is neither true nor false"],
    ['{"url":"x","keep":1,"credentials":5}', "credentials is not a text"],
  ])("%s", async (text, words) => {
    await writeFile(file, text);
    await using backups = await open();
    await expect(backups.start()).rejects.toMatchObject({
      code: "no-target",
      message: expect.stringContaining(words) as unknown,
    });
  });

  test("no file", async () => {
    await rm(file);
    await using backups = await open();
    await expect(backups.start()).rejects.toMatchObject({ code: "no-target" });
  });

  test("keys of the store that are missing or wrong, without a value of them", async () => {
    await using player = await openS3Player();
    const credentials = place();
    await mkdir(credentials);
    await say({ url: "s3://bucket/demo", credentials });
    await using backups = await open();
    await backUp(backups);
    expect(backups.status.err).toMatch(/needs AWS_ACCESS_KEY_ID/);
    const keys = {
      AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: `${S3_KEYS.secretAccessKey}\n`,
      AWS_ENDPOINT_URL_S3: player.endpoint,
      other: "left alone",
    };
    for (const [name, value] of Object.entries(keys)) await writeFile(join(credentials, name), value);
    await backUp(backups);
    expect(backups.status).toMatchObject({ err: null, last: { archive: "s3://bucket/demo" } });
    expect([...player.objects.keys()].some((key) => key.startsWith("demo/checkpoints/"))).toBe(true);
    await rm(credentials, { recursive: true });
    await backUp(backups);
    expect(backups.status.err).toMatch(/cannot read the keys of the archive/);
  });
});

test("a checkpoint that a killed process has left is deleted", async () => {
  for (const name of ["backup.partial", "backup.partial.partial"])
    await mkdir(join(optionsOf(source).paths.chainData, name));
  await using backups = await open();
  expect(backups.status.isRunning).toBe(false);
  expect(await leftovers()).toEqual([]);
});
