/**
 * Blocks that callers of `debug` name: canonical ones by number or hash, blocks as RLP, and the bad blocks that the node
 * refused.
 */
import { equalBytes } from "../../bytes/compare.ts";
import { toHex } from "../../bytes/hex.ts";
import { type BadBlock, storedBadBlocks } from "../../chain/bad-blocks.ts";
import { failure } from "../../jsonrpc/errors.ts";
import { type Block, decodeBlock } from "../../model/block.ts";
import { noBlock } from "../../presenters/not-found.ts";
import { type BlockNumber, resolveNumber } from "../arguments/block-number.ts";
import type { ChainReading, StoreReading } from "../chain-reading.ts";
import { firstItem, listFault } from "../rlp-faults.ts";
import type { TracedBlock } from "./trace-transaction.ts";

/**
 * Returns the number of a referenced block. Throws `RpcError` for `pending`, which the node does not build in
 * advance.
 */
export function tracedNumber({ head }: Pick<ChainReading, "head">, number: BlockNumber): number {
  if (number === "pending") throw failure("pending block is not prepared yet");
  return resolveNumber(head, number);
}

/** Returns a block by number. Throws `RpcError`. */
export function tracedBlock(reading: ChainReading, number: number): TracedBlock {
  const header = number <= reading.head ? reading.header(number) : undefined;
  const transactions = header && reading.transactions(number);
  if (header === undefined || transactions === undefined) throw noBlock(number);
  return { header, transactions };
}

/** Returns a block by hash. Throws `RpcError`. */
export function tracedBlockByHash(reading: ChainReading, wanted: Uint8Array): TracedBlock {
  const number = reading.numberOf(wanted);
  if (number === undefined) throw noBlock(wanted);
  return tracedBlock(reading, number);
}

/** Returns the block. Throws `RpcError` when its parent is not canonical. */
export function requireParent<B extends TracedBlock>(reading: StoreReading, block: B): B {
  const { number, parentHash } = block.header;
  if (number === 0) return block; // refused later: block 0 is not traceable
  if (reading.numberOf(parentHash) !== number - 1) throw noBlock(parentHash);
  return block;
}

/** Returns a bad block by hash. Throws `RpcError`. */
export function findBadBlock(reading: StoreReading, wanted: Uint8Array): TracedBlock {
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
