/**
 * Block headers: 14 fields, and from some forks on up to five more at the end. The hash leaves out what is
 * only known after the header was signed: the consensus round and the committed seals.
 */
import type { RlpItem } from "../bytes/rlp.ts";
import { ModelError } from "./error.ts";
import { hashedExtra, signedExtra } from "./extra-fields.ts";
import { RlpCursor } from "./rlp-cursor.ts";
import { RlpWriter } from "./rlp-writer.ts";

/** A header. `time` is in seconds, `timeFoS` in hundredths on top of it; `bloom` has 256 bytes. */
export interface Header {
  readonly parentHash: Uint8Array;
  readonly rewardbase: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly bloom: Uint8Array;
  readonly blockScore: bigint;
  readonly number: number;
  readonly gasUsed: bigint;
  readonly time: number;
  readonly timeFoS: number;
  /** Vanity, validators and seals, see `istanbul-extra.ts`. */
  readonly extra: Uint8Array;
  readonly governance: Uint8Array;
  readonly vote: Uint8Array;
  readonly baseFee: bigint | undefined;
  /** 96 bytes where the chain has randomness. Empty when only later fields are present. */
  readonly randomReveal: Uint8Array | undefined;
  readonly mixHash: Uint8Array | undefined;
  readonly blobGasUsed: bigint | undefined;
  readonly excessBlobGas: bigint | undefined;
}

const writer = new RlpWriter(2048);

/** The header's RLP. Absent fields at the end are left out; absent ones before a present one are written empty. */
export function encodeHeader(header: Header): Uint8Array<ArrayBuffer> {
  write(header, header.extra);
  return writer.take();
}

/** Reads a header; byte strings are views. Throws `BytesError` `bad-rlp` when a field has a wrong size or is missing. */
export function decodeHeader(item: RlpItem): Header {
  const cursor = new RlpCursor(item.raw);
  const end = cursor.enter();
  const header: Header = {
    parentHash: cursor.fixed(32),
    rewardbase: cursor.fixed(20),
    stateRoot: cursor.fixed(32),
    transactionsRoot: cursor.fixed(32),
    receiptsRoot: cursor.fixed(32),
    bloom: cursor.fixed(256),
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

/** The hash that names the block: of the header without round and committed seals, or as it is if its extra has another form. */
export function blockHash(header: Header): Uint8Array<ArrayBuffer> {
  return hashWith(header, hashedExtra(header.extra) ?? header.extra);
}

/** What the proposer's seal covers: as the block hash, and without the seal itself. Throws `ModelError` `bad-extra`. */
export function sealHash(header: Header): Uint8Array<ArrayBuffer> {
  const extra = signedExtra(header.extra);
  if (extra === undefined) throw new ModelError("bad-extra", "invalid istanbul header extra-data");
  return hashWith(header, extra);
}

function hashWith(header: Header, extra: Uint8Array): Uint8Array<ArrayBuffer> {
  write(header, extra);
  return writer.hash();
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
