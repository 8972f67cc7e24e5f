/** Points of a pairing-friendly curve between contracts' bytes and the memory of mcl. */
import { MCL_BYTES, type Mcl } from "./mcl.ts";

/**
 * Form of a curve's points in contracts: big-endian coordinates, real parts first, all zeros for infinity.
 */
export interface PointFormat {
  /** Bytes of a coordinate as written; what is beyond `fieldBytes` must be zero. */
  readonly wordBytes: number;
  readonly fieldBytes: number;
}

/** Reads and writes points. Whatever reads gives false where there is no such point. */
export interface PointCodec {
  /** A coordinate at a place of the bytes. */
  readonly readField: (to: number, bytes: Uint8Array, at: number) => boolean;
  /** Two coordinates as an element of the field of G2. */
  readonly readPair: (to: number, bytes: Uint8Array, at: number) => boolean;
  /** A point on the curve, of any order. */
  readonly readG1: (to: number, bytes: Uint8Array, at: number) => boolean;
  readonly readG2: (to: number, bytes: Uint8Array, at: number) => boolean;
  readonly writeG1: (from: number) => Uint8Array;
  readonly writeG2: (from: number) => Uint8Array;
}

const { fp, g2 } = MCL_BYTES;

/** The codec of one instance. */
export function createPointCodec(mcl: Mcl, format: PointFormat): PointCodec {
  const { raw } = mcl;
  const { wordBytes } = format;
  const { readField, readPair, writeField, writePair } = createFieldCodec(mcl, format);
  const normal = raw.malloc(g2);
  return {
    readField,
    readPair,
    readG1: (to, bytes, at) => {
      raw.mclBnG1_clear(to);
      if (isZeroAt(bytes, at, 2 * wordBytes)) return true;
      if (!readField(to, bytes, at) || !readField(to + fp, bytes, at + wordBytes)) return false;
      raw.mclBnFp_setInt32(to + 2 * fp, 1);
      return raw.mclBnG1_isValid(to) === 1;
    },
    readG2: (to, bytes, at) => {
      raw.mclBnG2_clear(to);
      if (isZeroAt(bytes, at, 4 * wordBytes)) return true;
      if (!readPair(to, bytes, at) || !readPair(to + 2 * fp, bytes, at + 2 * wordBytes)) return false;
      raw.mclBnFp_setInt32(to + 4 * fp, 1);
      return raw.mclBnG2_isValid(to) === 1;
    },
    writeG1: (from) => {
      const bytes = new Uint8Array(2 * wordBytes);
      if (raw.mclBnG1_isZero(from) === 1) return bytes;
      raw.mclBnG1_normalize(normal, from);
      writeField(normal, bytes, 0);
      writeField(normal + fp, bytes, wordBytes);
      return bytes;
    },
    writeG2: (from) => {
      const bytes = new Uint8Array(4 * wordBytes);
      if (raw.mclBnG2_isZero(from) === 1) return bytes;
      raw.mclBnG2_normalize(normal, from);
      writePair(normal, bytes, 0);
      writePair(normal + 2 * fp, bytes, 2 * wordBytes);
      return bytes;
    },
  };
}

type Write = (from: number, bytes: Uint8Array, at: number) => void;

interface FieldCodec extends Pick<PointCodec, "readField" | "readPair"> {
  readonly writeField: Write;
  readonly writePair: Write;
}

/** The library's elements are little-endian. */
function createFieldCodec({ raw, heap }: Mcl, format: PointFormat): FieldCodec {
  const { wordBytes, fieldBytes } = format;
  const padding = wordBytes - fieldBytes;
  const scratch = raw.malloc(fieldBytes);
  const readField: PointCodec["readField"] = (to, bytes, at) => {
    const memory = heap();
    for (let i = 0; i < padding; i++) if (bytes[at + i] !== 0) return false;
    const last = at + wordBytes - 1;
    for (let i = 0; i < fieldBytes; i++) memory[scratch + i] = bytes[last - i] ?? 0;
    return raw.mclBnFp_deserialize(to, scratch, fieldBytes) !== 0;
  };
  const writeField: Write = (from, bytes, at) => {
    raw.mclBnFp_serialize(scratch, fieldBytes, from);
    const memory = heap();
    const last = at + wordBytes - 1;
    for (let i = 0; i < fieldBytes; i++) bytes[last - i] = memory[scratch + i] ?? 0;
  };
  return {
    readField,
    writeField,
    readPair: (to, bytes, at) => readField(to, bytes, at) && readField(to + fp, bytes, at + wordBytes),
    writePair: (from, bytes, at) => {
      writeField(from, bytes, at);
      writeField(from + fp, bytes, at + wordBytes);
    },
  };
}

function isZeroAt(bytes: Uint8Array, at: number, length: number): boolean {
  for (let i = at; i < at + length; i++) if (bytes[i] !== 0) return false;
  return true;
}
