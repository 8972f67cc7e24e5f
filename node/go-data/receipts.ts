/** Receipts as the Go node stores them (`blockchain/types/receipt.go@v2.2.2`, `receiptStorageRLP`). */
import { equalBytes, isZero } from "../bytes/compare.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { bloomOf } from "../model/bloom.ts";
import { type EventLog, type Receipt, readLog } from "../model/receipt.ts";
import { GoDataError } from "./error.ts";

const BLOOM_LENGTH = 256;

/** Decodes the receipts of a block; byte strings are views. Throws `BytesError`, or `GoDataError` `damaged`. */
export function decodeGoReceipts(bytes: Uint8Array): Receipt[] {
  const cursor = new RlpCursor(bytes);
  const receipts: Receipt[] = [];
  const end = cursor.enter();
  while (!cursor.done) receipts.push(readReceipt(cursor));
  cursor.leave(end);
  if (!cursor.done) throw new GoDataError("damaged", "bytes after the receipts");
  return receipts;
}

function readReceipt(cursor: RlpCursor): Receipt {
  const end = cursor.enter();
  const status = cursor.number(8);
  const bloom = cursor.fixedBytes(BLOOM_LENGTH);
  const transactionHash = cursor.hash();
  const contract = cursor.address();
  const logs = readLogs(cursor);
  const gasUsed = cursor.bigint(8);
  cursor.leave(end);
  if (!equalBytes(bloom, bloomOf(logs)))
    throw new GoDataError("damaged", "a receipt has another bloom than its logs");
  const contractAddress = isZero(contract) ? undefined : contract;
  return { status, gasUsed, bloom, logs, transactionHash, contractAddress };
}

/** Logs with their position in the chain, which is left out: it follows from the receipt's. */
function readLogs(cursor: RlpCursor): EventLog[] {
  const logs: EventLog[] = [];
  const end = cursor.enter();
  while (!cursor.done) {
    const logEnd = cursor.enter();
    logs.push(readLog(cursor));
    while (!cursor.done) cursor.skip();
    cursor.leave(logEnd);
  }
  cursor.leave(end);
  return logs;
}
