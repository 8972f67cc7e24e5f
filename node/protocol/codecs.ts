/** How the parts of peer messages are written: strict RLP in, the same bytes out. Byte strings are views. */
import { BytesError } from "../bytes/error.ts";
import { integerBytes } from "../bytes/integer.ts";
import { decodeRlp, encodeRlp, encodeRlpList } from "../bytes/rlp.ts";
import type { ConsensusEnvelope } from "../consensus/consensus-peers.ts";
import { decodeHeader, encodeHeader, type Header } from "../model/header.ts";
import { RlpCursor } from "../model/rlp-cursor.ts";
import { MOST_HASHES, MOST_HEADER, MOST_TRANSACTIONS, SERVED } from "./limits.ts";
import { transactionItems } from "./transaction-items.ts";

/** Reads and writes one kind of payload. `decode` throws `BytesError`, `ModelError` or `TransactionError`. */
export interface Codec<T> {
  decode(payload: Uint8Array): T;
  encode(value: T): Uint8Array;
}

/** What two nodes say of themselves first. `td` is the sum of the block scores up to the head. */
export interface Status {
  readonly version: number;
  readonly networkId: bigint;
  readonly td: bigint;
  readonly headHash: Uint8Array;
  readonly genesisHash: Uint8Array;
  readonly chainId: bigint;
}

/** A block that a peer has. */
export interface Announced {
  readonly hash: Uint8Array;
  readonly number: number;
}

/** Which headers are wanted: from a hash or number on, every `skip + 1`-th. */
export interface HeaderQuery {
  readonly origin: Uint8Array | bigint;
  readonly amount: bigint;
  readonly skip: bigint;
  readonly reverse: boolean;
}

/** A whole block as it came; the body is the RLP list of its transactions, not looked at. */
export interface PushedBlock {
  readonly header: Header;
  readonly body: Uint8Array;
  readonly td: bigint;
}

/** Reads a list to its end with `read`. */
function reading<T>(payload: Uint8Array, read: (cursor: RlpCursor) => T): T {
  const cursor = new RlpCursor(payload);
  const value = read(cursor);
  cursor.leave(cursor.bytes.length);
  return value;
}

function readList<T>(cursor: RlpCursor, most: number, read: (cursor: RlpCursor) => T): T[] {
  const end = cursor.enter();
  const items: T[] = [];
  while (!cursor.done) {
    if (items.length >= most) throw new BytesError("bad-rlp", `more than ${most} items`);
    items.push(read(cursor));
  }
  cursor.leave(end);
  return items;
}

function readFields<T>(cursor: RlpCursor, read: (cursor: RlpCursor) => T): T {
  const end = cursor.enter();
  const value = read(cursor);
  cursor.leave(end);
  return value;
}

/** How an item of a list is read and written. */
interface Item<T> {
  readonly read: (cursor: RlpCursor) => T;
  readonly write: (value: T) => Uint8Array;
}

/** A message that is a list of at most so many equal things. */
function listOf<T>(most: number, item: Item<T>): Codec<T[]> {
  return {
    decode: (payload) => reading(payload, (cursor) => readList(cursor, most, item.read)),
    encode: (values) => encodeRlpList(values.map(item.write)),
  };
}

const header: Item<Header> = {
  read: (cursor) => readHeader(cursor.raw()),
  write: encodeHeader,
};

function readHeader(raw: Uint8Array): Header {
  if (raw.length > MOST_HEADER) throw new BytesError("bad-rlp", `a header of ${raw.length} bytes`);
  return decodeHeader(decodeRlp(raw));
}

/** The first message each way. */
export const statusCodec: Codec<Status> = {
  decode: (payload) =>
    reading(payload, (cursor) =>
      readFields(cursor, () => ({
        version: cursor.number(4),
        networkId: cursor.bigint(8),
        td: cursor.bigint(),
        headHash: cursor.fixed(32),
        genesisHash: cursor.fixed(32),
        chainId: cursor.bigint(),
      })),
    ),
  encode: ({ version, networkId, td, headHash, genesisHash, chainId }) =>
    encodeRlp([
      integerBytes(version),
      integerBytes(networkId),
      integerBytes(td),
      headHash,
      genesisHash,
      integerBytes(chainId),
    ]),
};

/** Blocks that a peer has got. */
export const announcedCodec: Codec<Announced[]> = listOf(MOST_HASHES, {
  read: (cursor) => readFields(cursor, () => ({ hash: cursor.fixed(32), number: cursor.number() })),
  write: ({ hash, number }) => encodeRlp([hash, integerBytes(number)]),
});

/** A transaction whose blobs are wanted, and where it stands. */
export interface SidecarPlace {
  readonly number: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

/** The blobs of mined transactions that are wanted. */
export const sidecarPlacesCodec: Codec<SidecarPlace[]> = listOf(MOST_HASHES, {
  read: (cursor) =>
    readFields(cursor, () => ({ number: cursor.number(), index: cursor.number(), hash: cursor.fixed(32) })),
  write: ({ number, index, hash }) => encodeRlp([integerBytes(number), integerBytes(index), hash]),
});

/** One hash that is not in a list. */
export const hashCodec: Codec<Uint8Array> = {
  decode: (payload) => reading(payload, (cursor) => cursor.fixed(32)),
  encode: (hash) => encodeRlp(hash),
};

/** Hashes of what is wanted. */
export const hashesCodec: Codec<Uint8Array[]> = listOf(MOST_HASHES, {
  read: (cursor) => cursor.fixed(32),
  write: (hash) => encodeRlp(hash),
});

/** One header that is not in a list. */
export const headerCodec: Codec<Header> = {
  decode: readHeader,
  encode: encodeHeader,
};

/** Headers in the order asked for. */
export const headersCodec: Codec<Header[]> = listOf(SERVED.headers, header);

/** Which headers are wanted. */
export const headerQueryCodec: Codec<HeaderQuery> = {
  decode: (payload) =>
    reading(payload, (cursor) =>
      readFields(cursor, () => ({
        origin: readOrigin(cursor),
        amount: cursor.bigint(8),
        skip: cursor.bigint(8),
        reverse: cursor.boolean(),
      })),
    ),
  encode: ({ origin, amount, skip, reverse }) =>
    encodeRlp([
      typeof origin === "bigint" ? integerBytes(origin) : origin,
      integerBytes(amount),
      integerBytes(skip),
      integerBytes(reverse ? 1 : 0),
    ]),
};

function readOrigin(cursor: RlpCursor): Uint8Array | bigint {
  const isHash = cursor.bytes[cursor.at] === 0x80 + 32;
  return isHash ? cursor.fixed(32) : cursor.bigint(8);
}

/** Bodies: each the RLP list of a block's transactions, whose items are told apart but not read. */
export const bodiesCodec: Codec<Uint8Array[]> = listOf(SERVED.bodies, {
  read: (cursor) => readFields(cursor, () => checkedBody(cursor.raw())),
  write: (body) => encodeRlpList([body]),
});

function checkedBody(body: Uint8Array): Uint8Array {
  for (const _ of transactionItems(body)); // throws where one is damaged
  return body;
}

/** Transactions, each in its raw form. */
export const transactionsCodec: Codec<Uint8Array[]> = {
  decode: (payload) => [...transactionItems(payload)],
  encode: (items) => encodeRlpList(items),
};

/** A whole block and the sum of block scores up to it. */
export const pushedBlockCodec: Codec<PushedBlock> = {
  decode: (payload) =>
    reading(payload, (cursor) =>
      readFields(cursor, () => ({
        ...readFields(cursor, () => ({ header: header.read(cursor), body: checkedBody(cursor.raw()) })),
        td: cursor.bigint(),
      })),
    ),
  encode: (block) =>
    encodeRlpList([
      encodeRlpList([encodeHeader(block.header), block.body]),
      encodeRlp(integerBytes(block.td)),
    ]),
};

/** Byte strings. */
export const stringsCodec: Codec<Uint8Array[]> = listOf(MOST_HASHES, {
  read: (cursor) => cursor.string(),
  write: (bytes) => encodeRlp(bytes),
});

/** The receipts of each block, in the form that the receipts root covers. */
export const receiptsCodec: Codec<Uint8Array[][]> = listOf(SERVED.receipts, {
  read: (cursor) => readList(cursor, MOST_TRANSACTIONS, () => cursor.raw()),
  write: encodeRlpList,
});

/** The outer form of a consensus message. */
export const consensusCodec: Codec<ConsensusEnvelope> = {
  decode: (payload) =>
    reading(payload, (cursor) =>
      readFields(cursor, () => ({ previousHash: cursor.fixed(32), message: cursor.string() })),
    ),
  encode: ({ previousHash, message }) => encodeRlp([previousHash, message]),
};

/** One RLP item of a kind that this release has no use for. */
export const opaqueCodec: Codec<Uint8Array> = {
  decode: (payload) => decodeRlp(payload).raw,
  encode: (raw) => raw,
};
