/** Files that commands write for people: new ones, whole or not at all. */
import { open, rm } from "node:fs/promises";
import { OptionError } from "../config/options-error.ts";

/** A file to be written; secrets are for their owner alone. */
export interface NewFile {
  readonly path: string;
  /** What the person is told of it. */
  readonly name: string;
  readonly text: string;
  readonly mode: 0o600 | 0o644;
}

/** Writes and syncs it, and makes no directories. Throws `OptionError` `bad-file` when something is there: that is never replaced. */
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
