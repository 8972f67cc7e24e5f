/** Blocks outside the chain that can be traced: those whose parent is in it. */
import { equalBytes } from "../../bytes/compare.ts";
import { toHex } from "../../bytes/hex.ts";
import { storedBadBlocks } from "../../chain/bad-blocks.ts";
import { failure } from "../../jsonrpc/errors.ts";
import { noBlock } from "../../presenters/not-found.ts";
import type { StoreReading } from "../chain-reading.ts";
import { refusedBlocks } from "../given-block.ts";
import type { TracedBlock } from "./trace-transaction.ts";

/** The same block. Throws `RpcError` when the chain does not have its parent. */
export function withParent<B extends TracedBlock>(reading: StoreReading, block: B): B {
  const { number, parentHash } = block.header;
  if (number === 0) return block; // which nobody can trace
  if (reading.numberOf(parentHash) !== number - 1) throw noBlock(parentHash);
  return block;
}

/** A block that was refused. Throws `RpcError`. */
export function badBlock(reading: StoreReading, wanted: Uint8Array): TracedBlock {
  const found = refusedBlocks(storedBadBlocks(reading.rows)).find(({ block }) =>
    equalBytes(block.hash, wanted),
  );
  if (found === undefined) throw failure(`bad block ${toHex(wanted)} not found`);
  return withParent(reading, found.block);
}
