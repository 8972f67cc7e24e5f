/** Which block and which state a caller means, with the Go node's words when there is none. */
import type { BlockHead, Chain } from "../chain/chain.ts";
import type { Block } from "../model/block.ts";
import { noBlock, noReference } from "../presenters/not-found.ts";
import type { StateView } from "../state/state.ts";
import type { BlockNumber, BlockReference } from "./arguments/block-number.ts";
import { numberIn } from "./chain-reading.ts";

/**
 * The block of a number or tag; undefined when there is none. No block is made in advance: the newest one stands for
 * `pending`, as on a Go node that makes none.
 */
export function findBlock(chain: Chain, number: BlockNumber): Block | undefined {
  if (number === "latest" || number === "pending") return chain.head();
  return chain.block(number === "earliest" ? 0 : number);
}

/** The same without its body, which need not be kept. */
export function findHeader(chain: Chain, number: BlockNumber): BlockHead | undefined {
  if (number === "latest" || number === "pending") return chain.head();
  return chain.header(number === "earliest" ? 0 : number);
}

/** The same, with the error for an unknown block. */
export function headerAt(chain: Chain, number: BlockNumber): BlockHead {
  const found = findHeader(chain, number);
  if (found === undefined) throw noBlock(number); // only a number: each tag has its block
  return found;
}

/** The header of a hash. */
export function headerOfHash(chain: Chain, hash: Uint8Array): BlockHead | undefined {
  const number = chain.number(hash);
  return number === undefined ? undefined : chain.header(number);
}

/** The same, with the error for an unknown one. */
export function headOfHash(chain: Chain, hash: Uint8Array): BlockHead {
  const found = headerOfHash(chain, hash);
  if (found === undefined) throw noBlock(hash);
  return found;
}

/** The block of a number or tag, with the error for an unknown one. */
export function blockAt(chain: Chain, number: BlockNumber): Block {
  const block = findBlock(chain, number);
  if (block === undefined) throw noBlock(number); // only a number: each tag has its block
  return block;
}

/** A block whose header was found. */
export function wholeBlock(chain: Chain, { header }: BlockHead): Block {
  return blockAt(chain, header.number);
}

/** The block of a hash. */
export function blockOfHash(chain: Chain, hash: Uint8Array): Block {
  const block = chain.blockByHash(hash);
  if (block === undefined) throw noBlock(hash);
  return block;
}

/** The block of a number, tag or hash. */
export function blockOf(chain: Chain, reference: BlockReference | undefined): Block {
  if (reference === undefined) throw noReference();
  return reference.hash === undefined ? blockAt(chain, reference.number) : blockOfHash(chain, reference.hash);
}

/** The state after a block; `pending` is the newest state. Throws `StateError` when it is no longer kept. */
export function stateOf(chain: Chain, reference: BlockReference | undefined): StateView {
  const head = chain.head().header.number;
  return chain.stateAt(numberIn({ head, numberOf: (hash) => chain.number(hash) }, reference));
}
