/** The messages of the chain protocol `istanbul`: one row each, and what its versions differ in. */
import { BytesError } from "../bytes/error.ts";
import { ModelError, TransactionError } from "../model/error.ts";
import {
  announcedCodec,
  bodiesCodec,
  type Codec,
  consensusCodec,
  hashCodec,
  hashesCodec,
  headerCodec,
  headerQueryCodec,
  headersCodec,
  opaqueCodec,
  pushedBlockCodec,
  receiptsCodec,
  sidecarPlacesCodec,
  statusCodec,
  stringsCodec,
  transactionsCodec,
} from "./codecs.ts";
import { ProtocolError } from "./error.ts";
import { MOST_PAYLOAD, MOST_REQUEST } from "./limits.ts";

/** A message: `since` is the version that brought it. `decode` throws `ProtocolError` `bad-message` only. */
export interface MessageRow<T> extends Codec<T> {
  readonly code: number;
  readonly name: string;
  readonly since: number;
  /** Bytes of its payload, unpacked. */
  readonly maxPayload: number;
}

/** Name and number of codes of each version. */
export const PROTOCOL_NAME = "istanbul";
/** What the versions differ in is the number of codes; in the order in which the Go node names them. */
export const VERSIONS = [
  { version: 67, length: 26 },
  { version: 66, length: 24 },
  { version: 65, length: 23 },
  { version: 64, length: 21 },
] as const;

/** Every message by a name of our own. */
export const messages = {
  status: row(0x00, "Status", statusCodec, { maxPayload: MOST_REQUEST }),
  announced: row(0x01, "NewBlockHashes", announcedCodec, { maxPayload: MOST_REQUEST }),
  oneHeaderRequest: row(0x02, "BlockHeaderFetchRequest", hashCodec, { maxPayload: MOST_REQUEST }),
  oneHeader: row(0x03, "BlockHeaderFetchResponse", headerCodec),
  fetchedBodiesRequest: row(0x04, "BlockBodiesFetchRequest", hashesCodec, { maxPayload: MOST_REQUEST }),
  fetchedBodies: row(0x05, "BlockBodiesFetchResponse", bodiesCodec),
  transactions: row(0x06, "Tx", transactionsCodec),
  headersRequest: row(0x07, "BlockHeadersRequest", headerQueryCodec, { maxPayload: MOST_REQUEST }),
  headers: row(0x08, "BlockHeaders", headersCodec),
  bodiesRequest: row(0x09, "BlockBodiesRequest", hashesCodec, { maxPayload: MOST_REQUEST }),
  bodies: row(0x0a, "BlockBodies", bodiesCodec),
  block: row(0x0b, "NewBlock", pushedBlockCodec),
  nodeDataRequest: row(0x0c, "NodeDataRequest", hashesCodec, { maxPayload: MOST_REQUEST }),
  nodeData: row(0x0d, "NodeData", stringsCodec),
  receiptsRequest: row(0x0e, "ReceiptsRequest", hashesCodec, { maxPayload: MOST_REQUEST }),
  receipts: row(0x0f, "Receipts", receiptsCodec),
  consensus: row(0x11, "Consensus", consensusCodec),
  stakingRequest: row(0x12, "StakingInfoRequest", hashesCodec, { since: 65, maxPayload: MOST_REQUEST }),
  staking: row(0x13, "StakingInfo", opaqueCodec, { since: 65 }),
  bid: row(0x14, "Bid", opaqueCodec, { since: 66, maxPayload: MOST_REQUEST }),
  sidecarsRequest: row(0x15, "BlobSidecarsRequest", sidecarPlacesCodec, {
    since: 67,
    maxPayload: MOST_REQUEST,
  }),
  sidecars: row(0x16, "BlobSidecars", opaqueCodec, { since: 67 }),
} as const;

const BY_CODE: ReadonlyMap<number, MessageRow<unknown>> = new Map(
  Object.values(messages).map((message) => [message.code, message]),
);

/** The row of a code in a version; undefined where that version has none. */
export function messageOf(code: number, version: number): MessageRow<unknown> | undefined {
  const found = BY_CODE.get(code);
  return found !== undefined && found.since <= version ? found : undefined;
}

function row<T>(
  code: number,
  name: string,
  codec: Codec<T>,
  { since = 64, maxPayload = MOST_PAYLOAD }: { since?: number; maxPayload?: number } = {},
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
