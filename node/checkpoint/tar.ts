/** Tar streams of small files (POSIX.1-2001 `ustar`): what `tar` reads, and nothing else that it may write. */
import { CheckpointError } from "./error.ts";

const BLOCK = 512;
const NAME_BYTES = 100;
const MODE = "0000600\0";
const ZERO_ID = "0000000\0";

/** A file of a stream. */
export interface TarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file that is read from a stream. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Its bytes, as they come. They have to be read to their end before the next file. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Returns a file as it stands in a stream. Throws `RangeError` for a name of more than 100 bytes. */
export function tarFile({ name, bytes }: TarFile): Uint8Array {
  const { length } = bytes;
  return Buffer.concat([tarHeader(name, length), bytes, tarPadding(length)]);
}

/** Returns the header of a file. Throws `RangeError` for a name of more than 100 bytes. */
export function tarHeader(name: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new RangeError(`${name} is too long for a tar file`);
  header.write(name, 0, "utf8");
  header.write(MODE + ZERO_ID + ZERO_ID, NAME_BYTES, "latin1");
  header.write(`${size.toString(8).padStart(11, "0")}\0`, TAR_NAME_BYTES, "latin1");
  header.write(`${"0".repeat(11)}\0`, 136, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** Returns what stands between a file of this size and the next header. */
export function tarPadding(size: number): Uint8Array {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Number of bytes at the beginning of a header that follow from the name alone. */
export const TAR_NAME_BYTES = 124;

/** The end of a stream. */
export const TAR_END: Uint8Array = Buffer.alloc(2 * BLOCK);

/**
 * Reads the files of a stream up to its end. `maxBytes` limits each. Throws `CheckpointError` `cut` where the
 * stream ends too early, and `bad-file` where it is no tar stream.
 */
export async function* tarEntries(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<TarEntry> {
  const input = new StreamReader(stream);
  for (;;) {
    const header = await input.take(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const [size, checksum] = [octalOf(fieldOf(header, TAR_NAME_BYTES, 12)), octalOf(fieldOf(header, 148, 8))];
    if (size === undefined || checksum !== checksumOf(header) || header[156] !== "0".charCodeAt(0))
      throw new CheckpointError("bad-file", "the stream is no checkpoint: a header cannot be read");
    const name = fieldOf(header, 0, NAME_BYTES);
    if (size > maxBytes)
      throw new CheckpointError("bad-file", `${name} has ${size} bytes, at most ${maxBytes} fit`);
    yield { name, size, pieces: input.pieces(size) };
    await input.take(tarPadding(size).length);
  }
}

/** Takes so many bytes at a time from a stream. */
class StreamReader {
  readonly #stream: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  /** Takes them in one piece. */
  async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.pieces(length)) pieces.push(piece);
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }

  /** Takes them as they come. */
  async *pieces(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#stream.next();
        if (next.done === true) throw new CheckpointError("cut", "the stream ends in the middle of a file");
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
}

function fieldOf(header: Uint8Array, at: number, length: number): string {
  const text = Buffer.from(header.subarray(at, at + length)).toString("utf8");
  return (text.split("\0")[0] ?? "").trim();
}

/** The number that a field states in octal digits alone: a size with a sign would be read as a file without an end. */
function octalOf(text: string): number | undefined {
  return /^[0-7]{1,12}$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

/** The sum of a header's bytes with spaces for the checksum itself. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 32 : byte), 0);
}
