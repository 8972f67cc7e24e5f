/**
 * RLP codecs of message payloads (node/cn/protocol.go@v2.2.2). Decoding is strict, encoding reproduces the
 * same bytes. Decoded byte strings are views.
 */
import type { Hash } from "../bytes/brands.ts";
import { BytesError } from "../bytes/error.ts";
import { integerBytes } from "../bytes/integer.ts";
import { decodeRlp, encodeRlp, encodeRlpList } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import type { ConsensusEnvelope } from "../consensus/consensus-peers.ts";
import { type Bid, decodeBid } from "../model/bid.ts";
import { encodeSidecar, readListedSidecar } from "../model/blob-sidecar.ts";
import { decodeHeader, encodeHeader, type Header } from "../model/header.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import type { SidecarPlace } from "../txpool/sidecars.ts";
import { MAX_HASHES, MAX_SERVED, MAX_TRANSACTIONS } from "./limits.ts";
import { transactionItems } from "./transaction-items.ts";

/** Codec of one kind of payload. `decode` throws `BytesError`, `ModelError` or `TransactionError`. */
export interface PayloadCodec<T> {
  decode(payload: Uint8Array): T;
  encode(value: T): Uint8Array;
}

/** Status, the first message of each side. `td` is the total block score of the head. */
export interface Status {
  readonly version: number;
  readonly networkId: bigint;
  readonly td: bigint;
  readonly headHash: Hash;
  readonly genesisHash: Hash;
  readonly chainId: bigint;
}

/** An announced block. */
export interface AnnouncedBlock {
  readonly hash: Hash;
  readonly number: number;
}

/** Query for headers: from a hash or number on, every `skip + 1`-th. */
export interface HeaderQuery {
  readonly origin: Hash | bigint;
  readonly amount: bigint;
  readonly skip: bigint;
  readonly reverse: boolean;
}

/** A whole block. `body` is the RLP list of its transactions, unvalidated. */
export interface PushedBlock {
  readonly header: Header;
  readonly body: Uint8Array;
  readonly td: bigint;
}

/** Decodes a payload to its end with `read`. */
function decodeWhole<T>(payload: Uint8Array, read: (cursor: RlpCursor) => T): T {
  const cursor = new RlpCursor(payload);
  const value = read(cursor);
  cursor.leave(cursor.bytes.length);
  return value;
}

function readList<T>(cursor: RlpCursor, max: number, read: (cursor: RlpCursor) => T): T[] {
  const end = cursor.enter();
  const items: T[] = [];
  while (!cursor.done) {
    if (items.length >= max) throw new BytesError("bad-rlp", `more than ${max} items`);
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

/** Codec of one list item. */
interface ItemCodec<T> {
  readonly read: (cursor: RlpCursor) => T;
  readonly write: (value: T) => Uint8Array;
}

/** Creates the codec of a list of at max `max` items. */
function listCodec<T>(max: number, item: ItemCodec<T>): PayloadCodec<T[]> {
  return {
    decode: (payload) => decodeWhole(payload, (cursor) => readList(cursor, max, item.read)),
    encode: (values) => encodeRlpList(values.map(item.write)),
  };
}

const header: ItemCodec<Header> = {
  read: (cursor) => readHeader(cursor.raw()),
  write: encodeHeader,
};

function readHeader(raw: Uint8Array): Header {
  return decodeHeader(decodeRlp(raw));
}

/** Codec of the status message. */
export const statusCodec: PayloadCodec<Status> = {
  decode: (payload) =>
    decodeWhole(payload, (cursor) =>
      readFields(cursor, () => ({
        version: cursor.number(4),
        networkId: cursor.bigint(8),
        td: cursor.bigint(),
        headHash: cursor.hash(),
        genesisHash: cursor.hash(),
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

/** Codec of a bid. */
export const bidCodec: PayloadCodec<Bid> = { decode: decodeBid, encode: ({ raw }) => raw };

/** Codec of announced blocks. */
export const announcedCodec: PayloadCodec<AnnouncedBlock[]> = listCodec(MAX_HASHES, {
  read: (cursor) => readFields(cursor, () => ({ hash: cursor.hash(), number: cursor.number() })),
  write: ({ hash, number }) => encodeRlp([hash, integerBytes(number)]),
});

/** Codec of a request for the blob sidecars of mined transactions. */
export const sidecarPlacesCodec: PayloadCodec<SidecarPlace[]> = listCodec(MAX_HASHES, {
  read: (cursor) =>
    readFields(cursor, () => ({ number: cursor.number(), index: cursor.number(), hash: cursor.hash() })),
  write: ({ number, index, hash }) => encodeRlp([integerBytes(number), integerBytes(index), hash]),
});

/** A blob sidecar with the position that it was requested for. */
export interface PlacedSidecar extends SidecarPlace {
  readonly sidecar: BlobSidecar;
}

/** Codec of an answer with blob sidecars. */
export const sidecarsCodec: PayloadCodec<PlacedSidecar[]> = listCodec(MAX_SERVED.sidecars, {
  read: (cursor) =>
    readFields(cursor, () => ({
      number: cursor.number(),
      index: cursor.number(),
      hash: cursor.hash(),
      sidecar: readListedSidecar(cursor),
    })),
  write: ({ number, index, hash, sidecar }) =>
    encodeRlpList([
      ...[integerBytes(number), integerBytes(index), hash].map((field) => encodeRlp(field)),
      encodeSidecar(sidecar),
    ]),
});

/** Codec of a single hash outside a list. */
export const hashCodec: PayloadCodec<Uint8Array> = {
  decode: (payload) => decodeWhole(payload, (cursor) => cursor.hash()),
  encode: (hash) => encodeRlp(hash),
};

/** Codec of a list of hashes. */
export const hashesCodec: PayloadCodec<Uint8Array[]> = listCodec(MAX_HASHES, {
  read: (cursor) => cursor.hash(),
  write: (hash) => encodeRlp(hash),
});

/** Codec of a single header outside a list. */
export const headerCodec: PayloadCodec<Header> = {
  decode: readHeader,
  encode: encodeHeader,
};

/** Codec of headers, in the order of the query. */
export const headersCodec: PayloadCodec<Header[]> = listCodec(MAX_SERVED.headers, header);

/** Codec of a header query. */
export const headerQueryCodec: PayloadCodec<HeaderQuery> = {
  decode: (payload) =>
    decodeWhole(payload, (cursor) =>
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
  return isHash ? cursor.hash() : cursor.bigint(8);
}

/**
 * Codec of bodies, each the RLP list of a block's transactions. The transactions are not delimited: an answer has
 * millions of the smallest items, and a body is decoded in slices where its block is assembled.
 */
export const bodiesCodec: PayloadCodec<Uint8Array[]> = listCodec(MAX_SERVED.bodies, {
  read: (cursor) => readFields(cursor, () => cursor.raw()),
  write: (body) => encodeRlpList([body]),
});

function checkBody(body: Uint8Array): Uint8Array {
  for (const _ of transactionItems(body)); // throws where one is damaged
  return body;
}

/** Codec of transactions in their raw form. */
export const transactionsCodec: PayloadCodec<Uint8Array[]> = {
  decode: (payload) => [...transactionItems(payload)],
  encode: (items) => encodeRlpList(items),
};

/** Codec of a whole block with its total block score. */
export const pushedBlockCodec: PayloadCodec<PushedBlock> = {
  decode: (payload) =>
    decodeWhole(payload, (cursor) =>
      readFields(cursor, () => ({
        ...readFields(cursor, () => ({ header: header.read(cursor), body: checkBody(cursor.raw()) })),
        td: cursor.bigint(),
      })),
    ),
  encode: (block) =>
    encodeRlpList([
      encodeRlpList([encodeHeader(block.header), block.body]),
      encodeRlp(integerBytes(block.td)),
    ]),
};

/** Codec of a list of byte strings. */
export const stringsCodec: PayloadCodec<Uint8Array[]> = listCodec(MAX_HASHES, {
  read: (cursor) => cursor.string(),
  write: (bytes) => encodeRlp(bytes),
});

/** Codec of receipts by block, in the form that the receipts root covers. */
export const receiptsCodec: PayloadCodec<Uint8Array[][]> = listCodec(MAX_SERVED.receipts, {
  read: (cursor) => readList(cursor, MAX_TRANSACTIONS, () => cursor.raw()),
  write: encodeRlpList,
});

/** Codec of the envelope of a consensus message. */
export const consensusCodec: PayloadCodec<ConsensusEnvelope> = {
  decode: (payload) =>
    decodeWhole(payload, (cursor) =>
      readFields(cursor, () => ({ previousHash: cursor.hash(), message: cursor.string() })),
    ),
  encode: ({ previousHash, message }) => encodeRlp([previousHash, message]),
};

/** Codec of one RLP item that is not interpreted. */
export const opaqueCodec: PayloadCodec<Uint8Array> = {
  decode: (payload) => decodeRlp(payload).raw,
  encode: (raw) => raw,
};
