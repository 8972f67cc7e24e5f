/** A block's rows in the chain database: written in its batch, read back one by one through a small cache. */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bytesToNumber } from "../bytes/integer.ts";
import { decodeRlp, encodeRlpList } from "../bytes/rlp.ts";
import { type Block, type BlockItems, createBlock } from "../model/block.ts";
import { blockHash, decodeHeader, encodeHeader, type Header } from "../model/header.ts";
import {
  decodeStoredReceipts,
  encodeStoredReceipts,
  type LoggedReceipt,
  type Receipt,
  readLoggedReceipts,
} from "../model/receipt.ts";
import { readTransactions, type Transaction } from "../model/transaction.ts";
import { runAtOnce } from "../runtime/scheduler.ts";
import type { Batch, Rows, WriterBatch } from "../store/store.ts";
import { blockTables, tables } from "../store/tables.ts";
import type { BlockHead, TransactionPlace } from "./chain.ts";
import { refuseDropped } from "./kept-blocks.ts";
import { readSenders } from "./senders.ts";

/** Adds all rows of a block: header, body, receipts and the two look-ups. */
export function writeBlockRows(batch: WriterBatch, block: Block, receipts: readonly Receipt[]): void {
  runAtOnce(blockRowSteps(batch, block, receipts));
}

/** The same step by step: thousands of transactions take a while. */
export function* blockRowSteps(
  batch: WriterBatch,
  block: Block,
  receipts: readonly Receipt[],
): Generator<undefined, void> {
  const { number } = block.header;
  batch.put(tables.header.key(number), encodeHeader(block.header));
  batch.put(tables.body.key(number), encodeRlpList(block.transactions.map((tx) => tx.raw)));
  yield;
  batch.put(tables.receipts.key(number), encodeStoredReceipts(receipts));
  yield;
  const place = Buffer.alloc(PLACE_BYTES); // batches copy at once
  place.writeUIntBE(number, 0, NUMBER_BYTES);
  batch.put(tables.blockNumber.key(block.hash), place.subarray(0, NUMBER_BYTES));
  for (const [index, tx] of block.transactions.entries()) {
    place.writeUInt32BE(index, NUMBER_BYTES);
    batch.put(tables.lookup.key(tx.hash), place);
    if (index % STEP === 0) yield;
  }
}

/** Bytes of a block number, and of the place of a transaction: number and index. */
const NUMBER_BYTES = 6;
const PLACE_BYTES = 10;

/** Transactions of one step. */
const STEP = 64;

/** Takes all rows of a block out again. */
export function deleteBlockRows(batch: Batch, { header: { number }, hash, transactions }: Block): void {
  for (const table of blockTables) batch.delete(table.key(number));
  batch.delete(tables.blockNumber.key(hash));
  for (const tx of transactions) batch.delete(tables.lookup.key(tx.hash));
}

/** True when the block of this number is the very same, byte for byte. */
export function holdsBlock(rows: Rows, number: number, { header, body }: BlockItems): boolean {
  const known = rows.get(tables.header.key(number));
  if (known === undefined || !equalBytes(known, header.raw)) return false;
  return holdsBody(rows, number, body.raw);
}

/** True when the block of this number has this body; false also when it is not kept. */
export function holdsBody(rows: Rows, number: number, body: Uint8Array): boolean {
  const known = rows.get(tables.body.key(number));
  return known !== undefined && equalBytes(known, body);
}

/** A block's header; undefined when it is not there. Throws `StoreError` or a format error, as all below. */
export function storedHeader(rows: Rows, number: number): Header | undefined {
  const row = rows.get(tables.header.key(number));
  return row && decodeHeader(decodeRlp(row));
}

/** A block's transactions, without their senders. Throws `ChainError` `pruned-history`, as receipts do. */
export function storedTransactions(rows: Rows, number: number): Transaction[] | undefined {
  const row = rows.get(tables.body.key(number));
  if (row === undefined) refuseDropped(rows, number);
  return row && readTransactions(decodeRlp(row));
}

/** Those of a block's stored receipts that have logs. */
export function storedLoggedReceipts(rows: Rows, number: number): LoggedReceipt[] | undefined {
  const row = rows.get(tables.receipts.key(number));
  if (row === undefined) refuseDropped(rows, number);
  return row && readLoggedReceipts(row);
}

/** The number of the block with this hash. */
export function storedNumber(rows: Rows, hash: Hash): number | undefined {
  const row = rows.get(tables.blockNumber.key(hash));
  return row && bytesToNumber(row);
}

/** Returns the position of the transaction with this hash. */
export function storedPlace(rows: Rows, hash: Hash): StoredPlace | undefined {
  const row = rows.get(tables.lookup.key(hash));
  return row && { number: bytesToNumber(row.subarray(0, 6)), index: bytesToNumber(row.subarray(6)) };
}

/** A block's number and a position in it. */
export interface StoredPlace {
  readonly number: number;
  readonly index: number;
}

/** A block as one RLP list, from its rows alone; undefined when it is not there. */
export function rawBlock(rows: Rows, number: number): Uint8Array | undefined {
  const header = rows.get(tables.header.key(number));
  const body = rows.get(tables.body.key(number));
  return header === undefined || body === undefined ? undefined : encodeRlpList([header, body]);
}

/** Blocks kept decoded, and the transactions in all of them together; the newest one is kept however long it is. */
const CACHED_BLOCKS = 128;
const CACHED_TRANSACTIONS = 10_000;
/** Bytes of the rows whose receipts are kept decoded, which takes several times as much. */
const CACHED_RECEIPT_BYTES = 512 * 1024;

/** Decoded blocks and receipts by number, the newest used ones kept. */
export class BlockRows {
  readonly #rows: Rows;
  readonly #chainId: bigint | undefined;
  readonly #maxTransactions: number;
  readonly #blocks = new Map<number, Block>();
  #transactions = 0;
  readonly #receipts = new Map<number, { readonly receipts: readonly Receipt[]; readonly bytes: number }>();
  #receiptBytes = 0;

  /** Blocks come with their senders where the chain's id is given. */
  constructor(rows: Rows, chainId?: bigint, maxTransactions = CACHED_TRANSACTIONS) {
    this.#rows = rows;
    this.#chainId = chainId;
    this.#maxTransactions = maxTransactions;
  }

  /** Throws `StoreError` or a format error when the rows are damaged, `ChainError` `pruned-history` without a body. */
  block(number: number): Block | undefined {
    const cached = this.#blocks.get(number);
    if (cached !== undefined) return cached;
    const header = storedHeader(this.#rows, number);
    const transactions = header && storedTransactions(this.#rows, number);
    if (header === undefined || transactions === undefined) return undefined;
    if (this.#chainId !== undefined) readSenders(this.#rows, { number, transactions }, this.#chainId);
    const block = createBlock(header, transactions);
    this.remember(block);
    return block;
  }

  /** A block's header and hash, without reading the rest where it is not kept decoded. */
  header(number: number): BlockHead | undefined {
    const cached = this.#blocks.get(number);
    if (cached !== undefined) return cached;
    const header = storedHeader(this.#rows, number);
    return header && { header, hash: blockHash(header) };
  }

  /** Keeps a block that is certain to be asked for. */
  remember(block: Block): void {
    this.#blocks.set(block.header.number, block);
    this.#transactions += block.transactions.length;
    for (const [number, oldest] of this.#blocks) {
      if (this.#blocks.size <= CACHED_BLOCKS && this.#transactions <= this.#maxTransactions) break;
      if (oldest === block) break;
      this.#blocks.delete(number);
      this.#transactions -= oldest.transactions.length;
    }
  }

  /** Forgets decoded blocks after `number`: their rows are gone. */
  forgetAfter(number: number): void {
    this.#forget((each) => each > number);
  }

  /** Forgets decoded blocks after block 0 and before `number`: they are not whole any more. */
  forgetBefore(number: number): void {
    this.#forget((each) => each > 0 && each < number);
  }

  #forget(isGone: (number: number) => boolean): void {
    for (const [each, { transactions }] of this.#blocks) {
      if (!isGone(each)) continue;
      this.#blocks.delete(each);
      this.#transactions -= transactions.length;
    }
    for (const each of this.#receipts.keys()) if (isGone(each)) this.#dropReceipts(each);
  }

  number(hash: Hash): number | undefined {
    return storedNumber(this.#rows, hash);
  }

  /** Throws as `block` does. */
  receipts(number: number): readonly Receipt[] | undefined {
    const cached = this.#receipts.get(number);
    if (cached !== undefined) return cached.receipts;
    const row = this.#rows.get(tables.receipts.key(number));
    if (row === undefined) {
      refuseDropped(this.#rows, number);
      return undefined;
    }
    const receipts = decodeStoredReceipts(row);
    this.#receipts.set(number, { receipts, bytes: row.length });
    this.#receiptBytes += row.length;
    for (const oldest of this.#receipts.keys()) {
      if (this.#receiptBytes <= CACHED_RECEIPT_BYTES || oldest === number) break;
      this.#dropReceipts(oldest);
    }
    return receipts;
  }

  #dropReceipts(number: number): void {
    this.#receiptBytes -= this.#receipts.get(number)?.bytes ?? 0;
    this.#receipts.delete(number);
  }

  place(hash: Hash): TransactionPlace | undefined {
    const place = storedPlace(this.#rows, hash);
    const block = place && this.block(place.number);
    return block && { block, index: place.index };
  }
}
