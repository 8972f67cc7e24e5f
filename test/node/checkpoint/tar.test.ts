/** Tests of tar streams: what is written is read back however it is cut, and a header that lies is refused. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { TAR_END, type TarFile, tarFile } from "../../../node/checkpoint/tar.ts";
import { readTarFiles } from "../../support/tar-files.ts";

const MAX_BYTES = 4096;
const FILES: readonly TarFile[] = [
  { name: "checkpoint.json", bytes: Buffer.from("{}") },
  { name: "knit/chaindata/chain/000005.ldb", bytes: Buffer.alloc(1500, 7) },
  { name: "empty", bytes: Buffer.alloc(0) },
];

const filesOf = (...chunks: readonly Uint8Array[]): Promise<TarFile[]> => readTarFiles(chunks, MAX_BYTES);

/** Returns an entry whose header states this size, with the checksum that belongs to it. */
function entryOfSize(text: string): Buffer {
  const entry = Buffer.from(tarFile({ name: "a", bytes: Buffer.alloc(512, 7) }));
  entry.write(text.padEnd(12, "\0"), 124, "latin1");
  entry.fill(" ", 148, 156);
  const sum = entry.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  entry.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return entry;
}

test.each([1, 13, 512, 100_000])("files are read back in chunks of %i bytes", async (length) => {
  const stream = concatBytes(...FILES.map(tarFile), TAR_END);
  const chunks = Array.from({ length: Math.ceil(stream.length / length) }, (_, i) =>
    stream.subarray(i * length, (i + 1) * length),
  );
  const found = await filesOf(...chunks);
  expect(found).toEqual(FILES);
});

test.each(["-1000", "+1000", "1000x", "8", "0x10", "1e3", "1 0", ""])(
  "a size of %j is refused: it once passed for a number",
  async (text) => {
    await expect(filesOf(entryOfSize(text), TAR_END)).rejects.toMatchObject({ code: "bad-file" });
  },
);

test("a size of octal digits is read, up to the limit", async () => {
  expect(await filesOf(entryOfSize("1000"), TAR_END)).toHaveLength(1);
  await expect(filesOf(entryOfSize("10001"), TAR_END)).rejects.toThrow("4097 bytes, at most 4096 fit");
});
