/**
 * Checks a table file of the engine: it does not look at its own checksums when it reads, so a flipped bit in an
 * index or between rows hides rows, and merging such a file ends the process.
 */
import { unpackSnappyBlock } from "../bytes/snappy.ts";
import { EngineCursor, fixed32, maskedCrc } from "./engine-bytes.ts";

/** At the end: where the block of filters and that of the index are, padding, and the magic number. */
const FOOTER_BYTES = 48;
const MAGIC = [0x8b80fb57, 0xdb477524];
/** Behind a block: how it is packed, and its checksum. */
const TRAILER_BYTES = 5;
/** Blocks of some 4 KiB between two yields. */
const STEP_BLOCKS = 32;
const PLAIN = 0;
const SNAPPY = 1;

interface Place {
  readonly at: number;
  readonly length: number;
}

/**
 * Checks every block of the file and returns the first fault; undefined when it is sound. Yields between
 * blocks: a file may be long.
 */
export function* tableFault(file: Uint8Array): Generator<undefined, string | undefined> {
  try {
    yield* checkTable(file);
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error.message; // whatever is found is wrong with the file
    throw error;
  }
}

function* checkTable(file: Uint8Array): Generator<undefined> {
  const start = file.length - FOOTER_BYTES;
  if (start < 0) throw new RangeError(`it has ${file.length} bytes`);
  const footer = file.subarray(start);
  if (fixed32(footer, FOOTER_BYTES - 8) !== MAGIC[0] || fixed32(footer, FOOTER_BYTES - 4) !== MAGIC[1])
    throw new RangeError("it does not end like a table");
  const cursor = new EngineCursor(footer);
  const [filters, index] = [placeAt(cursor), placeAt(cursor)];
  for (const root of [filters, index]) {
    let blocks = 0;
    for (const value of valuesOf(unpackBlock(file, root))) {
      checkBlock(file, placeAt(new EngineCursor(value)));
      if (++blocks % STEP_BLOCKS === 0) yield;
    }
  }
}

function placeAt(cursor: EngineCursor): Place {
  return { at: cursor.varint(), length: cursor.varint() };
}

/** A block's bytes as they are stored. */
function checkBlock(
  file: Uint8Array,
  { at, length }: Place,
): { readonly kind: number; readonly bytes: Uint8Array } {
  const end = at + length;
  if (end + TRAILER_BYTES > file.length) throw new RangeError(`the block at ${at} is cut off`);
  if (maskedCrc(file.subarray(at, end + 1)) !== fixed32(file, end + 1))
    throw new RangeError(`the block at ${at} fails its checksum`);
  return { kind: file[end] as number, bytes: file.subarray(at, end) }; // in range: tested above
}

function unpackBlock(file: Uint8Array, place: Place): Uint8Array {
  const { kind, bytes } = checkBlock(file, place);
  if (kind === PLAIN) return bytes;
  if (kind === SNAPPY) return unpackSnappyBlock(bytes);
  throw new RangeError(`the block at ${place.at} is packed in way ${kind}`);
}

/** The values of a block: entries with shortened keys, then where entries with whole keys begin, and how many. */
function* valuesOf(block: Uint8Array): Generator<Uint8Array> {
  const restarts = fixed32(block, block.length - 4);
  const entries = new EngineCursor(block.subarray(0, block.length - 4 - 4 * restarts));
  while (!entries.isAtEnd) {
    entries.varint(); // bytes shared with the key before
    const [own, length] = [entries.varint(), entries.varint()];
    entries.take(own);
    yield entries.take(length);
  }
}
