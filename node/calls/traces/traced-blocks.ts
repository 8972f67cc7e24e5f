/**
 * Blocks that callers of `debug` name: canonical ones by number or hash, blocks as RLP, and the bad blocks that the node
 * refused.
 */
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { toHex } from "../../bytes/hex.ts";
import { type BadBlock, storedBadBlocks } from "../../chain/bad-blocks.ts";
import { failure } from "../../jsonrpc/errors.ts";
import { type Block, decodeBlock } from "../../model/block.ts";
import { noBlock, noReference } from "../../presenters/not-found.ts";
import { type BlockNumber, type BlockReference, resolveNumber } from "../arguments/block-number.ts";
import type { ChainReading, StoreReading } from "../chain-reading.ts";
import { firstItem, listFault } from "../rlp-faults.ts";
import type { TracedBlock } from "./trace-transaction.ts";

/** The Go node's numbers of tags, with which it calculates, and which its errors name. */
const TAG_NUMBERS = { earliest: 0, latest: -1, pending: -2 } as const;

/** The ends of a range of blocks to trace. */
export interface TracedRange {
  readonly start: BlockNumber;
  readonly end: BlockNumber;
  /** True for a range with its first block; the Go node subtracts one from its number, also from that of a tag. */
  readonly hasFirst: boolean;
}

/**
 * Returns the number of the block before the first to trace, and of the last. The block before `earliest` is `latest`,
 * and the one before `latest` is `pending`. Throws `RpcError` for an unknown block and for an empty range.
 */
export function tracedRange(
  head: number,
  { start, end, hasFirst }: TracedRange,
): { readonly before: number; readonly last: number } {
  const from = goNumber(start) - (hasFirst ? 1 : 0);
  const to = goNumber(end);
  const [before, last] = [existing(head, from), existing(head, to)];
  if (before >= last) throw failure(`end block #${to} needs to come after start block #${from}`);
  return { before, last };
}

function goNumber(number: BlockNumber): number {
  return typeof number === "number" ? number : TAG_NUMBERS[number];
}

function existing(head: number, number: number): number {
  if (number === TAG_NUMBERS.latest || number === TAG_NUMBERS.pending) return head;
  if (number < 0 || number > head) throw noBlock(number);
  return number;
}

/** Returns a block by number. Throws `RpcError`. */
export function tracedBlock(reading: ChainReading, number: number): TracedBlock {
  const header = number <= reading.head ? reading.header(number) : undefined;
  const transactions = header && reading.transactions(number);
  if (header === undefined || transactions === undefined) throw noBlock(number);
  return { header, transactions };
}

/** Returns a block by hash. Throws `RpcError`. */
export function tracedBlockByHash(reading: ChainReading, wanted: Hash): TracedBlock {
  const number = reading.numberOf(wanted);
  if (number === undefined) throw noBlock(wanted);
  return tracedBlock(reading, number);
}

/** Returns the block of a number, tag or hash. Throws `RpcError`. */
export function tracedReference(reading: ChainReading, reference: BlockReference | undefined): TracedBlock {
  if (reference === undefined) throw noReference();
  if (reference.hash !== undefined) return tracedBlockByHash(reading, reference.hash);
  return tracedBlock(reading, resolveNumber(reading.head, reference.number));
}

/** Returns the block. Throws `RpcError` when its parent is not canonical. */
export function requireParent<B extends TracedBlock>(reading: StoreReading, block: B): B {
  const { number, parentHash } = block.header;
  if (number === 0) return block; // refused later: block 0 is not traceable
  if (reading.numberOf(parentHash) !== number - 1) throw noBlock(parentHash);
  return block;
}

/** Returns a bad block by hash. Throws `RpcError`. */
export function findBadBlock(reading: StoreReading, wanted: Hash): TracedBlock {
  const found = requireBadBlocks(storedBadBlocks(reading.rows)).find(({ block }) =>
    equalBytes(block.hash, wanted),
  );
  if (found === undefined) throw failure(`bad block ${toHex(wanted)} not found`);
  return requireParent(reading, found.block);
}

/** Decodes a block from a caller. Throws `RpcError`. */
export function decodeCallerBlock(rlp: Uint8Array): Block {
  const fault = blockFault(rlp);
  if (fault !== undefined) throw undecodable(fault);
  try {
    return decodeBlock(rlp);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (typeof code !== "string" || typeof message !== "string") throw error;
    throw undecodable(message);
  }
}

/** Returns the Go node's error for a block without a header; undefined for a list that begins with one. */
function blockFault(rlp: Uint8Array): string | undefined {
  const fault = listFault(rlp, "types.extblock");
  if (fault !== undefined) return fault;
  const header = firstItem(rlp);
  if (header.length === 0) return "rlp: too few elements for types.extblock";
  const headerFault = listFault(header, "types.Header, decoding into (types.Block)(types.extblock).Header");
  if (headerFault !== undefined || firstItem(header).length > 0) return headerFault;
  return "rlp: too few elements for types.Header, decoding into (types.Block)(types.extblock).Header";
}

function undecodable(reason: string): Error {
  return failure(`could not decode block: ${reason}`);
}

/** Returns the bad blocks. Throws the Go node's `RpcError` for an empty list. */
export function requireBadBlocks(blocks: readonly BadBlock[]): readonly BadBlock[] {
  if (blocks.length === 0) throw failure("data is not found with the given key");
  return blocks;
}
