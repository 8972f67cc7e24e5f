/** Directories and checkpoints of earlier releases, whose directory `chain` holds the rows of blocks, too. */
import { cp, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MANIFEST_FILE, readCheckpointManifest } from "../../../node/checkpoint/manifest.ts";
import { createCheckpointOffline, verifyCheckpoint } from "../../../node/compose/checkpoint-jobs.ts";
import { openDatabase } from "../../../node/compose/database.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { blocksDirectory } from "../../../node/store/chain-store.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { blockTables, tables } from "../../../node/store/tables.ts";
import { verifyDirectory } from "../../support/offline-jobs.ts";
import {
  makeWholeDirectory,
  optionsOf,
  readWholeDirectory,
  type WholeDirectory,
} from "../../support/whole-directory.ts";

const SCHEMA_KEY = tables.meta.key("schema");
const DATABASES = "knit/chaindata";
const job = {
  progress: { update: () => undefined, [Symbol.dispose]: () => undefined },
  signal: new AbortController().signal,
};
let scratch = "";
let sound: WholeDirectory = { path: "", blocks: [] };

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-former-layout-"));
  sound = await makeWholeDirectory(scratch);
});
afterAll(() => rm(scratch, { recursive: true }));

/** Copies a directory, and moves the rows of blocks to where earlier releases had them. */
async function formerCopyOf(source: string, name: string): Promise<string> {
  const copy = join(scratch, name);
  await cp(source, copy, { recursive: true });
  const directory = join(copy, DATABASES, "chain");
  {
    await using chain = await openLevelStore(directory);
    await using blocks = await openLevelStore(blocksDirectory(directory));
    const batch = chain.createBatch();
    for (const table of blockTables)
      for await (const [key, value] of blocks.entries(table.range())) batch.put(key, value);
    batch.put(SCHEMA_KEY, Buffer.from("1"));
    await chain.write(batch, { sync: true });
  }
  await rm(blocksDirectory(directory), { recursive: true });
  return copy;
}

test("a directory is read as before, and no earlier release opens it again", async () => {
  const former = await formerCopyOf(sound.path, "former");
  const read = (path: string) => readWholeDirectory(path, sound.blocks, silentLog);
  expect(await read(former)).toEqual(await read(join(sound.path)));
  await using database = await openDatabase(optionsOf(former), silentLog);
  expect(Buffer.from(database.store.get(SCHEMA_KEY) ?? "").toString()).toBe("2");
});

test("a checkpoint is verified as before", async () => {
  const directory = join(scratch, "checkpoint");
  await createCheckpointOffline(optionsOf(sound.path), { ...job, directory });
  const former = await formerCopyOf(directory, "former-checkpoint");
  const names = await readdir(join(former, DATABASES), { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile() && !/^(LOCK|LOG)/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const listed = files.map(async (path) => ({
    path: path.slice(former.length + 1),
    size: (await stat(path)).size,
  }));
  const manifest = {
    ...(await readCheckpointManifest(directory)),
    format: 1,
    files: await Promise.all(listed),
  };
  await writeFile(join(former, MANIFEST_FILE), JSON.stringify(manifest));
  const options = optionsOf(join(scratch, "none"));
  const { compared } = await verifyCheckpoint(options, { ...job, directory: former, full: true });
  expect(compared).toEqual(await verifyDirectory(sound.path));
  expect(await readdir(join(former, DATABASES))).not.toContain("blocks");
});
