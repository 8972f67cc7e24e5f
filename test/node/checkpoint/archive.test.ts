/** Archives of checkpoints: only what is missing is sent, and what is wrong is refused by its name and leaves nothing. */
import { existsSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import {
  cp,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { BlockRows } from "../../../node/chain/block-rows.ts";
import { readCheckpointManifest } from "../../../node/checkpoint/manifest.ts";
import {
  listArchive,
  type PullJob,
  pullFromArchive,
  pushToArchive,
  streamOfCheckpoint,
} from "../../../node/compose/archive-jobs.ts";
import { bootstrap } from "../../../node/compose/bootstrap.ts";
import { createCheckpointOffline } from "../../../node/compose/checkpoint-jobs.ts";
import { withCommittedSeals } from "../../../node/consensus/seal.ts";
import { encodeHeader, type Header } from "../../../node/model/header.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { loadNodeKey } from "../../../node/p2p/node-key.ts";
import { encodeFlat, recordOf } from "../../../node/state/flat/flat-rows.ts";
import { openChainStore } from "../../../node/store/chain-store.ts";
import { tables } from "../../../node/store/tables.ts";
import { verifyDirectory } from "../../support/offline-jobs.ts";
import { makeWholeDirectory, optionsOf } from "../../support/whole-directory.ts";

const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();
const job = { progress, signal, environment: {} };

let scratch = "";
let source = "";
let checkpoint = "";
let archive = "";
let genesisHash = "";
let creator = "";
let places = 0;

const place = (): string => join(scratch, `place-${places++}`);

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-archive-"));
  source = (await makeWholeDirectory(scratch)).path;
  checkpoint = join(scratch, "checkpoint");
  await createCheckpointOffline(optionsOf(source), { directory: checkpoint, progress, signal });
  archive = join(scratch, "archive");
  const pushed = await pushToArchive(optionsOf(source), { ...job, directory: checkpoint, url: archive });
  expect(pushed.sentFiles).toBe(pushed.files);
  ({ genesisHash } = await readCheckpointManifest(checkpoint));
  creator = `0x${bareHex((await loadNodeKey(optionsOf(source).paths.nodeKey)).address)}`;
});
afterAll(() => rm(scratch, { recursive: true }));

function pull(from: PullJob["from"], directory: string, more: Partial<PullJob> = {}) {
  const options = optionsOf(join(scratch, "none"));
  return pullFromArchive(options, { ...job, from, directory, wanted: {}, full: false, ...more });
}

async function expectNothing(directory: string): Promise<void> {
  const name = directory.slice(scratch.length + 1);
  expect((await readdir(scratch)).filter((each) => each.startsWith(name))).toEqual([]);
}

async function anArchive(): Promise<string> {
  const path = place();
  await cp(archive, path, { recursive: true });
  return path;
}

const manifestPath = async (path: string): Promise<string> =>
  join(path, "checkpoints", (await readdir(join(path, "checkpoints")))[0] ?? "");

test("a pulled checkpoint is the one that was pushed", async () => {
  const directory = place();
  const manifest = await pull(archive, directory, {
    wanted: { genesisHash, chainId: "9001", creator },
    full: true,
  });
  expect(manifest.head.number).toBe(34);
  expect(await verifyDirectory(directory)).toEqual(await verifyDirectory(source));
});

test("a second push sends what is new alone", async () => {
  const url = await anArchive();
  const again = await pushToArchive(optionsOf(source), { ...job, directory: checkpoint, url });
  expect(again).toMatchObject({ sentFiles: 0, sentBytes: 0 });
  const later = place();
  await createCheckpointOffline(optionsOf(source), { directory: later, progress, signal });
  const second = await pushToArchive(optionsOf(source), { ...job, directory: later, url });
  expect(second.sentBytes).toBeLessThan(second.bytes);
});

test("a list names checkpoints, and what is wrong with one", async () => {
  const path = await anArchive();
  await writeFile(join(path, "checkpoints", "000000000099-x.json"), "{}");
  const listed = await listArchive(path, job);
  expect(listed[0]).toMatchObject({ fault: expect.stringContaining("format undefined") as unknown });
  expect(listed[1]).toMatchObject({ manifest: { head: { number: 34 }, creator } });
  const empty = place();
  await mkdir(empty);
  expect(await listArchive(empty, job)).toEqual([]);
});

test("a list of a directory that is not there is refused", async () => {
  const absent = place();
  const refusal = { code: "failed", message: `${absent} is not there` };
  await expect(listArchive(absent, job)).rejects.toMatchObject(refusal);
});

const isOf = (directory: string) => (path: string) => path.startsWith(`${directory}/`);

test("files of an archive and their names are synced before its manifest has its name, and that at the end", async () => {
  await using probe = await open(scratch);
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  const synced: string[] = [];
  const { sync } = handles;
  handles.sync = function (this: FileHandle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    return sync.call(this);
  };
  const url = join(place(), "new", "archive");
  try {
    await pushToArchive(optionsOf(source), { ...job, directory: checkpoint, url });
  } finally {
    handles.sync = sync;
  }
  const [files, manifests] = [join(url, "files"), join(url, "checkpoints")];
  const atManifest = synced.findIndex(isOf(manifests));
  expect(atManifest).toBeGreaterThan(synced.findLastIndex(isOf(files)));
  expect(synced.lastIndexOf(files)).toBeGreaterThan(synced.findLastIndex(isOf(files)));
  expect(synced.lastIndexOf(files)).toBeLessThan(atManifest);
  expect(synced.at(-1)).toBe(manifests);
  for (const created of [dirname(dirname(url)), dirname(url), url])
    expect(synced).toContain(dirname(created));
  expect(synced.indexOf(url)).toBeLessThan(atManifest); // the name of `files`
});

test("a stream is read as it was written", async () => {
  const directory = place();
  await pull(await streamOfCheckpoint(optionsOf(source), checkpoint), directory, { wanted: { creator } });
  expect((await verifyDirectory(directory)).head).toBe(34);
});

/** An archive of a changed chain database that its creator has signed. */
async function anArchiveOf(
  change: (header: (number: number) => Header) => readonly Header[],
): Promise<string> {
  const [directory, url, work] = [place(), place(), place()];
  await cp(source, work, { recursive: true });
  {
    await using store = await openChainStore(join(work, "knit/chaindata/chain"));
    const rows = new BlockRows(store);
    const batch = store.createBatch();
    const header = (number: number): Header => rows.header(number)?.header as Header; // the chain has it
    for (const changed of change(header)) batch.put(tables.header.key(changed.number), encodeHeader(changed));
    await store.write(batch, { sync: true });
  }
  await createCheckpointOffline(optionsOf(work), { directory, progress, signal });
  await pushToArchive(optionsOf(work), { ...job, directory, url });
  return url;
}

async function* pieceByPiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

describe("a pull refuses", () => {
  test("a flipped bit in every file of an archive, by its path", async () => {
    const hashes = await readdir(join(archive, "files"));
    expect(hashes.length).toBeGreaterThan(5);
    const path = await anArchive();
    for (const hash of hashes) {
      const file = join(path, "files", hash);
      const sound = await readFile(file);
      if (sound.length === 0) continue; // an empty log
      const broken = Buffer.from(sound);
      const at = Math.floor(broken.length / 2);
      broken[at] = (broken[at] ?? 0) ^ 1;
      await writeFile(file, broken);
      const directory = place();
      await expect(pull(path, directory)).rejects.toMatchObject({
        code: "bad-file",
        message: expect.stringMatching(/^knit\/chaindata\/\S+ has the SHA-256/) as unknown,
      });
      await expectNothing(directory);
      await writeFile(file, sound);
    }
  });

  test("flipped bits in the manifest", async () => {
    const path = await anArchive();
    const manifest = await manifestPath(path);
    const sound = await readFile(manifest);
    for (let at = 3; at < sound.length; at += Math.ceil(sound.length / 60)) {
      const broken = Buffer.from(sound);
      broken[at] = (broken[at] ?? 0) ^ 1;
      await writeFile(manifest, broken);
      const directory = place();
      const refusal = await pull(path, directory).then(
        () => "passed",
        (error: { code: string }) => error.code,
      );
      const isSpace = /\s/.test(String.fromCharCode(sound[at] ?? 0)); // outside of values it means nothing
      expect(isSpace ? ["bad-manifest", "passed"] : ["bad-manifest"]).toContain(refusal);
      if (refusal !== "passed") await expectNothing(directory);
    }
  });

  test("a missing file, and one that is longer or shorter", async () => {
    const path = await anArchive();
    const [hash = ""] = await readdir(join(path, "files"));
    const file = join(path, "files", hash);
    const sound = await readFile(file);
    const changes = [
      () => rm(file),
      () => writeFile(file, Buffer.concat([sound, sound])),
      () => writeFile(file, ""),
    ];
    for (const change of changes) {
      await change();
      const directory = place();
      await expect(pull(path, directory)).rejects.toMatchObject({ code: "bad-file" });
      await expectNothing(directory);
    }
  });

  test.each([
    ["genesisHash", `0x${"12".repeat(32)}`],
    ["chainId", "8217"],
    ["creator", `0x${"12".repeat(20)}`],
  ])("another %s than the wanted one", async (member, value) => {
    const directory = place();
    await expect(pull(archive, directory, { wanted: { [member]: value } })).rejects.toMatchObject({
      code: "foreign",
    });
    await expectNothing(directory);
  });

  test("a head that nobody has sealed", async () => {
    const url = await anArchiveOf((header) => [withCommittedSeals(header(34), [])]);
    const directory = place();
    await expect(pull(url, directory)).rejects.toMatchObject({
      code: "bad-chain",
      message: "block 34 is not sealed by its council: zero committed seals",
    });
    await expectNothing(directory);
  });

  test("headers that do not follow each other", async () => {
    const url = await anArchiveOf((header) => [{ ...header(17), gasUsed: 1n }]);
    const directory = place();
    await expect(pull(url, directory)).rejects.toMatchObject({
      code: "bad-chain",
      message: "block 18 is not a child of block 17",
    });
    await expectNothing(directory);
  });

  test("a manifest that another key has signed for its creator", async () => {
    const path = await anArchive();
    const manifest = await manifestPath(path);
    const text = await readFile(manifest, "utf8");
    await writeFile(
      manifest,
      text.replace(/(?<="creator": "0x)./, (digit) => (digit === "0" ? "1" : "0")),
    );
    await expect(pull(path, place())).rejects.toMatchObject({
      code: "bad-manifest",
      message: expect.stringContaining("is not signed by its creator") as unknown,
    });
  });

  test("a stream that is cut off at any place", async () => {
    let whole = Buffer.alloc(0);
    for await (const piece of await streamOfCheckpoint(optionsOf(source), checkpoint))
      whole = Buffer.concat([whole, piece]);
    for (let part = 0; part < 8; part++) {
      const directory = place();
      const cut = whole.subarray(0, Math.floor((whole.length * part) / 8));
      await expect(pull(pieceByPiece(cut), directory)).rejects.toMatchObject({ code: "cut" });
      await expectNothing(directory);
    }
  });

  test("a directory that is not empty", async () => {
    await expect(pull(archive, checkpoint)).rejects.toMatchObject({ code: "exists" });
  });
});

describe("an empty data directory", () => {
  test("starts from the newest good checkpoint", async () => {
    const url = await anArchive();
    const bad = await readFile(await manifestPath(url), "utf8");
    const name = (await readdir(join(url, "checkpoints")))[0] ?? "";
    await writeFile(join(url, "checkpoints", `9${name}`), bad.replace('"number": 34', '"number": 35'));
    const datadir = place();
    await bootstrap(optionsOf(datadir), { ...job, url, wanted: { genesisHash }, log: silentLog });
    expect((await verifyDirectory(datadir)).head).toBe(34);
    expect(await readdir(join(datadir, "knit"))).toEqual(["chaindata"]);
    await rm(url, { recursive: true });
    await bootstrap(optionsOf(datadir), { ...job, url, wanted: { genesisHash }, log: silentLog }); // has a chain
  });

  test("starts from the next older checkpoint where the newest cannot be opened", async () => {
    const [url, directory] = [await anArchive(), place()];
    await cp(checkpoint, directory, { recursive: true });
    const text = await readFile(join(directory, "checkpoint.json"), "utf8");
    await writeFile(join(directory, "checkpoint.json"), text.replace('"number": 34', '"number": 35'));
    const current = join(directory, "knit/chaindata/chain/CURRENT");
    await writeFile(current, (await readFile(current, "utf8")).replace("MANIFEST", "manifest"));
    await pushToArchive(optionsOf(source), { ...job, directory, url });
    const datadir = place();
    await bootstrap(optionsOf(datadir), { ...job, url, wanted: { genesisHash }, log: silentLog });
    expect((await verifyDirectory(datadir)).head).toBe(34);
  });

  test("refuses a signed state that is not that of the sealed head, unless it trusts the signer", async () => {
    const forged = place();
    await cp(source, forged, { recursive: true });
    await enrichFirstAccount(forged);
    const [directory, url] = [place(), place()];
    await createCheckpointOffline(optionsOf(forged), { directory, progress, signal });
    await pushToArchive(optionsOf(source), { ...job, directory, url });
    const datadir = place();
    const start = { ...job, url, wanted: { genesisHash }, log: silentLog };
    await expect(bootstrap(optionsOf(datadir), start)).rejects.toMatchObject({ code: "corrupt" });
    expect(existsSync(join(datadir, "knit", "chaindata"))).toBe(false);
    await bootstrap(optionsOf(datadir), { ...start, wanted: { genesisHash, creator } });
    expect(existsSync(join(datadir, "knit", "chaindata"))).toBe(true);
  });

  test("leaves a chain as it is that was created while the checkpoint was fetched", async () => {
    const datadir = place();
    const { chainData } = optionsOf(datadir).paths;
    const update = (): void => {
      mkdirSync(join(chainData, "chain"), { recursive: true });
      writeFileSync(join(chainData, "chain", "CURRENT"), "of another process");
    };
    const start = { ...job, url: archive, wanted: { genesisHash }, log: silentLog };
    const refused = bootstrap(optionsOf(datadir), { ...start, progress: { ...progress, update } });
    await expect(refused).rejects.toMatchObject({ code: "exists" });
    expect(await readdir(join(chainData, "chain"))).toEqual(["CURRENT"]);
    await rename(chainData, place());
    await bootstrap(optionsOf(datadir), start);
    expect(await verifyDirectory(datadir)).toEqual(await verifyDirectory(source));
  });

  test("stays empty where no checkpoint is good", async () => {
    const datadir = place();
    const url = await anArchive();
    const other = { genesisHash: `0x${"12".repeat(32)}` };
    await expect(
      bootstrap(optionsOf(datadir), { ...job, url, wanted: other, log: silentLog }),
    ).rejects.toMatchObject({ code: "foreign" });
    expect(existsSync(join(datadir, "knit", "chaindata"))).toBe(false);
  });
});

/** Gives the first account of a data directory more than it has. */
async function enrichFirstAccount(datadir: string): Promise<void> {
  await using chain = await openChainStore(join(optionsOf(datadir).paths.chainData, "chain"));
  const batch = chain.createBatch();
  for await (const [key, flat] of chain.entries({ ...tables.account.range(), limit: 1 })) {
    const { account, incarnation } = recordOf(key.subarray(1), flat);
    if (account === undefined) throw new Error("no account");
    batch.put(key, encodeFlat({ ...account, balance: account.balance + 1n }, incarnation));
  }
  await chain.write(batch, { sync: true });
}
