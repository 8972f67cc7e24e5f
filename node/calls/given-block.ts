/** Blocks that are not in the chain: sent by a caller, or refused. */
import type { BadBlock } from "../chain/bad-blocks.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Block, decodeBlock } from "../model/block.ts";

const FIRST_LIST = 0xc0;

/** The block that a caller sends. Throws `RpcError`. */
export function callersBlock(rlp: Uint8Array): Block {
  if (rlp.length === 0) throw undecodable("EOF");
  if ((rlp[0] ?? 0) < FIRST_LIST) throw undecodable("rlp: expected input list for types.extblock");
  try {
    return decodeBlock(rlp);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (typeof code !== "string" || typeof message !== "string") throw error;
    throw undecodable(message);
  }
}

function undecodable(reason: string): Error {
  return failure(`could not decode block: ${reason}`);
}

/** The refused blocks; the Go node finds its list missing while it is empty. Throws `RpcError`. */
export function refusedBlocks(blocks: readonly BadBlock[]): readonly BadBlock[] {
  if (blocks.length === 0) throw failure("data is not found with the given key");
  return blocks;
}
