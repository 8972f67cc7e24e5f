/** Looks up blocks and states by the references in parameters. Unknown ones throw the Go node's errors. */
import type { Hash } from "../bytes/brands.ts";
import type { BlockHead, Chain } from "../chain/chain.ts";
import type { Block } from "../model/block.ts";
import { noBlock, noReference } from "../presenters/not-found.ts";
import type { StateView } from "../state/state.ts";
import { type BlockNumber, type BlockReference, referencedNumber } from "./arguments/block-number.ts";

/**
 * Returns the block of a number or tag; undefined for an unknown one. `pending` is the newest block, as on a
 * Go node that builds no pending block.
 */
export function findBlock(chain: Chain, number: BlockNumber): Block | undefined {
  if (number === "latest" || number === "pending") return chain.head();
  return chain.block(number === "earliest" ? 0 : number);
}

/** Returns the head of a block, without its body; undefined for an unknown one. */
export function findHead(chain: Chain, number: BlockNumber): BlockHead | undefined {
  if (number === "latest" || number === "pending") return chain.head();
  return chain.header(number === "earliest" ? 0 : number);
}

/** Returns the head of a block. Throws `RpcError` for an unknown number. */
export function headAt(chain: Chain, number: BlockNumber): BlockHead {
  const found = findHead(chain, number);
  if (found === undefined) throw noBlock(number); // only numbers can be unknown: every tag has a block
  return found;
}

/** Returns the head of the block with a hash; undefined for an unknown one. */
export function findHeadByHash(chain: Chain, hash: Hash): BlockHead | undefined {
  const number = chain.number(hash);
  return number === undefined ? undefined : chain.header(number);
}

/** Returns the head of the block with a hash. Throws `RpcError` for an unknown one. */
export function headByHash(chain: Chain, hash: Hash): BlockHead {
  const found = findHeadByHash(chain, hash);
  if (found === undefined) throw noBlock(hash);
  return found;
}

/** Returns the block of a number or tag. Throws `RpcError` for an unknown one. */
export function blockAt(chain: Chain, number: BlockNumber): Block {
  const block = findBlock(chain, number);
  if (block === undefined) throw noBlock(number); // only numbers can be unknown: every tag has a block
  return block;
}

/** Returns the block of a head. Throws `RpcError` when its body is no longer stored. */
export function wholeBlock(chain: Chain, { header }: BlockHead): Block {
  return blockAt(chain, header.number);
}

/** Returns the block with a hash. Throws `RpcError` for an unknown one. */
export function blockByHash(chain: Chain, hash: Hash): Block {
  const block = chain.blockByHash(hash);
  if (block === undefined) throw noBlock(hash);
  return block;
}

/** Returns the block of a number, tag or hash. Throws `RpcError` for an unknown one. */
export function blockOf(chain: Chain, reference: BlockReference | undefined): Block {
  if (reference === undefined) throw noReference();
  return reference.hash === undefined ? blockAt(chain, reference.number) : blockByHash(chain, reference.hash);
}

/**
 * Returns the state after a block; `pending` is the newest state. Throws `StateError` when it is no longer
 * stored.
 */
export function stateOf(chain: Chain, reference: BlockReference | undefined): StateView {
  const head = chain.head().header.number;
  return chain.stateAt(referencedNumber({ head, numberOf: (hash) => chain.number(hash) }, reference));
}
