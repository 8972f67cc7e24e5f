/** Checkpoints as streams: bytes that are written while files are read for their SHA-256. */
import { createECDH } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readKeptTables } from "../../../node/checkpoint/kept-tables.ts";
import { type CheckpointManifest, MANIFEST_FILE } from "../../../node/checkpoint/manifest.ts";
import { checkpointStream, readStream } from "../../../node/checkpoint/stream.ts";
import { TableHashes } from "../../../node/checkpoint/table-hashes.ts";
import { addressOfPublicKey } from "../../../node/crypto/secp256k1.ts";
import { readTarFiles } from "../../support/tar-files.ts";

const pair = createECDH("secp256k1");
pair.setPrivateKey("1".repeat(64), "hex");
const key = new Uint8Array(pair.getPrivateKey());
const address = addressOfPublicKey(new Uint8Array(pair.getPublicKey().subarray(1)));
const HASH = `0x${"ab".repeat(32)}`;

let scratch = "";
const directoryOf = (files: number): string => join(scratch, `${files}-files`);

/** Writes a checkpoint with so many small files. */
async function makeCheckpoint(count: number): Promise<void> {
  const files = Array.from({ length: count }, (_, place) => ({
    path: `knit/chaindata/${place === 0 ? "trie/1" : "chain"}/${place}.ldb`,
    size: `${place}`.length,
  }));
  const head = { number: 7, hash: HASH, stateRoot: HASH };
  const manifest: CheckpointManifest = {
    format: 1,
    program: "Knit",
    chainId: "7",
    genesisHash: HASH,
    head,
    files,
  };
  for (const [place, { path }] of files.entries()) {
    await mkdir(dirname(join(directoryOf(count), path)), { recursive: true });
    await writeFile(join(directoryOf(count), path), `${place}`);
  }
  await writeFile(join(directoryOf(count), MANIFEST_FILE), JSON.stringify(manifest));
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "kst-"));
  for (const count of [3, 150]) await makeCheckpoint(count);
});
afterAll(() => rm(scratch, { recursive: true }));

async function piecesOf(directory: string, beatMs?: number): Promise<readonly Uint8Array[]> {
  const beat = beatMs === undefined ? {} : { beatMs };
  const pieces: Uint8Array[] = [];
  for await (const piece of checkpointStream({ directory, key, address, hashes: new TableHashes(), ...beat }))
    pieces.push(Uint8Array.from(piece)); // its bytes are overwritten
  return pieces;
}

/** Number of pieces of one byte before the first longer one, which ends the manifest. */
const beatsOf = (pieces: readonly Uint8Array[]): number => pieces.findIndex(({ length }) => length > 1);

describe("while the files are read", () => {
  test.each([
    ["a byte is written at each interval", 3, 3],
    ["no more bytes are written than are known", 150, 124],
  ])("%s, and the stream is the same", async (_name, count, beats) => {
    const pieces = await piecesOf(directoryOf(count), 0);
    expect(beatsOf(pieces)).toBe(beats);
    expect(Buffer.concat(pieces)).toEqual(Buffer.concat(await piecesOf(directoryOf(count), 1e9)));
  });

  test("a receiver reads the same checkpoint", async () => {
    const draft = join(scratch, "draft");
    await mkdir(draft);
    const stream = checkpointStream({
      directory: directoryOf(3),
      key,
      address,
      hashes: new TableHashes(),
      beatMs: 0,
    });
    const work = { signal: new AbortController().signal, onBytes: () => undefined };
    const { head, files } = await readStream(stream, draft, {}, work);
    expect([head.number, files.length]).toEqual([7, 3]);
  });
});

/** Makes a draft with the first files, of which the second is damaged, and with one of no checkpoint. */
async function makeDraft(name: string): Promise<string> {
  const draft = join(scratch, name);
  const files = ["trie/1/0.ldb", "chain/1.ldb", "chain/2.ldb", "chain/999.ldb"];
  for (const [place, path] of files.entries()) {
    await mkdir(dirname(join(draft, "knit/chaindata", path)), { recursive: true });
    await writeFile(join(draft, "knit/chaindata", path), place === 1 ? "x" : `${place}`);
  }
  return draft;
}

describe("a receiver that has tables of an earlier stream", () => {
  const work = { signal: new AbortController().signal, onBytes: () => undefined };

  test.each([
    ["gets the others and the damaged one", true],
    ["reads the stream of a sender that leaves none out", false],
  ])("%s", async (name, leavesOut) => {
    const directory = directoryOf(150);
    const draft = await makeDraft(name);
    const kept = await readKeptTables(draft, new TableHashes(), work.signal);
    expect(kept.size).toBe(4);
    const asked = { directory, key, address, hashes: new TableHashes() };
    const pieces: Uint8Array[] = [];
    for await (const piece of checkpointStream(leavesOut ? { ...asked, kept } : asked))
      pieces.push(Uint8Array.from(piece));
    expect(await readTarFiles(pieces, 2 ** 20)).toHaveLength(leavesOut ? 149 : 151); // the manifest, the files
    await readStream(Readable.from(pieces), draft, {}, { ...work, kept });
    const names = (await readdir(join(draft, "knit/chaindata/chain"))).toSorted();
    expect(names).toEqual((await readdir(join(directory, "knit/chaindata/chain"))).toSorted());
    expect(await readFile(join(draft, "knit/chaindata/chain/1.ldb"), "utf8")).toBe("1");
  });
});

test("a checkpoint that is read sooner has no such bytes", async () => {
  expect(beatsOf(await piecesOf(directoryOf(3)))).toBe(0);
});
