/** Block references in parameters: a number, a tag or a hash, their decoders and the number that each refers to. */
import type { Hash } from "../../bytes/brands.ts";
import { MAX_UINT64 } from "../../bytes/integer.ts";
import { CodecError, type Decoder, object, wrongKind } from "../../jsonrpc/codec.ts";
import { decodeUint64, fixedText, hash, withoutFault } from "../../jsonrpc/codecs/hex.ts";
import { boolean } from "../../jsonrpc/codecs/plain.ts";
import { failure } from "../../jsonrpc/errors.ts";
import { EscapedText, jsonKind, NumberText } from "../../jsonrpc/json-text.ts";
import { schemaRefs } from "../../jsonrpc/schemas.ts";
import {
  MAX_BLOCK_NUMBER,
  MAX_NEGATIVE_BLOCK_NUMBER,
  noHeaderAt,
  noReference,
} from "../../presenters/not-found.ts";

/** A tag for a moving block. `safe` and `finalized` are decoded as `latest`: Istanbul blocks are final. */
export type BlockTag = "latest" | "earliest" | "pending";

/** A block number or a tag. */
export type BlockNumber = number | BlockTag;

/** A number, a tag or a hash; `undefined` for an object with neither member. */
export type BlockReference =
  | { readonly number: BlockNumber; readonly hash?: undefined }
  | { readonly hash: Hash; readonly number?: undefined };

/** Returns the block number that a tag refers to. `pending` is the newest block. */
export function resolveNumber(head: number, number: BlockNumber): number {
  if (typeof number === "number") return number;
  return number === "earliest" ? 0 : head;
}

/** The numbers of a chain's blocks. */
export interface BlockNumbers {
  /** Number of the newest block. */
  readonly head: number;
  /** Returns the number of the block with a hash. */
  numberOf(hash: Hash): number | undefined;
}

/** Returns the number of a referenced block; `pending` is the newest. Throws `RpcError`. */
export function referencedNumber(reading: BlockNumbers, reference: BlockReference | undefined): number {
  if (reference === undefined) throw noReference();
  if (reference.hash !== undefined) {
    const found = reading.numberOf(reference.hash);
    if (found === undefined || found > reading.head) throw failure("header for hash not found");
    return found;
  }
  const wanted = resolveNumber(reading.head, reference.number);
  if (wanted > reading.head) throw noHeaderAt(wanted);
  return wanted;
}

/** The most frequent reference. */
const LATEST: BlockReference = { number: "latest" };
const TAGS: Readonly<Record<string, BlockTag>> = {
  latest: "latest",
  earliest: "earliest",
  pending: "pending",
  safe: "latest",
  finalized: "latest",
};

/** Decoder of a block number: a tag, a quantity or a JSON number. JSON null is 0, as in Go. */
export const blockNumber: Decoder<BlockNumber> = {
  label: "block number",
  schema: schemaRefs.blockNumber,
  decode(json) {
    if (json === null) return 0;
    return fromNumber(json) ?? fromText(rawText(json), "Blocknumber too high");
  },
};

/** Decoder of a count: a quantity or a JSON number. */
export const decimalOrHex: Decoder<number> = {
  label: "quantity",
  schema: schemaRefs.quantity,
  decode: (json) => {
    const text = json === null ? "null" : rawText(json);
    if (/^\d+$/.test(text) && BigInt(text) < 1n << 64n) return Number(text);
    return Number(withoutFault(() => decodeUint64(text)));
  },
};

/**
 * Decoder of a block reference: a number, a tag, a hash or an object `{blockNumber}` / `{blockHash}`
 * (EIP-1898).
 */
export const blockReference: Decoder<BlockReference | undefined> = {
  label: "block",
  schema: schemaRefs.block,
  decode(json) {
    if (json === "latest") return LATEST;
    const number = fromNumber(json);
    if (number !== undefined) return { number };
    if (jsonKind(json) === "object") return fromObject(json);
    if (json === null || json === undefined) return undefined;
    const text = json instanceof EscapedText ? json.value : json;
    if (typeof text !== "string") throw wrongKind(json, "string");
    if (text.length === 66) return { hash: fixedText(text, "Hash", 32) };
    return { number: fromText(text, "blocknumber too high") };
  },
};

const referenceObject = object("block object", "rpc.BlockNumberOrHash", {
  blockNumber,
  blockHash: hash,
  requireCanonical: boolean,
});

function fromObject(json: unknown): BlockReference | undefined {
  const { blockNumber: number, blockHash } = membersOf(json);
  if (number !== undefined && blockHash !== undefined) {
    throw new CodecError("cannot specify both BlockHash and BlockNumber, choose one or the other");
  }
  if (blockHash !== undefined) return { hash: blockHash };
  return number === undefined ? undefined : { number };
}

/** Decodes the members; the Go node reads an object that it cannot decode as a text. */
function membersOf(json: unknown): ReturnType<typeof referenceObject.decode> {
  try {
    return referenceObject.decode(json);
  } catch (error) {
    throw error instanceof CodecError ? wrongKind(json, "string") : error;
  }
}

/**
 * Returns the block number of a JSON number below 2^64, undefined for anything else. The Go node's numbers are signed:
 * the two largest are its tags, others of their half no block's number.
 */
function fromNumber(json: unknown): BlockNumber | undefined {
  if (typeof json === "number") return Number.isSafeInteger(json) && json >= 0 ? json : undefined;
  if (!(json instanceof NumberText) || !/^\d+$/.test(json.raw)) return undefined;
  const number = BigInt(json.raw);
  if (number >> 64n !== 0n) return undefined;
  if (number === MAX_UINT64) return "latest";
  return number === MAX_UINT64 - 1n ? "pending" : narrow(number);
}

/** Narrows a number below 2^64 so that it stays in its half, of which the upper one is negative in the Go node. */
function narrow(number: bigint): number {
  const isNegative = number >> 63n !== 0n;
  return Math.min(Number(number), isNegative ? MAX_NEGATIVE_BLOCK_NUMBER : MAX_BLOCK_NUMBER);
}

function fromText(text: string, tooHigh: string): BlockNumber {
  const tag = Object.hasOwn(TAGS, text) ? TAGS[text] : undefined;
  if (tag !== undefined) return tag;
  return within(
    withoutFault(() => decodeUint64(text)),
    tooHigh,
  );
}

/** Narrows a quantity. Numbers above 2^53 lose digits, but no block has one, and none becomes larger than allowed. */
function within(number: bigint, tooHigh: string): number {
  if (number > 0x7fff_ffff_ffff_ffffn) throw new CodecError(tooHigh);
  return Math.min(Number(number), MAX_BLOCK_NUMBER);
}

/**
 * Returns the raw JSON token, as the Go node's decoder sees it: anything but a string fails as a number
 * without prefix.
 */
function rawText(json: unknown): string {
  if (typeof json === "string") return json;
  if (json instanceof EscapedText || json instanceof NumberText) return json.raw;
  return typeof json === "object" && json !== null ? "{}" : String(json);
}
