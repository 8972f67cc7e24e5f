/** A secret in a file: read with a limit, so that a wrong path costs nothing. */
import { open } from "node:fs/promises";
import { OptionError } from "../config/options-error.ts";

/** 24 words of eight letters are 215 bytes; more than this is no mnemonic, no passphrase and no key. */
const MOST_BYTES = 4096;

/** The file's text. Throws `OptionError` `bad-file` that names what it was to hold, never what is in it. */
export async function readShortText(path: string, what: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(new Uint8Array(MOST_BYTES + 1), 0, MOST_BYTES + 1, null);
    if (bytesRead <= MOST_BYTES) return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } catch (cause) {
    const { message } = cause as NodeJS.ErrnoException; // only reading is tried
    throw new OptionError("bad-file", `Failed to read ${what} file: ${message}`, cause);
  }
  throw new OptionError("bad-file", `Failed to read ${what} file: more than ${MOST_BYTES} bytes`);
}
