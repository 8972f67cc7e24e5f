/** Tar streams that are read whole. */
import { buffer } from "node:stream/consumers";
import { type TarFile, tarEntries } from "../../node/checkpoint/tar.ts";

/** Reads the files of a stream that comes in these chunks. Throws as `tarEntries` does. */
export async function readTarFiles(chunks: readonly Uint8Array[], maxBytes: number): Promise<TarFile[]> {
  const stream = async function* () {
    yield* chunks;
  };
  const files: TarFile[] = [];
  for await (const { name, pieces } of tarEntries(stream(), maxBytes))
    files.push({ name, bytes: await buffer(pieces) });
  return files;
}
