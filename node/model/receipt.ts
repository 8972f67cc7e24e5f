/**
 * Receipts, in two encodings: the one that the receipts root covers, and the shorter one of the database,
 * which omits the bloom because it follows from the logs.
 */

import type { Address, Hash } from "../bytes/brands.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { RlpWriter } from "../bytes/rlp-writer.ts";
import { BLOOM_LENGTH, bloomOf } from "./bloom.ts";
import { ModelError } from "./error.ts";

/** A log of a contract. Its position in the chain follows from the receipt's. */
export interface EventLog {
  readonly address: Address;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** A receipt. `status` is 1 or a code of `receipt-status.ts`; `gasUsed` is that of this transaction alone. */
export interface Receipt {
  readonly status: number;
  readonly gasUsed: bigint;
  readonly bloom: Uint8Array;
  readonly logs: readonly EventLog[];
  readonly transactionHash: Hash;
  readonly contractAddress: Address | undefined;
}

/** The parts of a receipt with logs that a log search needs. */
export interface LoggedReceipt {
  readonly logs: readonly EventLog[];
  readonly transactionHash: Hash;
  /** Index of the transaction in the block. */
  readonly transactionIndex: number;
  /** Number of logs in earlier receipts of the block. */
  readonly logsBefore: number;
}

/** Selects the receipts of a block that have logs. */
export function loggedReceipts(receipts: readonly Receipt[]): LoggedReceipt[] {
  const found: LoggedReceipt[] = [];
  let logsBefore = 0;
  for (const [transactionIndex, { logs, transactionHash }] of receipts.entries()) {
    if (logs.length > 0) found.push({ logs, transactionHash, transactionIndex, logsBefore });
    logsBefore += logs.length;
  }
  return found;
}

const writer = new RlpWriter(4096);

/** Encodes a receipt for the receipts root. */
export function encodeReceipt(receipt: Receipt): Uint8Array<ArrayBuffer> {
  writer.reset();
  writeReceipt(receipt);
  return writer.take();
}

/** Receipts whose encoding is one step. */
const STEP_RECEIPTS = 64;

/** Encodes all receipts of a block for the receipts root, in steps: they may be a hundred thousand. */
export function* encodeReceiptSteps(
  receipts: readonly Receipt[],
): Generator<undefined, Uint8Array<ArrayBuffer>[]> {
  if (receipts.length <= STEP_RECEIPTS) return encodeReceipts(receipts);
  const encoded: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < receipts.length; at += STEP_RECEIPTS) {
    encoded.push(...encodeReceipts(receipts.slice(at, at + STEP_RECEIPTS)));
    yield;
  }
  return encoded;
}

/** Encodes each receipt of a block for the receipts root: views of one array, since many small ones cost more. */
export function encodeReceipts(receipts: readonly Receipt[]): Uint8Array<ArrayBuffer>[] {
  writer.reset();
  const starts = receipts.map(() => 0);
  for (let i = receipts.length - 1; i >= 0; i--) {
    writeReceipt(receipts[i] as Receipt); // in range: loop bound
    starts[i] = writer.length;
  }
  const all = writer.take();
  return starts.map((start, i) => {
    const length = start - (starts[i + 1] ?? 0);
    return new Uint8Array(all.buffer, all.length - start, length);
  });
}

function writeReceipt({ bloom, logs, gasUsed, status }: Receipt): void {
  if (bloom.length !== BLOOM_LENGTH) {
    throw new ModelError("bad-receipt", `a bloom has ${BLOOM_LENGTH} bytes, not ${bloom.length}`);
  }
  const mark = writer.length;
  writeLogs(logs);
  writer.string(bloom);
  writer.integer(gasUsed);
  writer.integer(status);
  writer.list(mark);
}

/** Encodes all receipts of a block for the database. */
export function encodeStoredReceipts(receipts: readonly Receipt[]): Uint8Array<ArrayBuffer> {
  writer.reset();
  for (const receipt of receipts.toReversed()) {
    const mark = writer.length;
    writeLogs(receipt.logs);
    writer.optional(receipt.contractAddress);
    writer.string(receipt.transactionHash);
    writer.integer(receipt.gasUsed);
    writer.integer(receipt.status);
    writer.list(mark);
  }
  writer.list(0);
  return writer.take();
}

/** Decodes receipts from the database; byte strings are views. Throws `BytesError` or `ModelError`. */
export function decodeStoredReceipts(bytes: Uint8Array): Receipt[] {
  const receipts: Receipt[] = [];
  readAll(bytes, (cursor) => receipts.push(readReceipt(cursor)));
  return receipts;
}

/**
 * As `loggedReceipts` of `decodeStoredReceipts`, without decoding the other receipts. Throws the same errors.
 */
export function readLoggedReceipts(bytes: Uint8Array): LoggedReceipt[] {
  const found: LoggedReceipt[] = [];
  let transactionIndex = 0;
  let logsBefore = 0;
  readAll(bytes, (cursor) => {
    cursor.skipString(); // status
    cursor.skipString(); // gas used
    const hashAt = cursor.at + 1;
    cursor.skipString(32);
    cursor.skipString(); // contract address
    if (bytes[cursor.at] === EMPTY_LIST) {
      cursor.skip();
    } else {
      const logs = readLogs(cursor);
      const transactionHash = bytes.subarray(hashAt, hashAt + 32);
      found.push({ logs, transactionHash, transactionIndex, logsBefore });
      logsBefore += logs.length;
    }
    transactionIndex++;
  });
  return found;
}

/** Calls `read` inside each stored receipt's list. */
function readAll(bytes: Uint8Array, read: (cursor: RlpCursor) => void): void {
  const cursor = new RlpCursor(bytes);
  const allEnd = cursor.enter();
  while (!cursor.done) {
    const end = cursor.enter();
    read(cursor);
    cursor.leave(end);
  }
  cursor.leave(allEnd);
  if (!cursor.done) throw new ModelError("bad-receipt", "bytes after the receipts");
}

/** The RLP of an empty list. */
const EMPTY_LIST = 0xc0;

function readReceipt(cursor: RlpCursor): Receipt {
  const status = cursor.number(8);
  const gasUsed = cursor.bigint(8);
  const transactionHash = cursor.hash();
  const contractAddress = cursor.optionalFixed(20);
  const logs = readLogs(cursor);
  return { status, gasUsed, bloom: bloomOf(logs), logs, transactionHash, contractAddress };
}

function writeLogs(logs: readonly EventLog[]): void {
  const all = writer.length;
  for (const { address, topics, data } of logs.toReversed()) {
    const mark = writer.length;
    writer.string(data);
    const topicsMark = writer.length;
    for (const topic of topics.toReversed()) writer.string(topic);
    writer.list(topicsMark);
    writer.string(address);
    writer.list(mark);
  }
  writer.list(all);
}

function readLogs(cursor: RlpCursor): EventLog[] {
  const end = cursor.enter();
  const logs: EventLog[] = [];
  while (!cursor.done) {
    const logEnd = cursor.enter();
    logs.push(readLog(cursor));
    cursor.leave(logEnd);
  }
  cursor.leave(end);
  return logs;
}

/** Reads address, topics and data of a log inside its list; the data is a view. Throws `BytesError`. */
export function readLog(cursor: RlpCursor): EventLog {
  const address = cursor.address();
  const topicsEnd = cursor.enter();
  const topics: Uint8Array[] = [];
  while (!cursor.done) topics.push(cursor.fixedBytes(32));
  cursor.leave(topicsEnd);
  return { address, topics, data: cursor.string() };
}
