/** Reader of small files with secrets. A limit on the size keeps a wrong path cheap. */
import { OptionError } from "../options/error.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";

/** Maximum size of a mnemonic, passphrase or key in bytes; 24 words of eight letters are 215 bytes. */
const MAX_BYTES = 4096;

/** Reads the file. Throws `OptionError` `bad-file` with the kind of content (`what`), never the content. */
export async function readShortText(path: string, what: string): Promise<string> {
  return readBoundedText(path, MAX_BYTES).catch((cause: Error) => {
    throw new OptionError("bad-file", `Failed to read ${what} file: ${cause.message}`, cause);
  });
}
