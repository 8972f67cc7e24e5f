/** The codec of log filters: the criteria of `getLogs`, `newFilter` and the `logs` subscription. */
import type { Address, Hash } from "../../bytes/brands.ts";
import { digitBytes, toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import { CodecError, type Decoded, type Decoder, object, wrongKind } from "../../jsonrpc/codec.ts";
import { anything, HexFault, hash } from "../../jsonrpc/codecs/hex.ts";
import { EscapedText } from "../../jsonrpc/json-text.ts";
import { arraySchema, namedSchema, nullableSchema, plainSchemas, schemaRefs } from "../../jsonrpc/schemas.ts";
import { type BlockNumber, blockNumber } from "./block-number.ts";

/** Criteria for logs: a range of blocks, addresses (any when empty) and topics. */
export interface LogFilter {
  readonly from: BlockNumber | undefined;
  readonly to: BlockNumber | undefined;
  readonly blockHash: Hash | undefined;
  readonly addresses: readonly Address[];
  /** Alternatives by position; an empty list matches any topic. */
  readonly topics: readonly (readonly Uint8Array[])[];
}

const { address: addressSchema, hash: hashSchema } = schemaRefs;
/** One address, or a list of alternatives. */
const ADDRESSES = { oneOf: [plainSchemas.nothing, addressSchema, arraySchema(addressSchema)] };
/** A topic, alternatives, or null for any, by position. */
const TOPIC = { oneOf: [plainSchemas.nothing, hashSchema, arraySchema(nullableSchema(hashSchema))] };
const TOPICS = nullableSchema(arraySchema(TOPIC));

/** Go's decoder keeps the error of anything but a list. */
const topicLists: Decoder<unknown> = {
  label: "topics",
  schema: TOPICS,
  decode(json) {
    if (json !== null && !Array.isArray(json)) throw wrongKind(json, "[]interface {}");
    return json;
  },
};

const raw = {
  fromBlock: blockNumber,
  toBlock: blockNumber,
  blockHash: hash,
  address: { ...anything, schema: ADDRESSES },
  topics: topicLists,
};
const filterObject: Decoder<Partial<Decoded<typeof raw>>> = object("log filter", "filters.input", raw);

/** Decoder of `{fromBlock, toBlock, blockHash, address, topics}`, all optional. */
export const logFilter: Decoder<LogFilter> = {
  label: "log filter",
  schema: namedSchema("logFilter", () => filterObject.schema),
  decode(json) {
    const { fromBlock, toBlock, blockHash, address, topics } = filterObject.decode(json);
    if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
      throw new CodecError("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other");
    }
    return {
      from: fromBlock,
      to: toBlock,
      blockHash,
      addresses: addressesOf(address),
      topics: topicsOf(topics),
    };
  },
};

function addressesOf(json: unknown): readonly Address[] {
  if (json === undefined || json === null) return [];
  if (isText(json)) return [bytesOf(json, 20, "invalid address: ")];
  if (!Array.isArray(json)) throw new CodecError("invalid addresses in query");
  return json.map((item: unknown, index) => {
    if (!isText(item)) throw new CodecError(`non-string address at index ${index}`);
    return bytesOf(item, 20, `invalid address at index ${index}: `);
  });
}

/** Matches any topic. One list for all filters, because installed filters are long-lived. */
const ANY: readonly Uint8Array[] = [];
/** Maximum number of topics of a log. A filter with more matches nothing, so its values are not stored. */
const MAX_TOPICS = 4;
const TOO_MANY: readonly (readonly Uint8Array[])[] = Array.from({ length: MAX_TOPICS + 1 }, () => ANY);

function topicsOf(json: unknown): readonly (readonly Uint8Array[])[] {
  if (!Array.isArray(json)) return []; // absent
  const topics = json.map((position: unknown) => {
    if (position === null) return ANY;
    if (isText(position)) return [bytesOf(position, 32, "")];
    if (!Array.isArray(position)) throw new CodecError("invalid topic(s)");
    return alternatives(position);
  });
  return topics.length > MAX_TOPICS ? TOO_MANY : topics;
}

/** A null among alternatives matches any topic, and nothing behind it is read. */
function alternatives(position: readonly unknown[]): readonly Uint8Array[] {
  const end = position.indexOf(null);
  const topics = position.slice(0, end < 0 ? position.length : end).map(oneTopic);
  return end < 0 && topics.length > 0 ? topics : ANY;
}

function oneTopic(json: unknown): Uint8Array {
  if (!isText(json)) throw new CodecError("invalid topic(s)");
  return bytesOf(json, 32, "");
}

function isText(json: unknown): json is string | EscapedText {
  return typeof json === "string" || json instanceof EscapedText;
}

function bytesOf(json: string | EscapedText, length: number, prefix: string): Uint8Array {
  const text = json instanceof EscapedText ? json.value : json;
  try {
    const bytes = decodeHex(text);
    if (bytes.length === length) return bytes;
    throw new HexFault(`hex has invalid length ${bytes.length} after decoding`);
  } catch (error) {
    throw error instanceof HexFault ? new CodecError(`${prefix}${error.message}`) : error;
  }
}

/** Decodes as `hexutil.Decode` (`common/hexutil/hexutil.go@v2.2.2`) does: a wrong digit counts before an odd length. */
function decodeHex(text: string): Uint8Array {
  if (text.length === 0) throw new HexFault("empty hex string");
  if (!/^0[xX]/.test(text)) throw new HexFault("hex string without 0x prefix");
  if (/[^0-9a-fA-F]/.test(text.slice(2))) throw new HexFault("invalid hex string");
  if (text.length % 2 !== 0) throw new HexFault("hex string of odd length");
  const bytes = digitBytes(text.slice(2)); // has its own buffer: a slice would retain the whole pool
  if (bytes === undefined) throw new HexFault("invalid hex string");
  return bytes;
}

/** Encodes a filter as JSON, to pass it to a reader thread. */
export function logFilterJson({ from, to, blockHash, addresses, topics }: LogFilter): object {
  return {
    ...(from === undefined ? {} : { fromBlock: blockNumberJson(from) }),
    ...(to === undefined ? {} : { toBlock: blockNumberJson(to) }),
    ...(blockHash === undefined ? {} : { blockHash: toHex(blockHash) }),
    address: addresses.map(toHex),
    topics: topics.map((each) => (each.length === 0 ? null : each.map(toHex))),
  };
}

function blockNumberJson(number: BlockNumber): string {
  return typeof number === "number" ? toQuantity(number) : number;
}
