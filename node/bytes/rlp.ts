/**
 * Recursive Length Prefix (Ethereum yellow paper, appendix B), strict: canonical lengths, no trailing bytes,
 * depth bounded. Decoding copies nothing: an item is a view of the input. Encoding measures first, then
 * writes once. Hot file: exempt from the size limits, measured by `bench/formats`.
 */
import { BytesError } from "./error.ts";
import { bytesToBigint } from "./integer.ts";

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
  let at = writeRlpHeader(out, 0, 0xc0, length);
  for (const item of items) {
    out.set(item, at);
    at += item.length;
  }
  return out;
}

function encodedLength(input: RlpInput): number {
  if (input instanceof Uint8Array) return isOneByte(input) ? 1 : rlpHeaderLength(input.length) + input.length;
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
    const start = isOneByte(input) ? at : writeRlpHeader(out, at, 0x80, input.length);
    out.set(input, start);
    return start + input.length;
  }
  let next = writeRlpHeader(out, at, 0xc0, payloadLength(input));
  for (const item of input) next = write(item, out, next);
  return next;
}

function isOneByte(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] as number) < 0x80;
}

/** Bytes of the header of a string or list with a payload of `length` bytes. */
export function rlpHeaderLength(length: number): number {
  return length < 56 ? 1 : 1 + lengthBytes(length);
}

function lengthBytes(length: number): number {
  return length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4;
}

/** Writes a header: `base` is 0x80 for a string, 0xc0 for a list. Returns where the payload begins. */
export function writeRlpHeader(out: Uint8Array, at: number, base: number, length: number): number {
  if (length < 56) {
    out[at] = base + length;
    return at + 1;
  }
  const count = lengthBytes(length);
  out[at] = base + 55 + count;
  for (let i = count; i > 0; i--) out[at + i] = (length >>> (8 * (count - i))) & 0xff;
  return at + 1 + count;
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
  const first = bytes[at];
  if (first === undefined) throw rlpError("unexpected end of input", at);
  if (first < 0x80) return view(bytes, at, at, 1, false);
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  if (short < 56) {
    const item = view(bytes, at, at + 1, short, isList);
    if (!isList && short === 1 && (item.payload[0] as number) < 0x80) {
      throw rlpError("a single byte below 0x80 with a length prefix", at);
    }
    return item;
  }
  const count = short - 55;
  return view(bytes, at, at + 1 + count, longLength(bytes, at, count), isList);
}

function longLength(bytes: Uint8Array, at: number, count: number): number {
  if (at + 1 + count > bytes.length) throw rlpError("unexpected end of input", at);
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + (bytes[at + i] as number); // in range: checked above
  if (bytes[at + 1] === 0 || length < 56) throw rlpError("length in more bytes than needed", at);
  return length;
}

function view(bytes: Uint8Array, at: number, start: number, length: number, isList: boolean): RlpItem {
  const end = start + length;
  if (end > bytes.length) throw rlpError(`length ${length} passes the end of the input`, at);
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
  const first = bytes[at] as number; // in range: at < end
  if (first < 0x80) return leaf(bytes, at, at + 1);
  const isList = first >= 0xc0;
  let length = first - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  if (length > 55) {
    const count = length - 55;
    start += count;
    if (start > end) throw rlpError("unexpected end of input", at);
    length = longLength(bytes, at, count);
  }
  const stop = start + length;
  if (stop > end) throw rlpError(`length ${length} passes the end of the input`, at);
  if (isList) return readTrees(bytes, start, stop, depth + 1);
  if (length === 1 && (bytes[start] as number) < 0x80) {
    throw rlpError("a single byte below 0x80 with a length prefix", at);
  }
  return leaf(bytes, start, stop);
}

/** A view made by the constructor: a third faster than `subarray`, which looks for subclasses. */
function leaf(bytes: Uint8Array, start: number, stop: number): Uint8Array {
  treeEnd = stop;
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, stop - start);
}

function rlpError(what: string, at?: number): BytesError {
  return new BytesError("bad-rlp", at === undefined ? `rlp: ${what}` : `rlp: ${what} (byte ${at})`);
}
