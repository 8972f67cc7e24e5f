/** Reader of small files with secrets. A limit on the size keeps a wrong path cheap. */
import { open } from "node:fs/promises";
import { OptionError } from "../options/error.ts";

/** Maximum size of a mnemonic, passphrase or key in bytes; 24 words of eight letters are 215 bytes. */
const MAX_BYTES = 4096;

/** Reads the file. Throws `OptionError` `bad-file` with the kind of content (`what`), never the content. */
export async function readShortText(path: string, what: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(new Uint8Array(MAX_BYTES + 1), 0, MAX_BYTES + 1, null);
    if (bytesRead <= MAX_BYTES) return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } catch (cause) {
    const { message } = cause as NodeJS.ErrnoException; // only reading is tried
    throw new OptionError("bad-file", `Failed to read ${what} file: ${message}`, cause);
  }
  throw new OptionError("bad-file", `Failed to read ${what} file: more than ${MAX_BYTES} bytes`);
}
