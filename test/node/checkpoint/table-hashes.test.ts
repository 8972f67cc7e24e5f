/** Hashes of table files that are remembered: a table is read for its hash once, and a changed one is noticed. */
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { directoryStore } from "../../../node/checkpoint/archive.ts";
import { type CheckpointManifest, MANIFEST_FILE } from "../../../node/checkpoint/manifest.ts";
import { readArchived } from "../../../node/checkpoint/pull.ts";
import { type Pushed, pushCheckpoint } from "../../../node/checkpoint/push.ts";
import { checkpointStream } from "../../../node/checkpoint/stream.ts";
import { TableHashes } from "../../../node/checkpoint/table-hashes.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { VALIDATOR_KEY } from "../../support/transfer-chain.ts";

const HASH = `0x${"ab".repeat(32)}`;
const [TABLE, OTHER, LOG] = ["000005.ldb", "000006.ldb", "000007.log"].map(
  (name) => `knit/chaindata/chain/${name}`,
) as [string, string, string];
const { signal } = new AbortController();
const signer = { key: VALIDATOR_KEY, address: addressOfKey(VALIDATOR_KEY) };

let scratch = "";
let checkpoint = "";
let archive = "";
let hashes: TableHashes;
let places = 0;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "kth-"));
});
afterAll(() => rm(scratch, { recursive: true }));

beforeEach(async () => {
  hashes = new TableHashes();
  checkpoint = join(scratch, `checkpoint-${places}`);
  archive = join(scratch, `archive-${places++}`);
  await mkdir(join(checkpoint, "knit/chaindata/chain"), { recursive: true });
  for (const path of [TABLE, OTHER, LOG]) await write(path, `contents of ${path}`, 1);
  await describeFiles([TABLE, OTHER, LOG]);
});

/** Writes a file as though at a time. */
async function write(path: string, text: string, seconds: number): Promise<void> {
  await writeFile(join(checkpoint, path), text);
  await utimes(join(checkpoint, path), seconds, seconds);
}

/** Flips a bit of a file, of which the system knows nothing. */
const rot = (path: string): Promise<void> => write(path, `Contents of ${path}`, 1);

async function describeFiles(paths: readonly string[]): Promise<void> {
  const manifest: CheckpointManifest = {
    format: 1,
    program: "Knit",
    chainId: "7",
    genesisHash: HASH,
    head: { number: 7, hash: HASH, stateRoot: HASH },
    files: paths.map((path) => ({ path, size: `contents of ${path}`.length })),
  };
  await writeFile(join(checkpoint, MANIFEST_FILE), JSON.stringify(manifest));
}

function push(to = archive): Promise<Pushed> {
  const options = { directory: checkpoint, ...signer, hashes, signal, onBytes: () => undefined };
  return pushCheckpoint(directoryStore(to), options);
}

/** The hashes in the manifest of a push. */
async function pushedHashes(): Promise<readonly string[]> {
  const { name } = await push();
  return (await readArchived(directoryStore(archive), name, {}, signal)).files.map(({ sha256 }) => sha256);
}

test("a table that the archive has is not read again: what a disk does to it later changes no checkpoint", async () => {
  const first = await pushedHashes();
  await rot(TABLE);
  expect((await push()).sentFiles).toBe(0);
  expect(await pushedHashes()).toEqual(first);
});

test("a table that the disk has changed is not sent to an archive that lacks it", async () => {
  await push();
  await rot(TABLE);
  await expect(push(`${archive}-other`)).rejects.toMatchObject({
    code: "bad-file",
    message: expect.stringContaining(`the disk has changed ${TABLE}`) as unknown,
  });
});

test.each([
  ["a table that was written again is another one", TABLE, 2],
  ["a log is read each time", LOG, 1],
])("%s", async (_, path, seconds) => {
  await push();
  await write(path, `Contents of ${path}`, seconds);
  expect((await push()).sentFiles).toBe(1);
});

test("a table that a checkpoint does not have is forgotten", async () => {
  await push();
  await describeFiles([OTHER, LOG]);
  await push();
  await describeFiles([TABLE, OTHER, LOG]);
  await rot(TABLE);
  expect((await push()).sentFiles).toBe(1);
});

/** Reads a stream to its end; returns the bytes that were read for their hashes alone. */
async function bytesHashed(): Promise<number> {
  let bytes = 0;
  const pace = async (count: number, work: string): Promise<void> => {
    if (work === "read") bytes += count;
  };
  const stream = checkpointStream({ directory: checkpoint, ...signer, hashes, pace });
  while ((await stream.next()).done !== true);
  return bytes;
}

test("a second stream reads the tables to send them, and no more for their hashes", async () => {
  const sizes = [TABLE, OTHER, LOG].map((path) => `contents of ${path}`.length);
  expect(await bytesHashed()).toBe(sizes.reduce((sum, size) => sum + size));
  expect(await bytesHashed()).toBe(sizes[2]);
});
