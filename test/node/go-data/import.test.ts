/** The data directory of a Go node becomes one of ours that differs in nothing from one that has executed the blocks. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Hash } from "../../../node/bytes/brands.ts";
import { type GoImportJob, importGoDatadir } from "../../../node/compose/go-jobs.ts";
import type { GoImported } from "../../../node/go-data/import.ts";
import {
  bodyKey,
  canonicalKey,
  directoryKey,
  HEAD_BLOCK,
  headerKey,
  preimageKey,
  receiptsKey,
} from "../../../node/go-data/keys.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { tables } from "../../../node/store/tables.ts";
import { type GoShape, importedRows, makeGoDirectory } from "../../support/go-directory.ts";
import { importAll, initFrom, oldestWhole, verifyDirectory } from "../../support/offline-jobs.ts";
import { options } from "../../support/options.ts";
import { optionsOf } from "../../support/whole-directory.ts";

const CHAIN = "test/vectors/chains/fork-ladder";
const PLAIN: GoShape = { shards: 4, isCounted: false, isSingle: false, stateName: "statetrie" };

let scratch = "";
let replayed = "";
let plain = "";
let head = 0;
let count = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-go-data-"));
  replayed = join(scratch, "replayed");
  await initFrom(replayed, join(CHAIN, "genesis.json"));
  head = await importAll(replayed, join(CHAIN, "chain.rlp.gz"));
  plain = await aGoDirectory(PLAIN);
}, 60_000);
afterAll(() => rm(scratch, { recursive: true }));

async function aGoDirectory(shape: GoShape): Promise<string> {
  const path = join(scratch, `go-${count++}`);
  await makeGoDirectory(replayed, path, shape);
  return path;
}

interface Choices {
  readonly head?: number;
  readonly from?: number;
  readonly signal?: AbortSignal;
  readonly batchBytes?: number;
  readonly threads?: number;
  readonly onState?: () => void;
  readonly onBlocks?: () => void;
}

function importInto(datadir: string, source: string, choices: Choices = {}): Promise<GoImported> {
  return importGoDatadir(optionsOf(datadir), { ...jobFrom(source), ...choices });
}

function jobFrom(source: string): GoImportJob {
  return {
    source,
    head: undefined,
    from: undefined,
    signal: new AbortController().signal,
    onBlocks: () => undefined,
    onState: () => undefined,
    threads: 0, // loading the sources in a thread takes longer than these imports
  };
}

function aDatadir(): string {
  return join(scratch, `ours-${count++}`);
}

test.each<[string, Partial<GoShape>, number]>([
  ["in shards", {}, 2],
  [
    "in one directory of another name, as a migration leaves it",
    { shards: 1, stateName: "statetrie_migrated_7" },
    0,
  ],
  ["with the counters of live pruning", { isCounted: true }, 0],
  ["in one database", { isSingle: true }, 2],
])(
  "a state trie %s is imported as if its blocks had been executed",
  async (_, shape, threads) => {
    const source = await aGoDirectory({ ...PLAIN, ...shape });
    const datadir = aDatadir();
    const imported = await importInto(datadir, source, { threads });
    expect(imported.head.header.number).toBe(head);
    const compared = await verifyDirectory(datadir);
    expect(compared).toEqual({ ...(await verifyDirectory(replayed)), changes: 0 });
    expect(imported).toMatchObject({ accounts: compared.accounts, slots: compared.slots });
    expect(await importedRows(datadir)).toEqual(await importedRows(replayed));
    expect(await readdir(optionsOf(datadir).paths.instance)).toEqual(["chaindata"]);
  },
  60_000,
);

/** Calls to an interruption: the parts of the state alone make more than two hundred. */
const CALLS = process.env["KNIT_ALL_CASES"] === "1" ? 30 : 60;

test("preimages are left out where they are not wanted", async () => {
  const datadir = aDatadir();
  const { options: bare } = options({ line: { datadir, "state.preimages": "false" } });
  await importGoDatadir(bare, jobFrom(plain));
  await using chain = await openLevelStore(join(bare.paths.chainData, "chain"));
  for await (const [key] of chain.entries({ ...tables.preimage.range(), limit: 1 }))
    throw new Error(`a preimage is there: ${hex(key)}`);
  expect(chain.get(tables.account.key(await anAccount()))).toBeDefined();
}, 60_000);

test("an import goes on wherever it was interrupted", async () => {
  const datadir = aDatadir();
  let stops = 0;
  for (let isDone = false; !isDone; ) {
    const stop = new AbortController();
    let calls = 0;
    const lastCall = stops < 4 ? 2 : CALLS;
    const onCall = (): void => void (++calls === lastCall && stop.abort());
    const threads = stops === 1 || stops === 5 ? 2 : 0; // among the blocks, and in the state
    const job = { batchBytes: 16_000, threads, signal: stop.signal, onBlocks: onCall, onState: onCall };
    isDone = await importInto(datadir, plain, job).then(
      () => true,
      (error: Error) => {
        expect(error.name).toBe("AbortError");
        return false;
      },
    );
    stops++;
  }
  expect(stops).toBeGreaterThan(5);
  expect(await importedRows(datadir)).toEqual(await importedRows(replayed));
  expect((await verifyDirectory(datadir)).head).toBe(head);
}, 120_000);

test("bodies from a block on make a node with pruned history, an earlier block one with that state", async () => {
  const pruned = aDatadir();
  await importInto(pruned, plain, { from: head - 5 });
  expect(await oldestWhole(pruned)).toBe(head - 5);
  expect(await verifyDirectory(pruned)).toMatchObject({ head });
  const missing = importInto(aDatadir(), plain, { head: head + 1 });
  await expect(missing).rejects.toMatchObject({ code: "missing" });
  const early = importInto(aDatadir(), plain, { head: head - 1 });
  await expect(early).rejects.toThrow(`the state of block ${head - 1} is not stored`);
}, 60_000);

test("an import of other bodies begins anew", async () => {
  const datadir = aDatadir();
  const stop = new AbortController();
  const job = { from: 3, batchBytes: 6_000, signal: stop.signal, onBlocks: () => stop.abort() };
  await expect(importInto(datadir, plain, job)).rejects.toThrow("aborted");
  await importInto(datadir, plain);
  expect(await importedRows(datadir)).toEqual(await importedRows(replayed));
}, 60_000);

test("an import whose databases have lost rows begins anew", async () => {
  const datadir = aDatadir();
  const stop = new AbortController();
  let parts = 0;
  const onState = (): void => void (++parts === 200 && stop.abort());
  await expect(importInto(datadir, plain, { signal: stop.signal, onState })).rejects.toThrow("aborted");
  const chain = join(`${optionsOf(datadir).paths.chainData}.import-go`, "databases", "chain");
  const [log = ""] = (await readdir(chain)).filter((name) => name.endsWith(".log"));
  const rows = await readFile(join(chain, log));
  const account = rows.indexOf(await firstAccountKey(replayed));
  rows[account] = (rows[account] ?? 0) ^ 1;
  await writeFile(join(chain, log), rows);
  await importInto(datadir, plain);
  expect(await importedRows(datadir)).toEqual(await importedRows(replayed));
}, 60_000);

test("an import whose progress an earlier release has written begins anew", async () => {
  const datadir = aDatadir();
  const stop = new AbortController();
  const job = { batchBytes: 6_000, signal: stop.signal, onState: () => stop.abort() };
  await expect(importInto(datadir, plain, job)).rejects.toThrow("aborted");
  const draft = join(`${optionsOf(datadir).paths.chainData}.import-go`, "databases", "chain");
  await putRow(draft, tables.meta.key("goImport"), Buffer.from('{"nextBlock":3,"incarnations":1}'), true);
  await putRow(draft, tables.slot.key(new Uint8Array(32), 9, new Uint8Array(32)), Uint8Array.of(1), true);
  await importInto(datadir, plain);
  expect(await verifyDirectory(datadir)).toEqual({ ...(await verifyDirectory(replayed)), changes: 0 });
}, 60_000);

/** The key of the first account of a data directory. */
async function firstAccountKey(datadir: string): Promise<Uint8Array> {
  await using chain = await openLevelStore(join(optionsOf(datadir).paths.chainData, "chain"));
  for await (const [key] of chain.entries(tables.account.range())) return key;
  throw new Error("no account");
}

async function putRow(
  directory: string,
  key: Uint8Array,
  value: Uint8Array,
  checksums = false,
): Promise<void> {
  await using store = await openLevelStore(directory, { checksums });
  const batch = store.createBatch();
  batch.put(key, value);
  await store.write(batch, { sync: false });
}

test("a data directory with a chain is left as it is, without what a killed import left beside it", async () => {
  const draft = `${optionsOf(replayed).paths.chainData}.import-go`;
  await mkdir(join(draft, "links"), { recursive: true });
  await expect(importInto(replayed, plain)).rejects.toMatchObject({ code: "exists" });
  expect(await readdir(optionsOf(replayed).paths.instance)).toEqual(["chaindata"]);
});

test("a second import into a data directory is refused while the first one runs, and changes nothing there", async () => {
  const datadir = aDatadir();
  const links = join(`${optionsOf(datadir).paths.chainData}.import-go`, "links", "misc", "CURRENT");
  const inode = async (): Promise<number> => (await stat(links)).ino;
  const beside = async (): Promise<void> => {
    const before = await inode();
    await expect(importInto(datadir, plain)).rejects.toMatchObject({ code: "exists" });
    expect(await inode()).toBe(before);
  };
  let second: Promise<void> | undefined;
  const onBlocks = (): void => {
    second ??= beside();
    second.catch(() => undefined); // awaited below
  };
  await importInto(datadir, plain, { onBlocks });
  await second;
});

test("a chain that is created in the target during an import is left as it is", async () => {
  const datadir = aDatadir();
  const { chainData } = optionsOf(datadir).paths;
  await mkdir(join(chainData, "chain"), { recursive: true });
  await writeFile(join(chainData, "chain", "LOG"), ""); // of a first start that was killed
  const onState = (): void => {
    mkdirSync(join(chainData, "chain"), { recursive: true });
    writeFileSync(join(chainData, "chain", "CURRENT"), "of another process");
  };
  await expect(importInto(datadir, plain, { onState })).rejects.toMatchObject({ code: "exists" });
  expect(await readFile(join(chainData, "chain", "CURRENT"), "utf8")).toBe("of another process");
  expect(await readdir(join(chainData, "chain"))).toEqual(["CURRENT"]);
  await rename(chainData, `${chainData}-away`);
  await importInto(datadir, plain);
  expect((await verifyDirectory(datadir)).head).toBe(head);
}, 60_000);

test("the directory of the Go node is read alone", async () => {
  const source = await aGoDirectory(PLAIN);
  const before = await filesOf(source);
  await importInto(aDatadir(), source);
  expect(await filesOf(source)).toEqual(before);
}, 60_000);

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

async function filesOf(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[path] = `${(await stat(path)).mtimeMs} ${hex(await readFile(path))}`;
    else files[path] = "directory";
  }
  return files;
}

test.each<[string, string, (key: Uint8Array) => Promise<Uint8Array> | Uint8Array, RegExp]>([
  ["a header", "header", async () => headerKey(5, await hashOf(5)), /block 5: its header/],
  ["a body", "body", async () => bodyKey(head, await hashOf(head)), /its body/],
  ["receipts", "receipts", async () => receiptsKey(head, await hashOf(head)), /its receipts/],
  ["the name of a block", "header", () => canonicalKey(7), /block 7: its header is not in/],
  ["a preimage", "statetrie/3", async () => preimageKey(await anAccount()), /the preimage of key/],
  [
    "a trie node",
    "statetrie/0",
    (key) => key,
    /node .*of the state|the storage of account|the code of account/,
  ],
])(
  "%s with a flipped bit is refused, and nothing is left but what can go on",
  async (_, kind, keyOf, said) => {
    const source = join(scratch, `damaged-${count++}`);
    await cp(plain, source, { recursive: true });
    await flip(join(source, "klay", "chaindata", kind), keyOf);
    const datadir = aDatadir();
    const threads = kind.startsWith("statetrie") ? 1 : 0;
    await expect(importInto(datadir, source, { threads })).rejects.toThrow(said);
    expect(await readdir(optionsOf(datadir).paths.instance)).toEqual(["chaindata.import-go"]);
  },
  60_000,
);

async function hashOf(number: number): Promise<Uint8Array> {
  await using chain = await openLevelStore(join(optionsOf(replayed).paths.chainData, "chain"));
  for await (const [key, row] of chain.entries(tables.blockNumber.range()))
    if (Buffer.from(row).readUIntBE(0, 6) === number) return key.subarray(1);
  throw new Error(`no block ${number}`);
}

/** Returns the hash of the address of the first account. */
async function anAccount(): Promise<Hash> {
  await using chain = await openLevelStore(join(optionsOf(replayed).paths.chainData, "chain"));
  for await (const [key] of chain.entries(tables.account.range())) return Uint8Array.from(key.subarray(1));
  throw new Error("no account");
}

/** Flips a bit in the middle of the value under a key, or of the first value that is a node. */
async function flip(
  directory: string,
  keyOf: (key: Uint8Array) => Promise<Uint8Array> | Uint8Array,
): Promise<void> {
  await using store = await openLevelStore(directory, { checksums: false });
  let first = new Uint8Array(0);
  for await (const [key] of store.entries({ from: Uint8Array.of(0), to: Uint8Array.of(255), limit: 1 }))
    first = Uint8Array.from(key);
  const key = await keyOf(first);
  const value = Uint8Array.from(store.get(key) ?? []);
  expect(value.length).toBeGreaterThan(0);
  value[value.length >> 1] = (value[value.length >> 1] ?? 0) ^ 4;
  const batch = store.createBatch();
  batch.put(key, value);
  await store.write(batch, { sync: false });
}

test("a directory that a process has locked is refused, and one with a listening node", async () => {
  const lock = join(plain, "klay", "LOCK");
  const holder = spawn("flock", [lock, "cat"], { stdio: ["pipe", "ignore", "ignore"] });
  const { ino } = await stat(lock);
  while (!(await readFile("/proc/locks", "utf8")).includes(`:${ino} `)) expect(holder.exitCode).toBeNull();
  await expect(importInto(aDatadir(), plain)).rejects.toMatchObject({ code: "in-use" });
  holder.stdin.end();
  await once(holder, "exit");
  const server = createServer().listen(join(plain, "klay.ipc"));
  await once(server, "listening");
  await expect(importInto(aDatadir(), plain)).rejects.toMatchObject({ code: "in-use" });
  server.close();
});

test("a directory that is written to during the import is refused at its end", async () => {
  const source = await aGoDirectory(PLAIN);
  const onBlocks = (): void =>
    appendFileSync(join(source, "klay", "chaindata", "header", currentLog(source)), "x");
  const datadir = aDatadir();
  await expect(importInto(datadir, source, { onBlocks })).rejects.toMatchObject({ code: "in-use" });
  await importInto(datadir, source);
  expect((await verifyDirectory(datadir)).head).toBe(head);
}, 60_000);

function currentLog(source: string): string {
  const [name = ""] = readdirSync(join(source, "klay", "chaindata", "header")).filter((each) =>
    each.endsWith(".log"),
  );
  return name;
}

test.each([
  ["RocksDB", "IDENTITY"],
  ["BadgerDB", "000001.vlog"],
  ["PebbleDB", "OPTIONS-000003"],
])("%s is refused by its name", async (name, file) => {
  const source = join(scratch, name);
  await mkdir(join(source, "klay", "chaindata", "misc"), { recursive: true });
  await writeFile(join(source, "klay", "chaindata", "misc", file), "");
  const refused = importInto(aDatadir(), source);
  await expect(refused).rejects.toMatchObject({ code: "engine", message: expect.stringContaining(name) });
});

test("a directory whose CURRENT names a file elsewhere is refused, and that file stays as it is", async () => {
  const source = join(scratch, "foreign-manifest");
  await cp(plain, source, { recursive: true });
  const key = join(scratch, "nodekey-of-another");
  await writeFile(key, "ab".repeat(32));
  const misc = join(source, "klay", "chaindata", "misc");
  const refusal = { code: "failed", message: expect.stringContaining("CURRENT does not name") as unknown };
  for (const text of [relative(misc, key), `${"../".repeat(30)}${key}`]) {
    await writeFile(join(misc, "CURRENT"), `${text}\n`);
    await expect(importInto(aDatadir(), source)).rejects.toMatchObject(refusal);
  }
  expect(await readFile(key, "utf8")).toBe("ab".repeat(32));
});

test("what is no data directory of a Go node is refused", async () => {
  await expect(importInto(aDatadir(), scratch)).rejects.toMatchObject({ code: "no-data" });
  const foreign = join(scratch, "foreign-state");
  await cp(plain, foreign, { recursive: true });
  await putRow(join(foreign, "klay", "chaindata", "misc"), directoryKey(4), Buffer.from("../elsewhere"));
  await expect(importInto(aDatadir(), foreign)).rejects.toMatchObject({ code: "damaged" });
  const headless = join(scratch, "headless");
  await cp(plain, headless, { recursive: true });
  const header = await openLevelStore(join(headless, "klay", "chaindata", "header"), { checksums: false });
  const deletion = header.createBatch();
  deletion.delete(HEAD_BLOCK);
  await header.write(deletion, { sync: false });
  await header[Symbol.asyncDispose]();
  await expect(importInto(aDatadir(), headless)).rejects.toMatchObject({ code: "no-data" });
});
