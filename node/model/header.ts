/**
 * Block headers: 14 fields, and up to five more from later forks (`blockchain/types/block.go@v2.2.2`). The
 * hash omits the parts that are set after the header is signed: the consensus round and the committed seals.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { RlpItem } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { RlpWriter } from "../bytes/rlp-writer.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { createRunningKeccak } from "../crypto/running-keccak.ts";
import { ModelError } from "./error.ts";
import { extraForHash, extraForSeal } from "./extra-fields.ts";

/**
 * A header. `time` is in seconds, `timeFoS` in hundredths of a second on top of it; `bloom` has 256 bytes.
 */
export interface Header {
  readonly parentHash: Hash;
  readonly rewardbase: Address;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  readonly bloom: Uint8Array;
  readonly blockScore: bigint;
  readonly number: number;
  readonly gasUsed: bigint;
  readonly time: number;
  readonly timeFoS: number;
  /** Vanity, validators and seals; `istanbul-extra.ts` decodes it. */
  readonly extra: Uint8Array;
  readonly governance: Uint8Array;
  readonly vote: Uint8Array;
  readonly baseFee: bigint | undefined;
  /** 96 bytes from Randao on (KIP-114). Empty when only later fields are present. */
  readonly randomReveal: Uint8Array | undefined;
  readonly mixHash: Hash | undefined;
  readonly blobGasUsed: bigint | undefined;
  readonly excessBlobGas: bigint | undefined;
}

const writer = new RlpWriter(2048);

/**
 * Encodes a header as RLP. Absent fields at the end are omitted; an absent field before a present one is
 * written empty.
 */
export function encodeHeader(header: Header): Uint8Array<ArrayBuffer> {
  write(header, header.extra);
  return writer.take();
}

/**
 * Decodes a header; byte strings are views. Throws `BytesError` `bad-rlp` for a field that is missing or has
 * a wrong size.
 */
export function decodeHeader(item: RlpItem): Header {
  const cursor = new RlpCursor(item.raw);
  const end = cursor.enter();
  const header: Header = {
    parentHash: cursor.hash(),
    rewardbase: cursor.address(),
    stateRoot: cursor.hash(),
    transactionsRoot: cursor.hash(),
    receiptsRoot: cursor.hash(),
    bloom: cursor.fixedBytes(256),
    blockScore: cursor.bigint(),
    number: cursor.number(),
    gasUsed: cursor.bigint(8),
    time: cursor.number(),
    timeFoS: cursor.number(1),
    extra: cursor.string(),
    governance: cursor.string(),
    vote: cursor.string(),
    baseFee: cursor.done ? undefined : cursor.bigint(),
    randomReveal: cursor.done ? undefined : cursor.string(),
    mixHash: cursor.done ? undefined : cursor.string(),
    blobGasUsed: cursor.done ? undefined : cursor.bigint(8),
    excessBlobGas: cursor.done ? undefined : cursor.bigint(8),
  };
  cursor.leave(end);
  return header;
}

/**
 * Returns the block hash: of the header without round and committed seals, or of the header as it is when its
 * extra field is malformed.
 */
export function blockHash(header: Header): Hash {
  return longHashes.get(header)?.block ?? hashWith(header, extraForHash(header.extra) ?? header.extra);
}

/**
 * Returns the hash that the proposer's seal covers: as the block hash, also without the seal. Throws
 * `ModelError` `bad-extra`.
 */
export function sealHash(header: Header): Hash {
  const known = longHashes.get(header)?.seal;
  if (known !== undefined) return known;
  const extra = extraForSeal(header.extra);
  if (extra === undefined) throw new ModelError("bad-extra", "invalid istanbul header extra-data");
  return hashWith(header, extra);
}

/** Bytes of a header that are hashed in one step, which takes a millisecond. */
const STEP_BYTES = 256 * 1024;

/** Hashes of long headers; `seal` is undefined for a malformed extra field. */
const longHashes = new WeakMap<Header, { readonly block: Hash; readonly seal: Hash | undefined }>();

/** Returns true for a header to hash in steps: a message has room for one of 12 MB, whose hash takes 50 ms. */
export function isLongHeader({ extra, governance, vote }: Header): boolean {
  return extra.length + governance.length + vote.length > STEP_BYTES;
}

/** Computes both hashes of a header in steps, for the calls of `blockHash` and `sealHash` that follow. */
export function* hashLongHeader(header: Header): Generator<undefined, void> {
  const block = yield* hashSteps(header, extraForHash(header.extra) ?? header.extra);
  const unsealed = extraForSeal(header.extra);
  longHashes.set(header, { block, seal: unsealed && (yield* hashSteps(header, unsealed)) });
}

function* hashSteps(header: Header, extra: Uint8Array): Generator<undefined, Hash> {
  write(header, extra);
  const bytes = writer.take();
  const hash = createRunningKeccak();
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    yield;
    hash.update(bytes.subarray(at, at + STEP_BYTES));
  }
  return hash.digest();
}

function hashWith(header: Header, extra: Uint8Array): Hash {
  write(header, extra);
  return keccak256(writer.view);
}

function write(header: Header, extra: Uint8Array): void {
  writer.reset();
  writeOptional(header);
  writer.string(header.vote);
  writer.string(header.governance);
  writer.string(extra);
  writer.integer(header.timeFoS);
  writer.integer(header.time);
  writer.integer(header.gasUsed);
  writer.integer(header.number);
  writer.integer(header.blockScore);
  writer.string(header.bloom);
  writer.string(header.receiptsRoot);
  writer.string(header.transactionsRoot);
  writer.string(header.stateRoot);
  writer.string(header.rewardbase);
  writer.string(header.parentHash);
  writer.list(0);
}

function writeOptional({ baseFee, randomReveal, mixHash, blobGasUsed, excessBlobGas }: Header): void {
  for (const field of [excessBlobGas, blobGasUsed, mixHash, randomReveal, baseFee]) {
    if (typeof field === "bigint") writer.integer(field);
    else if (field !== undefined) writer.string(field);
    else if (writer.length > 0) writer.byte(0x80);
  }
}
