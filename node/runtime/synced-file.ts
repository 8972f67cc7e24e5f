/** Files and names that are on disk before work goes on: a crash or a power cut loses none of them. */
import { open, writeFile } from "node:fs/promises";

/** Writes and syncs a new file of mode 0600. Rejects with `EEXIST` when there is one; each error names the path. */
export async function writeSynced(path: string, contents: string | Uint8Array): Promise<void> {
  await writeNew(path, contents, true);
}

/** Writes a new file piece by piece, each before the next is asked for. `syncFile` makes it durable. */
export async function writePieces(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await writeNew(path, pieces, false);
}

async function writeNew(
  path: string,
  contents: string | Uint8Array | AsyncIterable<Uint8Array>,
  flush: boolean,
): Promise<void> {
  try {
    await writeFile(path, contents, { flag: "wx", mode: 0o600, flush });
  } catch (caught) {
    const error = caught as NodeJS.ErrnoException; // the only kind of `writeFile`
    if (error.path !== undefined) throw error;
    throw Object.assign(error, { path, message: `${error.message} '${path}'` }); // a full disk
  }
}

/** Syncs the bytes of a file. */
export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}

/** Syncs the names of a directory. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, "r");
  await directory.sync();
}
