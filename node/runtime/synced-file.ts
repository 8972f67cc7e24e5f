/** Files and names that are on disk before work goes on: a crash or a power cut loses none of them. */
import { open, writeFile } from "node:fs/promises";

/** Writes and syncs a new file of mode 0600. Rejects with `EEXIST` when there is one; each error names the path. */
export async function writeSynced(path: string, contents: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, contents, { flag: "wx", mode: 0o600, flush: true });
  } catch (caught) {
    const error = caught as NodeJS.ErrnoException; // the only kind of `writeFile`
    if (error.path !== undefined) throw error;
    throw Object.assign(error, { path, message: `${error.message} '${path}'` }); // a full disk
  }
}

/** Syncs the names of a directory. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, "r");
  await directory.sync();
}
