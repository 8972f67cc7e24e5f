import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { createFramer, readBlockFile, writeBlockFile } from "../../../node/chain/block-file.ts";

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

test("blocks are framed whatever the pieces they come in", () => {
  const all = concatBytes(...blocks);
  for (const size of [1, 2, 7, 4096, all.length]) {
    const framer = createFramer();
    const found: Uint8Array[] = [];
    for (let at = 0; at < Math.min(all.length, size * 1000); at += size) {
      framer.push(all.subarray(at, at + size));
      for (let raw = framer.next(); raw !== undefined; raw = framer.next()) found.push(raw);
    }
    expect(found).toEqual(blocks.slice(0, found.length));
    expect(found.length).toBeGreaterThan(1);
  }
});

test.each([
  ["ends inside a block", concatBytes(...blocks).subarray(0, 500), /block 3: the file ends inside the block/],
  [
    "holds something else than lists",
    Uint8Array.of(0xc0, 0x05),
    /block 1: cannot read on: .*expected a list/,
  ],
  ["claims an endless block", Uint8Array.of(0xfb, 0xff, 0xff, 0xff, 0xff), /block 0: .*at most/],
])("a file that %s is refused at that block", async (_what, bytes, message) => {
  const path = join(directory, "bad");
  await writeFile(path, bytes);
  await expect(read(path)).rejects.toThrow(message);
});

test("a damaged gzip stream is refused at the block it reaches", async () => {
  const path = join(directory, "damaged.gz");
  await writeBlockFile(path, blocks);
  const bytes = await readFile(path);
  bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 0xff; // the checksum at the end
  await writeFile(path, bytes);
  await expect(read(path)).rejects.toThrow(/block [34]: cannot read on: .*incorrect data check/);
});

test("a file that is not there is said so", async () => {
  await expect(read(join(directory, "nowhere"))).rejects.toThrow(/no such file/);
});
