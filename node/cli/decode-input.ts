/** Input of `knit decode`: hex text, or a file with hex text or bytes. */
import { open } from "node:fs/promises";
import { tryBareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { OptionError } from "../options/error.ts";

/** Maximum size of the input in bytes. */
const MAX_INPUT = 64 * 1024 * 1024;

/** Reads hex text, with or without `0x`, or else the file of that name. Throws `OptionError`. */
export async function decodeInput(argument: string): Promise<Uint8Array> {
  const given = hexBytes(argument);
  if (given !== undefined) return given;
  const bytes = await readBounded(argument);
  // Text only when all of it is: most binary input is known by its first bytes.
  const isText = hexBytes(Buffer.from(bytes.subarray(0, 4)).toString("latin1").padEnd(4, "0")) !== undefined;
  const text = isText ? Buffer.from(bytes).toString("latin1").replaceAll(/\s+/g, "") : "";
  return hexBytes(text) ?? bytes;
}

/** Returns the bytes of hex text; undefined for any other text and for none. */
function hexBytes(text: string): Uint8Array | undefined {
  const digits = text.trim().replace(/^0x/i, "");
  return digits === "" ? undefined : tryBareHex(digits);
}

async function readBounded(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > MAX_INPUT) throw new Error(`${size} bytes, at most ${MAX_INPUT} are decoded`);
    const bytes = new Uint8Array(size + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) {
      read = (await file.read(bytes, length)).bytesRead;
    }
    return bytes.subarray(0, Math.min(length, size));
  } catch (error) {
    const why = messageOf(error);
    const typed = /^(0x)?[0-9a-f]*$/i.test(path) ? "an odd number of hex digits, and no file: " : "";
    throw new OptionError(
      "bad-file",
      `cannot read ${JSON.stringify(path.slice(0, 80))}: ${typed}${why}`,
      error,
    );
  }
}
