/**
 * Messages of the chain protocol `istanbul` (node/cn/protocol.go@v2.2.2): one row each, and the versions of
 * the protocol.
 */
import { BytesError } from "../bytes/error.ts";
import { ModelError, TransactionError } from "../model/error.ts";
import {
  announcedCodec,
  bidCodec,
  bodiesCodec,
  consensusCodec,
  hashCodec,
  hashesCodec,
  headerCodec,
  headerQueryCodec,
  headersCodec,
  opaqueCodec,
  type PayloadCodec,
  pushedBlockCodec,
  receiptsCodec,
  sidecarPlacesCodec,
  sidecarsCodec,
  statusCodec,
  stringsCodec,
  transactionsCodec,
} from "./codecs.ts";
import { ProtocolError } from "./error.ts";
import { MAX_PAYLOAD_BYTES, MAX_REQUEST_BYTES } from "./limits.ts";

/**
 * A message. `since` is the first version that has it. `decode` throws `ProtocolError` `bad-message` only.
 */
export interface MessageRow<T> extends PayloadCodec<T> {
  readonly code: number;
  readonly name: string;
  readonly since: number;
  /** Maximum size of the payload, uncompressed, in bytes. */
  readonly maxPayload: number;
}

/** Name of the protocol in hello. */
export const PROTOCOL_NAME = "istanbul";
/** Versions with their number of codes, in the order in which the Go node lists them. */
export const VERSIONS = [
  { version: 67, length: 26 },
  { version: 66, length: 24 },
  { version: 65, length: 23 },
  { version: 64, length: 21 },
] as const;

/** All messages. A row's `name` is the Go node's. */
export const messages = {
  status: row(0x00, "Status", statusCodec, { maxPayload: MAX_REQUEST_BYTES }),
  newBlockHashes: row(0x01, "NewBlockHashes", announcedCodec, { maxPayload: MAX_REQUEST_BYTES }),
  headerFetchRequest: row(0x02, "BlockHeaderFetchRequest", hashCodec, { maxPayload: MAX_REQUEST_BYTES }),
  headerFetchResponse: row(0x03, "BlockHeaderFetchResponse", headerCodec),
  bodiesFetchRequest: row(0x04, "BlockBodiesFetchRequest", hashesCodec, { maxPayload: MAX_REQUEST_BYTES }),
  bodiesFetchResponse: row(0x05, "BlockBodiesFetchResponse", bodiesCodec),
  transactions: row(0x06, "Tx", transactionsCodec),
  headersRequest: row(0x07, "BlockHeadersRequest", headerQueryCodec, { maxPayload: MAX_REQUEST_BYTES }),
  headers: row(0x08, "BlockHeaders", headersCodec),
  bodiesRequest: row(0x09, "BlockBodiesRequest", hashesCodec, { maxPayload: MAX_REQUEST_BYTES }),
  bodies: row(0x0a, "BlockBodies", bodiesCodec),
  newBlock: row(0x0b, "NewBlock", pushedBlockCodec),
  nodeDataRequest: row(0x0c, "NodeDataRequest", hashesCodec, { maxPayload: MAX_REQUEST_BYTES }),
  nodeData: row(0x0d, "NodeData", stringsCodec),
  receiptsRequest: row(0x0e, "ReceiptsRequest", hashesCodec, { maxPayload: MAX_REQUEST_BYTES }),
  receipts: row(0x0f, "Receipts", receiptsCodec),
  consensus: row(0x11, "Consensus", consensusCodec),
  stakingInfoRequest: row(0x12, "StakingInfoRequest", hashesCodec, {
    since: 65,
    maxPayload: MAX_REQUEST_BYTES,
  }),
  stakingInfo: row(0x13, "StakingInfo", opaqueCodec, { since: 65 }),
  bid: row(0x14, "Bid", bidCodec, { since: 66, maxPayload: MAX_REQUEST_BYTES }),
  sidecarsRequest: row(0x15, "BlobSidecarsRequest", sidecarPlacesCodec, {
    since: 67,
    maxPayload: MAX_REQUEST_BYTES,
  }),
  sidecars: row(0x16, "BlobSidecars", sidecarsCodec, { since: 67 }),
} as const;

const BY_CODE: ReadonlyMap<number, MessageRow<unknown>> = new Map(
  Object.values(messages).map((message) => [message.code, message]),
);

/** Returns the row of a code, or undefined when the version does not have it. */
export function messageRow(code: number, version: number): MessageRow<unknown> | undefined {
  const found = BY_CODE.get(code);
  return found !== undefined && found.since <= version ? found : undefined;
}

function row<T>(
  code: number,
  name: string,
  codec: PayloadCodec<T>,
  { since = 64, maxPayload = MAX_PAYLOAD_BYTES }: { since?: number; maxPayload?: number } = {},
): MessageRow<T> {
  const decode = (payload: Uint8Array): T => {
    try {
      return codec.decode(payload);
    } catch (cause) {
      if (!isFormatError(cause)) throw cause;
      throw new ProtocolError("bad-message", `${name}: ${cause.message}`, { cause });
    }
  };
  return { code, name, since, maxPayload, decode, encode: (value) => codec.encode(value) };
}

function isFormatError(error: unknown): error is Error {
  return error instanceof BytesError || error instanceof ModelError || error instanceof TransactionError;
}
