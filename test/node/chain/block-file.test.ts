/** Tests of chain files. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { readBlockFile } from "../../../node/chain/block-file.ts";
import { writeBlockFile } from "../../../node/chain/block-file-writer.ts";
import { createFramer } from "../../../node/chain/framer.ts";
import { collectGarbage } from "../../../node/runtime/collect-garbage.ts";
import { seededRandom } from "../../support/random.ts";

const blocks = [10, 60, 300, 70_000].map((length) => encodeRlp([new Uint8Array(length).fill(7)]));
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-block-file-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(path: string): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const { index, raw } of readBlockFile(path)) {
    expect(index).toBe(all.length);
    all.push(raw);
  }
  return all;
}

test.each(["plain.rlp", "packed.rlp.gz"])("what is written to %s is read back", async (name) => {
  const path = join(directory, name);
  await writeBlockFile(path, blocks);
  expect(await read(path)).toEqual(blocks);
  const bytes = await readFile(path);
  expect(Buffer.compare(name.endsWith(".gz") ? gunzipSync(bytes) : bytes, concatBytes(...blocks))).toBe(0);
});

test("an existing file is not overwritten", async () => {
  const path = join(directory, "there");
  await writeFile(path, "precious");
  await expect(writeBlockFile(path, blocks)).rejects.toThrow("location would overwrite an existing file");
  expect(await readFile(path, "utf8")).toBe("precious");
});

function* failing(): Generator<Uint8Array> {
  yield new Uint8Array(100);
  throw new Error("the disk is gone");
}

test("what fails on the way leaves no file", async () => {
  const fresh = await mkdtemp(join(directory, "fresh-"));
  const path = join(fresh, "out.rlp");
  await expect(writeBlockFile(path, failing())).rejects.toThrow(`cannot write ${path}: the disk is gone`);
  await expect(writeBlockFile(join(fresh, "no", "out.rlp"), blocks)).rejects.toThrow(/ENOENT/);
  expect(await readdir(fresh)).toEqual([]);
});

test("a file that appears while another is written is not replaced", async () => {
  const fresh = await mkdtemp(join(directory, "fresh-"));
  const path = join(fresh, "out.rlp");
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100);
    await writeFile(path, "precious");
  }
  await expect(writeBlockFile(path, slow())).rejects.toThrow("location would overwrite an existing file");
  expect(await readFile(path, "utf8")).toBe("precious");
  expect(await readdir(fresh)).toEqual(["out.rlp"]);
});

test("blocks are framed whatever the pieces they come in", () => {
  const all = concatBytes(...blocks);
  for (const size of [1, 2, 7, 4096, all.length]) {
    const framer = createFramer();
    const found: Uint8Array[] = [];
    for (let at = 0; at < Math.min(all.length, size * 1000); at += size) {
      framer.push(all.subarray(at, at + size));
      for (let raw = framer.next(); raw !== undefined; raw = framer.next()) found.push(raw.raw);
    }
    expect(found).toEqual(blocks.slice(0, found.length));
    expect(found.length).toBeGreaterThan(1);
  }
});

const HELD = "the file ends at byte 500, but the block at byte 382 takes 70008 bytes or more";

test.each([
  ["ends inside a block", concatBytes(...blocks).subarray(0, 500), `block 3: failed to parse: ${HELD}`],
  [
    "holds something else than lists",
    Uint8Array.of(0xc0, 0xc0, 0x05),
    "block 2: failed to parse: no block begins at byte 2: expected a list, found byte 0x05",
  ],
  [
    "is packed under a plain name",
    gzipSync(concatBytes(...blocks)),
    "block 0: failed to parse: no block begins at byte 0: expected a list, found byte 0x1f: it looks packed, then its name must end in .gz",
  ],
  [
    "claims an endless block",
    Uint8Array.of(0xc0, 0xfb, 0xff, 0xff, 0xff, 0xff),
    "block 1: failed to parse: at byte 1 a block claims 4294967295 bytes, the most is 67108864",
  ],
  [
    "ends inside a header",
    Uint8Array.of(0xc0, 0xfb, 0xff),
    "block 1: failed to parse: the file ends at byte 3, but the block at byte 1 takes 5 bytes or more",
  ],
])("a file that %s is refused at that block and byte", async (_what, bytes, message) => {
  const path = join(directory, "bad");
  await writeFile(path, bytes);
  await expect(read(path)).rejects.toMatchObject({ code: "bad-file", message });
});

test("a file without bytes has no blocks", async () => {
  const path = join(directory, "empty");
  await writeFile(path, "");
  expect(await read(path)).toEqual([]);
});

const random = seededRandom(7);
/** Hardly packed: where the packed stream is damaged tells where the blocks are. */
const noise = [10, 60, 300, 70_000].map((length) =>
  encodeRlp([Uint8Array.from({ length }, () => Math.floor(random() * 256))]),
);
const packed = gzipSync(concatBytes(...noise));

function damageAt(at: number): Uint8Array {
  const bytes = Uint8Array.from(packed);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return bytes;
}

test.each([
  [
    "with another checksum",
    damageAt(packed.length - 6),
    /^block [34]: .*stream is damaged at byte 703\d\d unpacked, byte \d+ packed: incorrect data check$/,
  ],
  [
    "with a damaged head",
    damageAt(0),
    /^block 0: .*stream is damaged at byte 0 unpacked, byte \d+ packed: incorrect header check$/,
  ],
  [
    "that ends early",
    packed.subarray(0, 400),
    /^block \d: .*stream is damaged at byte \d+ unpacked, byte \d+ packed: unexpected end of file$/,
  ],
  [
    "without a byte",
    new Uint8Array(0),
    /^block 0: .*stream is damaged at byte 0 unpacked, byte 0 packed: unexpected end of file$/,
  ],
  [
    "with bytes behind it",
    concatBytes(packed, Uint8Array.of(1, 2, 3)),
    /^block 4: .*damaged at byte 70390 unpacked, byte \d+ packed: incorrect header check$/,
  ],
])("a gzip stream %s is refused at the block and byte it reaches", async (_what, bytes, message) => {
  const path = join(directory, "damaged.gz");
  await writeFile(path, bytes);
  await expect(read(path)).rejects.toThrow(message);
});

test("two gzip streams one behind the other are read as one", async () => {
  const path = join(directory, "two.gz");
  await writeFile(path, concatBytes(packed, packed));
  expect(await read(path)).toEqual([...noise, ...noise]);
});

/** The most that reading a packed file may hold. */
const MAX_HELD = 20 * 1024 * 1024;

/**
 * Bytes of buffers that something still refers to. What a collection frees is given back a little later: it is
 * looked at again until fewer than `few` are left.
 */
async function heldBytes(few: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && least >= few; round++) {
    collectGarbage();
    least = Math.min(least, process.memoryUsage().arrayBuffers);
    await setTimeout(20);
  }
  return least;
}

test("what unpacks to 200 MB is read without being held", async () => {
  const path = join(directory, "bomb.gz");
  const block = encodeRlp([new Uint8Array(1_000_000)]);
  const member = gzipSync(concatBytes(...Array.from({ length: 10 }, () => block)));
  await writeFile(path, concatBytes(...Array.from({ length: 20 }, () => member)));
  const before = await heldBytes(0);
  let held = 0;
  let count = 0;
  for await (const { raw } of readBlockFile(path)) {
    count += raw.length === block.length ? 1 : 0;
    if (count % 100 === 0) held = Math.max(held, (await heldBytes(before + MAX_HELD)) - before);
  }
  expect(count).toBe(200);
  expect(held).toBeLessThan(MAX_HELD);
});

test("a directory is said to be none", async () => {
  await expect(read(directory)).rejects.toThrow(/^cannot read .*: it is not a file$/);
});

test("a file that is not there is said so", async () => {
  await expect(read(join(directory, "nowhere"))).rejects.toThrow(/no such file/);
});
