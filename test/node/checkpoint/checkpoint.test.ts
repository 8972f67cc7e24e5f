/** Checkpoints of a data directory: whole, equal to their source, and refused when something in them is wrong. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { BlockRows } from "../../../node/chain/block-rows.ts";
import { UNKNOWN_SIGNER } from "../../../node/chain/continuity.ts";
import { oldestBody } from "../../../node/chain/kept-blocks.ts";
import { createCheckpoint } from "../../../node/checkpoint/create.ts";
import { MANIFEST_FILE, parseManifest } from "../../../node/checkpoint/manifest.ts";
import { createCheckpointOffline, verifyCheckpoint } from "../../../node/compose/checkpoint-jobs.ts";
import { checkpointSource, openDatabase } from "../../../node/compose/database.ts";
import { readSigner } from "../../../node/consensus/bft/doppelganger.ts";
import { withCommittedSeals } from "../../../node/consensus/seal.ts";
import { encodeHeader, type Header } from "../../../node/model/header.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { openChainStore } from "../../../node/store/chain-store.ts";
import type { Rows } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import { verifyDirectory } from "../../support/offline-jobs.ts";
import { makeWholeDirectory, optionsOf } from "../../support/whole-directory.ts";

const HEAD = 34;
const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();

let scratch = "";
let source = "";
let sound = "";
let copies = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-checkpoint-"));
  source = (await makeWholeDirectory(scratch)).path;
  sound = join(scratch, "checkpoint");
  await createCheckpointOffline(optionsOf(source), { directory: sound, progress, signal });
});
afterAll(() => rm(scratch, { recursive: true }));

async function aCopy(): Promise<string> {
  const path = join(scratch, `copy-${copies++}`);
  await cp(sound, path, { recursive: true });
  return path;
}

const verify = (directory: string, full = false) =>
  verifyCheckpoint(optionsOf(join(scratch, "none")), { directory, progress, signal, full });

test("a checkpoint is a data directory with everything of its source", async () => {
  const { manifest } = await verify(sound);
  expect(manifest.head.number).toBe(HEAD);
  expect(await verifyDirectory(await aCopy())).toEqual(await verifyDirectory(source));
});

test("a verification leaves the checkpoint as it is, and a full one reads everything", async () => {
  const before = await filesOf(sound);
  const { compared } = await verify(sound, true);
  expect(compared).toEqual(await verifyDirectory(source));
  expect(await filesOf(sound)).toEqual(before);
});

async function filesOf(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = names.map(async (name) => [name, (await readFile(name)).toString("base64")] as const);
  return Object.fromEntries(await Promise.all(files));
}

test("the keys of the node, its peers and its pool stay where they are", async () => {
  const names = await readdir(sound, { recursive: true });
  expect(names.filter((name) => /key|nodes|transactions/.test(name))).toEqual([]);
  expect(await readdir(join(source, "knit"))).toContain("nodekey");
});

async function signer(directory: string): Promise<Uint8Array | undefined> {
  await using store = await openChainStore(chain(directory));
  return readSigner(store);
}

describe("the record of what a validator has signed", () => {
  test.each(["signer", "signed"] as const)(
    "counts as incomplete in a checkpoint of a directory that has the row %s",
    async (row) => {
      const work = await aCopy();
      {
        await using store = await openChainStore(chain(work));
        const batch = store.createBatch();
        batch.put(tables.meta.key(row), new Uint8Array(20).fill(7));
        await store.write(batch, { sync: true });
      }
      const before = await signer(work);
      const directory = join(scratch, `of-${row}`);
      await createCheckpointOffline(optionsOf(work), { directory, progress, signal });
      await verify(directory, true);
      expect(await signer(directory)).toEqual(UNKNOWN_SIGNER);
      expect(await signer(work)).toEqual(before);
    },
  );

  test("stays absent in a checkpoint of a node that signs nothing", async () => {
    expect(await signer(await aCopy())).toBeUndefined();
  });
});

test("a directory that is not empty is refused, and an empty one is filled", async () => {
  const again = { directory: sound, progress, signal };
  await expect(createCheckpointOffline(optionsOf(source), again)).rejects.toMatchObject({ code: "exists" });
  const empty = await mkdtemp(join(scratch, "empty-"));
  await createCheckpointOffline(optionsOf(source), { ...again, directory: empty });
  expect((await verify(empty)).manifest.head.number).toBe(HEAD);
});

test("what a killed process has left is removed by the next one", async () => {
  const directory = join(scratch, "after");
  await cp(sound, `${directory}.partial`, { recursive: true });
  await cp(sound, join(optionsOf(source).paths.chainData, "checkpoint.partial"), { recursive: true });
  await createCheckpointOffline(optionsOf(source), { directory, progress, signal });
  await verify(directory);
  expect(await readdir(scratch)).not.toContain("after.partial");
  expect((await readdir(optionsOf(source).paths.chainData)).toSorted()).toEqual(["blocks", "chain", "trie"]);
});

test("what a killed process has left beside the databases is removed when they are opened", async () => {
  const { chainData } = optionsOf(source).paths;
  await mkdir(join(chainData, "checkpoint.partial"));
  await writeFile(join(chainData, "checkpoint.partial.probe"), "");
  await verifyDirectory(source);
  expect((await readdir(chainData)).toSorted()).toEqual(["blocks", "chain", "trie"]);
});

test("an aborted checkpoint leaves nothing", async () => {
  const directory = join(scratch, "aborted");
  const work = createCheckpointOffline(optionsOf(source), {
    directory,
    progress,
    signal: AbortSignal.abort(),
  });
  await expect(work).rejects.toMatchObject({ name: "AbortError" });
  expect((await readdir(scratch)).filter((name) => name.startsWith("aborted"))).toEqual([]);
});

test("a data directory without a chain has no checkpoint", async () => {
  const directory = join(scratch, "nothing");
  const options = optionsOf(join(scratch, "empty-datadir"));
  await expect(createCheckpointOffline(options, { directory, progress, signal })).rejects.toMatchObject({
    code: "failed",
    message: "the data directory holds no chain yet",
  });
});

const chain = (directory: string): string => join(directory, "knit/chaindata/chain");

async function changeManifest(directory: string, change: (text: string) => string): Promise<void> {
  const path = join(directory, MANIFEST_FILE);
  await writeFile(path, change(await readFile(path, "utf8")));
}

describe("refuses", () => {
  test("a directory without a manifest", async () => {
    const copy = await aCopy();
    await rm(join(copy, MANIFEST_FILE));
    await expect(verify(copy)).rejects.toMatchObject({ code: "bad-manifest" });
  });

  test.each([
    ["the newest block", /"number": 34/, '"number": 33', "the newest block is 34, the manifest says 33"],
    ["the genesis", /"genesisHash": "0x../, '"genesisHash": "0xff', "the genesis is 0x"],
    ["the state root", /"stateRoot": "0x../, '"stateRoot": "0xff', "the state root is 0x"],
    ["the chain id", /"chainId": "\d+"/, '"chainId": "7"', "the chain id is 9001, the manifest says 7"],
  ])("a manifest with a false value of %s", async (_name, from, to, message) => {
    const copy = await aCopy();
    await changeManifest(copy, (text) => text.replace(from, to));
    await expect(verify(copy)).rejects.toMatchObject({
      code: "bad-chain",
      message: expect.stringContaining(message) as unknown,
    });
  });

  test("a missing file, and one of another size", async () => {
    const missing = await aCopy();
    const names = (await readdir(chain(missing))).filter((name) => name.endsWith(".ldb"));
    await rm(join(chain(missing), names[0] ?? ""));
    await expect(verify(missing)).rejects.toMatchObject({ code: "bad-file" });
    const longer = await aCopy();
    await writeFile(join(chain(longer), "CURRENT"), "MANIFEST-000001\n\n");
    await expect(verify(longer)).rejects.toMatchObject({ code: "bad-file" });
  });

  test("a flipped bit in every kind of file", async () => {
    const kinds = { table: /\.ldb$/, manifest: /^MANIFEST-/, current: /^CURRENT$/ };
    for (const [kind, pattern] of Object.entries(kinds)) {
      const copy = await aCopy();
      const name = (await readdir(chain(copy))).find((each) => pattern.test(each)) ?? "";
      const bytes = await readFile(join(chain(copy), name));
      const at = Math.floor(bytes.length / 3);
      bytes[at] = (bytes[at] ?? 0) ^ 4;
      await writeFile(join(chain(copy), name), bytes);
      const refusal = await verify(copy, true).then(
        () => `${kind} passed`,
        (error: { code: string }) => error.code,
      );
      expect(["corrupt", "failed"]).toContain(refusal);
    }
  });

  test("a head that its council has not sealed", async () => {
    const copy = await aCopy();
    {
      await using store = await openChainStore(chain(copy));
      const header = new BlockRows(store).header(HEAD)?.header as Header; // the head is there
      const batch = store.createBatch();
      batch.put(tables.header.key(HEAD), encodeHeader(withCommittedSeals(header, [])));
      await store.write(batch, { sync: true });
    }
    await changeManifest(copy, (text) => text.replace(/"files": \[[^]*\]/, '"files": []'));
    await expect(verify(copy)).rejects.toMatchObject({
      code: "bad-chain",
      message: `block ${HEAD} is not sealed by its council: zero committed seals`,
    });
  });
});

test("a copy of a development chain that was edited is refused where its headers are verified", async () => {
  const copy = await aCopy();
  {
    await using store = await openChainStore(chain(copy));
    const batch = store.createBatch();
    batch.put(tables.meta.key("amended"), new Uint8Array(38));
    await store.write(batch, { sync: true });
  }
  await changeManifest(copy, (text) => text.replace(/"files": \[[^]*\]/, '"files": []'));
  const job = { directory: copy, progress, signal, full: false, headers: true };
  await expect(verifyCheckpoint(optionsOf(join(scratch, "none")), job)).rejects.toMatchObject({
    code: "bad-chain",
    message: "a development chain whose states are not those of its headers",
  });
});

test.each([
  ["[]", "the manifest is not an object"],
  ["{", "is not JSON"],
  ['{"format":3}', "format 3 is not known: this release reads 1 and 2"],
  ['{"format":1,"program":"x","chainId":"0x1"}', "chainId is not a decimal number"],
])("the manifest %s is refused", (text, message) => {
  expect(() => parseManifest(text, "m")).toThrow(message);
});

test("a manifest that lists a file that fits into no memory is refused", async () => {
  const manifest = parseManifest(await readFile(join(sound, MANIFEST_FILE), "utf8"), "m");
  const files = [{ path: "knit/chaindata/chain/000005.ldb", size: 2 ** 40 }];
  expect(() => parseManifest(JSON.stringify({ ...manifest, files }), "m")).toThrow("at most 536870912 fit");
});

test.each([
  "../x",
  "knit/chaindata/chain/../../nodekey",
  "/etc/passwd",
  "knit/nodekey",
  "knit/chaindata/chain/LOCK",
])("a manifest that lists %s is refused", async (path) => {
  const manifest = parseManifest(await readFile(join(sound, MANIFEST_FILE), "utf8"), "m");
  const text = JSON.stringify({ ...manifest, files: [{ path, size: 1 }] });
  expect(() => parseManifest(text, "m")).toThrow("is not a path");
});

/** Creates a checkpoint of a directory whose rows a node sees through `see`. */
async function checkpointThrough(directory: string, see: (rows: Rows) => Rows): Promise<void> {
  const options = optionsOf(source);
  await using database = await openDatabase(options, silentLog);
  await database.state.ready;
  const from = checkpointSource(options, database);
  await createCheckpoint({ ...from, rows: see(from.rows) }, { directory, signal });
}

const seeing = (
  rows: Rows,
  wanted: Uint8Array,
  see: (row: Uint8Array | undefined) => Uint8Array | undefined,
): Rows => ({
  get: (key) => (Buffer.compare(key, wanted) === 0 ? see(rows.get(key)) : rows.get(key)),
});

describe("while the databases are cloned", () => {
  test("a chain that is taken back makes it begin again", async () => {
    const directory = join(scratch, "taken-back");
    let looks = 0;
    await checkpointThrough(directory, (rows) =>
      seeing(rows, tables.header.key(HEAD), (row) => (looks++ === 0 ? Uint8Array.of(1) : row)),
    );
    expect(looks).toBe(4);
    await verify(directory, true);
  });

  test("a chain that is taken back each time is given up", async () => {
    let looks = 0;
    const endless = checkpointThrough(join(scratch, "never"), (rows) =>
      seeing(rows, tables.header.key(HEAD), () => Uint8Array.of(looks++)),
    );
    await expect(endless).rejects.toMatchObject({
      code: "failed",
      message: "the state is migrated or the chain taken back again and again: try later",
    });
  });

  test("blocks that are pruned do not count as whole in the checkpoint", async () => {
    const directory = join(scratch, "pruned");
    const oldest = tables.meta.key("bodies");
    await checkpointThrough(directory, (rows) => seeing(rows, oldest, () => fixedBytes(7, 6)));
    await using store = await openChainStore(chain(directory));
    expect(oldestBody(store)).toBe(7);
  });
});
