/**
 * Trie nodes kept over restarts (as `storage/statedb/cache_fastcache.go@v2.2.2` does): what is loaded is what was saved,
 * damage is never believed.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Log, silentLog } from "../../../node/observe/log.ts";
import { NodeCache } from "../../../node/state/trie/node-cache.ts";
import { loadNodes, saveNodes } from "../../../node/state/trie/node-cache-file.ts";
import { Slab } from "../../../node/state/trie/slab.ts";
import { until } from "../../support/until.ts";
import { aRandom } from "./random.ts";

const { signal } = new AbortController();
let directory: string;
let path: string;
let reported: string[];
const log: Log = {
  ...silentLog,
  info: (_fields, message) => void reported.push(message),
  warn: (_fields, message) => void reported.push(message),
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-nodes-"));
});
afterAll(() => rm(directory, { recursive: true }));
beforeEach(async () => {
  reported = [];
  path = join(await mkdtemp(join(directory, "each-")), "fastcache", "nodes");
});

const NODES = 20_000;
const tagOf = (i: number): number => Math.imul(i, 0x9e3779b1) >>> 0;
function hashOf(i: number): Uint8Array {
  const hash = new Uint8Array(32).fill(i);
  new DataView(hash.buffer).setUint32(0, i);
  return hash;
}
const nodeOf = (i: number): Uint8Array => new Uint8Array(33 + (i % 500)).fill(i);

/** Some 6 MB of nodes, in more than one piece. */
function fillSlab(limit: number): Slab {
  const slab = new Slab(limit);
  for (let i = 0; i < NODES; i++) slab.put(tagOf(i), hashOf(i), 0, nodeOf(i), nodeOf(i).length);
  return slab;
}

/** Number of nodes that are found, each with its own bytes. */
function countFound(slab: Slab): number {
  let count = 0;
  for (let i = 0; i < NODES; i++) {
    const at = slab.find(tagOf(i), hashOf(i), 0);
    if (at < 0) continue;
    const node = nodeOf(i);
    if (Buffer.compare(slab.bytes.subarray(at, at + node.length), node) !== 0) throw new Error(`node ${i}`);
    count++;
  }
  return count;
}

test.each([
  ["of room for all", 32 << 20],
  ["that has turned over", 4 << 20],
])("the nodes of a slab %s are all there after loading", async (_what, limit) => {
  const slab = fillSlab(limit);
  await saveNodes(path, slab, signal);
  const loaded = new Slab(32 << 20);
  expect(await loadNodes(path, loaded, signal)).toBe(countFound(slab));
  expect(countFound(loaded)).toBe(countFound(slab));
});

test("a smaller slab takes what it has room for, and what is newer stays", async () => {
  await saveNodes(path, fillSlab(32 << 20), signal);
  const small = new Slab(1 << 20);
  small.put(tagOf(1), hashOf(99), 0, Uint8Array.of(1, 2, 3), 3);
  await loadNodes(path, small, signal);
  expect(small.size).toBeLessThanOrEqual(1 << 20);
  expect(countFound(small)).toBeGreaterThan(1_000);
  const roomy = new Slab(32 << 20);
  roomy.put(tagOf(1), hashOf(99), 0, Uint8Array.of(1, 2, 3), 3);
  await loadNodes(path, roomy, signal);
  expect(countFound(roomy)).toBe(NODES - 1);
});

test("without a file nothing is loaded", async () => {
  expect(await loadNodes(path, new Slab(1 << 20), signal)).toBeUndefined();
});

const FLIPS = Number(process.env["KNIT_FLIPS"] ?? 30);

test("any changed or missing byte is noticed, and nothing of the file stays", async () => {
  const slab = new Slab(1 << 20);
  for (let i = 0; i < 20; i++) slab.put(tagOf(i), hashOf(i), 0, nodeOf(i), nodeOf(i).length);
  await saveNodes(path, slab, signal);
  const good = await readFile(path);
  const random = aRandom(5);
  const damaged = [
    ...Array.from({ length: FLIPS }, () => {
      const bytes = Buffer.from(good);
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
      return bytes;
    }),
    ...Array.from({ length: FLIPS / 2 }, () => good.subarray(0, random.below(good.length))),
  ];
  for (const bytes of damaged) {
    await writeFile(path, bytes);
    const loaded = new Slab(1 << 20);
    await expect(loadNodes(path, loaded, signal)).rejects.toThrow(/piece|holds no saved nodes|ends within/);
    expect(loaded.copy(0, new Uint8Array(1 << 20)).length).toBe(0);
  }
});

test("a node that starts with a damaged file says so and goes on", async () => {
  await saveNodes(path, fillSlab(8 << 20), signal);
  await writeFile(path, (await readFile(path)).subarray(0, -1));
  await using cache = new NodeCache({ log, bytes: 8 << 20, path, saveMs: 0 });
  await until(() => reported.length > 0);
  expect(reported).toEqual(["saved trie nodes are damaged: starting without them"]);
  expect(countFound(cache.slab as Slab)).toBe(0);
});

test("of two savings at once one starts, and the file is whole", async () => {
  await using cache = new NodeCache({ log, bytes: 8 << 20, path, saveMs: 0 });
  cache.slab?.restore(entriesOf(fillSlab(8 << 20)));
  expect([cache.save(), cache.save()]).toEqual(["started", "running"]);
  expect(cache.status).toEqual({ isSaving: true, bytes: 0, error: undefined });
  await until(() => reported.includes("saved trie nodes"));
  const bytes = (await readFile(path)).length;
  await until(() => !cache.status.isSaving);
  expect(cache.status).toEqual({ isSaving: false, bytes, error: undefined });
  expect(await loadNodes(path, new Slab(8 << 20), signal)).toBe(countFound(cache.slab as Slab));
  expect(cache.save()).toBe("started");
});

function entriesOf(slab: Slab): Uint8Array {
  const bytes = new Uint8Array(16 << 20);
  return bytes.subarray(0, slab.copy(0, bytes).length);
}

test("a saving that is given up leaves the older file and nothing else", async () => {
  await saveNodes(path, fillSlab(8 << 20), signal);
  const before = await readFile(path);
  {
    await using cache = new NodeCache({ log, bytes: 1 << 20, path, saveMs: 0 });
    cache.save();
  }
  expect(Buffer.compare(await readFile(path), before)).toBe(0);
  expect(await readdir(join(path, ".."))).toEqual(["nodes"]);
});

test("a saving that fails says why, until one does not", async () => {
  await using cache = new NodeCache({ log, bytes: 1 << 20, path, saveMs: 0 });
  await writeFile(join(path, "..", "..", "fastcache"), "in the way");
  cache.save();
  await until(() => !cache.status.isSaving);
  expect(cache.status).toEqual({ isSaving: false, bytes: 0, error: expect.stringMatching(/EEXIST|ENOTDIR/) });
  await rm(join(path, "..", "..", "fastcache"));
  cache.save();
  await until(() => !cache.status.isSaving);
  expect(cache.status).toMatchObject({ bytes: expect.any(Number), error: undefined });
});

test("without a cache nothing is saved", async () => {
  await using none = new NodeCache({ log, bytes: 0, path, saveMs: 1 });
  expect([none.slab, none.save()]).toEqual([undefined, "off"]);
});

test("it saves by itself again and again", async () => {
  await using cache = new NodeCache({ log, bytes: 1 << 20, path, saveMs: 5 });
  await until(() => reported.filter((each) => each === "saved trie nodes").length > 2);
  expect(cache.slab?.size).toBeGreaterThan(0);
});
