/**
 * Verifies the stored blocks of a chain: each header is a child of the one before it, bodies and receipts have the
 * roots of their header, receipts name their transactions and contracts, and the rows that find a block and its
 * transactions by hash lead to it.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes, equalOptional } from "../bytes/compare.ts";
import { messageOf } from "../bytes/message-of.ts";
import { receiptAddress } from "../execution/message.ts";
import type { Header } from "../model/header.ts";
import { blockHash } from "../model/header.ts";
import { hasListRoot } from "../model/list-root.ts";
import { decodeStoredReceipts, encodeReceipts, type Receipt } from "../model/receipt.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { StoreError } from "../store/error.ts";
import type { Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { storedHeader, storedNumber, storedPlace, storedTransactions } from "./block-rows.ts";
import { isDropped } from "./kept-blocks.ts";
import { storedConfig } from "./stored-config.ts";

/** A chain to verify. */
export interface StoredChain {
  readonly rows: Rows;
  /** Number of the newest block. */
  readonly head: number;
  readonly pause: Pause;
  /** Called after each block. */
  readonly onBlock: (number: number) => void;
}

/** Number of verified blocks with bodies, and of their transactions. */
export interface VerifiedBlocks {
  readonly blocks: number;
  readonly transactions: number;
}

/**
 * Verifies all blocks up to the head; blocks without body and receipts by `--history.blocks` by their headers alone.
 * Throws `StoreError` `corrupt` at the first contradiction, or what `onBlock` throws.
 */
export async function verifyBlocks({ rows, head, pause, onBlock }: StoredChain): Promise<VerifiedBlocks> {
  const { chainId } = storedConfig(rows);
  let parent: Hash | undefined;
  let blocks = 0;
  let transactions = 0;
  for (let number = 0; number <= head; number++) {
    const header = readPart(number, "header", () => storedHeader(rows, number));
    const hash = blockHash(header);
    if (header.number !== number || (parent !== undefined && !equalBytes(header.parentHash, parent)))
      throw corrupt(number, "header", `is not that of a child of block ${number - 1}`);
    if (storedNumber(rows, hash) !== number) throw corrupt(number, "hash", "does not lead to it");
    if (!isDropped(rows, number)) {
      transactions += verifyContent(rows, header, chainId);
      blocks++;
    }
    parent = hash;
    onBlock(number);
    await pause();
  }
  return { blocks, transactions };
}

/** Verifies body and receipts of a header; returns the number of transactions. */
function verifyContent(
  rows: Rows,
  { number, transactionsRoot, receiptsRoot }: Header,
  chainId: bigint,
): number {
  const transactions = readPart(number, "body", () => storedTransactions(rows, number));
  const raws = transactions.map(({ raw }) => raw);
  if (!hasListRoot(transactionsRoot, raws)) throw corrupt(number, "body", "has another root than its header");
  const receipts = readPart(number, "receipts", () => {
    const row = rows.get(tables.receipts.key(number));
    return row && decodeStoredReceipts(row);
  });
  if (!hasListRoot(receiptsRoot, encodeReceipts(receipts)))
    throw corrupt(number, "receipts", "have another root than its header");
  for (const [index, tx] of transactions.entries()) {
    verifyNames(number, tx, { receipt: receipts[index], chainId });
    const place = storedPlace(rows, tx.hash);
    if (place?.number !== number || place.index !== index)
      throw corrupt(number, `transaction ${index}`, "is not found by its hash");
  }
  return transactions.length;
}

/** Verifies what a stored receipt names besides the content that its root covers. */
function verifyNames(
  number: number,
  tx: Transaction,
  { receipt, chainId }: { readonly receipt: Receipt | undefined; readonly chainId: bigint },
): void {
  if (receipt === undefined || !equalBytes(receipt.transactionHash, tx.hash))
    throw corrupt(number, "receipts", "are those of other transactions");
  if (!equalOptional(receipt.contractAddress, receiptAddress(tx, chainId)))
    throw corrupt(number, "receipts", "name another contract than a transaction creates");
}

function readPart<T>(number: number, part: string, read: () => T | undefined): T {
  let found: T | undefined;
  try {
    found = read();
  } catch (error) {
    throw corrupt(number, part, `cannot be read: ${messageOf(error)}`, error);
  }
  if (found === undefined) throw corrupt(number, part, "cannot be found");
  return found;
}

function corrupt(number: number, part: string, what: string, cause?: unknown): StoreError {
  return new StoreError("corrupt", `block ${number}: its ${part} ${what}`, { cause });
}
