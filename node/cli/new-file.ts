/** New files for the user, written completely or not at all. */
import { open, rm } from "node:fs/promises";
import { OptionError } from "../options/error.ts";

/** A file to write. `mode` is 0600 for secrets. */
export interface NewFile {
  readonly path: string;
  /** Name of the file in messages. */
  readonly name: string;
  readonly text: string;
  readonly mode: 0o600 | 0o644;
}

/** Writes and syncs a file; creates no directories. Throws `OptionError` `bad-file` when the path exists. */
export async function writeNewFile({ path, name, text, mode }: NewFile): Promise<void> {
  const file = await open(path, "wx", mode).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "EEXIST"
      ? new OptionError("bad-file", `file '${name}' already exists`, cause)
      : cause;
  });
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
