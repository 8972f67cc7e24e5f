/** Imports a range of blocks: each against its hashes and its link to the one before it. */
import { fixedBytes } from "../bytes/integer.ts";
import { writeBlockRows } from "../chain/block-rows.ts";
import { isIndexed } from "../governance/header-index.ts";
import { encodeHeader } from "../model/header.ts";
import type { StoreWriter, WriterBatch } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { type GoBlocks, type GoHead, requireChild } from "./blocks.ts";
import type { BlockRange } from "./progress-row.ts";
import { WriteBehind } from "./write-behind.ts";

/** Source, target and choices of an import of blocks. */
export interface BlockImport {
  readonly chain: StoreWriter;
  readonly blocks: GoBlocks;
  readonly chainId: bigint;
  /** First block after block 0 whose body is imported. */
  readonly from: number;
  readonly batchBytes: number;
  /** Throws when the import is to end. */
  readonly throwIfStopped: () => void;
}

/**
 * Writes a range of blocks. Calls `onWritten` after each batch with what is left of the range, and with the numbers of the
 * headers in the batch that vote or decide. Throws `GoDataError` `missing` or `damaged`, or `StoreError`.
 */
export async function importRange(
  range: BlockRange,
  { chain, blocks, chainId, from, batchBytes, throwIfStopped }: BlockImport,
  onWritten: (left: BlockRange, deciding: readonly number[]) => void,
): Promise<void> {
  const { to } = range;
  let parent = range.from === 0 ? undefined : blocks.head(range.from - 1);
  await using writes = new WriteBehind();
  for (let number = range.from; number < to; ) {
    const batch = chain.createBatch();
    const deciding: number[] = [];
    for (; number < to && batch.bytes < batchBytes; number++) {
      const head = blocks.head(number);
      if (parent !== undefined) requireChild(head, parent);
      if (number > 0 && number < from) putHeader(batch, head);
      else putBlock(batch, blocks, head, chainId);
      if (number > 0 && isIndexed(head.header)) deciding.push(number);
      parent = head;
    }
    throwIfStopped();
    const left = { from: number, to };
    await writes.begin(async () => {
      await chain.write(batch);
      onWritten(left, deciding);
    });
  }
  await writes.end();
}

function putBlock(batch: WriterBatch, blocks: GoBlocks, head: GoHead, chainId: bigint): void {
  const { block, receipts } = blocks.block(head, chainId);
  writeBlockRows(batch, block, receipts);
}

function putHeader(batch: WriterBatch, { header, hash }: GoHead): void {
  batch.put(tables.header.key(header.number), encodeHeader(header));
  batch.put(tables.blockNumber.key(hash), fixedBytes(header.number, 6));
}
