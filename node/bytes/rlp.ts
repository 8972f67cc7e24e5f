/**
 * Recursive Length Prefix (Ethereum yellow paper, appendix B) for whole values: strict, no trailing bytes, depth bounded.
 * Decoding copies nothing: an item is a view of the input. Encoding measures first, then writes once. Types with known
 * fields are read by `rlp-cursor.ts` and written by `rlp-writer.ts`; all four share the headers of `rlp-header.ts`.
 * Measured by `bench/formats.ts`.
 */
import { bytesToBigint } from "./integer.ts";
import {
  isOneByteItem,
  RLP_LIST,
  RLP_STRING,
  readRlpHeader,
  rlpError,
  rlpHeaderLength,
  rlpPayload,
  writeRlpHeader,
} from "./rlp-header.ts";

/** A byte string or a list. Integers go through `integerBytes` first. */
export type RlpInput = Uint8Array | readonly RlpInput[];

/** One decoded item: a view of its payload and whether that payload is a list. `raw` includes the header. */
export interface RlpItem {
  readonly isList: boolean;
  readonly payload: Uint8Array;
  readonly raw: Uint8Array;
}

/** Lists nested deeper than this are refused: no format of the chain comes near it. */
export const MAX_RLP_DEPTH = 64;

/** Encodes a byte string or a list. */
export function encodeRlp(input: RlpInput): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(encodedLength(input));
  write(input, out, 0);
  return out;
}

/** Encodes items that are already RLP as one list. */
export function encodeRlpList(items: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const item of items) length += item.length;
  const out = new Uint8Array(rlpHeaderLength(length) + length);
  let at = writeRlpHeader(out, 0, RLP_LIST, length);
  for (const item of items) {
    out.set(item, at);
    at += item.length;
  }
  return out;
}

function encodedLength(input: RlpInput): number {
  if (input instanceof Uint8Array)
    return isOneByteItem(input) ? 1 : rlpHeaderLength(input.length) + input.length;
  const length = payloadLength(input);
  return rlpHeaderLength(length) + length;
}

function payloadLength(list: readonly RlpInput[]): number {
  let length = 0;
  for (const item of list) length += encodedLength(item);
  return length;
}

function write(input: RlpInput, out: Uint8Array, at: number): number {
  if (input instanceof Uint8Array) {
    const start = isOneByteItem(input) ? at : writeRlpHeader(out, at, RLP_STRING, input.length);
    out.set(input, start);
    return start + input.length;
  }
  let next = writeRlpHeader(out, at, RLP_LIST, payloadLength(input));
  for (const item of input) next = write(item, out, next);
  return next;
}

/** Decodes bytes that are exactly one item. Throws `BytesError` `bad-rlp`. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const item = itemAt(bytes, 0);
  if (item.raw.length !== bytes.length)
    throw rlpError(`${bytes.length - item.raw.length} bytes after the item`);
  return item;
}

/** The item that begins at `at`; what follows it is not looked at. Throws `BytesError` `bad-rlp`. */
export function itemAt(bytes: Uint8Array, at: number): RlpItem {
  readRlpHeader(bytes, at, bytes.length);
  const { start, end } = rlpPayload;
  const isList = (bytes[at] as number) >= RLP_LIST; // in range: the header was read
  return { isList, payload: bytes.subarray(start, end), raw: bytes.subarray(at, end) };
}

/** The items of a list. Throws `BytesError` `bad-rlp` when it is a string or damaged inside. */
export function listItems(item: RlpItem): RlpItem[] {
  if (!item.isList) throw rlpError("a byte string where a list is wanted");
  const items: RlpItem[] = [];
  for (let at = 0; at < item.payload.length; ) {
    const inner = itemAt(item.payload, at);
    items.push(inner);
    at += inner.raw.length;
  }
  return items;
}

/** The bytes of a string item. */
export function stringBytes(item: RlpItem): Uint8Array {
  if (item.isList) throw rlpError("a list where a byte string is wanted");
  return item.payload;
}

/** The integer of a string item; leading zeros and more than `maxBytes` bytes are refused. */
export function itemInteger(item: RlpItem, maxBytes = 32): bigint {
  const bytes = stringBytes(item);
  if (bytes.length > maxBytes) throw rlpError(`integer of ${bytes.length} bytes, at most ${maxBytes}`);
  if (bytes[0] === 0) throw rlpError("integer with leading zero bytes");
  return bytesToBigint(bytes);
}

/**
 * Everything as nested arrays of views, for people and for checking a whole tree. Depth bounded. Throws
 * `BytesError` `bad-rlp`, whose position counts from the item's first byte.
 */
export function decodeRlpTree({ isList, payload, raw }: RlpItem): RlpInput {
  return isList ? readTrees(raw, raw.length - payload.length, raw.length, 1) : payload;
}

/** End of the tree that `readTree` read last: a second result without an object for it. */
let treeEnd = 0;

function readTrees(bytes: Uint8Array, start: number, end: number, depth: number): RlpInput[] {
  if (depth > MAX_RLP_DEPTH) throw rlpError(`lists nested deeper than ${MAX_RLP_DEPTH}`, start);
  const trees: RlpInput[] = [];
  for (let at = start; at < end; at = treeEnd) trees.push(readTree(bytes, at, end, depth));
  treeEnd = end;
  return trees;
}

function readTree(bytes: Uint8Array, at: number, end: number, depth: number): RlpInput {
  readRlpHeader(bytes, at, end);
  const { start, end: stop } = rlpPayload;
  if ((bytes[at] as number) >= RLP_LIST) return readTrees(bytes, start, stop, depth + 1); // in range: at < end
  treeEnd = stop;
  // The constructor makes a view a third faster than `subarray`, which looks for subclasses.
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, stop - start);
}
