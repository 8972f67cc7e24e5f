/** Which block and which state a caller means, with the Go node's words when there is none. */
import { toHex } from "../../bytes/hex.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Block } from "../../model/block.ts";
import type { StateView } from "../../state/state.ts";
import type { BlockNumber, BlockReference } from "../codecs/block-number.ts";
import { failure, type RpcError } from "../errors.ts";
import type { RpcProfile } from "../profiles.ts";

/**
 * The block of a number or tag; undefined when there is none. No block is made in advance: the newest one stands for
 * `pending`, as on a Go node that makes none.
 */
export function findBlock(chain: Chain, number: BlockNumber): Block | undefined {
  if (number === "latest" || number === "pending") return chain.head();
  return chain.block(number === "earliest" ? 0 : number);
}

/** The same, with the error for an unknown block. */
export function blockAt(chain: Chain, number: BlockNumber): Block {
  return findBlock(chain, number) ?? fail(`the block does not exist (block number: ${shown(number)})`);
}

/** The block of a hash. */
export function blockOfHash(chain: Chain, hash: Uint8Array): Block {
  return chain.blockByHash(hash) ?? fail(`the block does not exist (block hash: ${toHex(hash)})`);
}

/** The block of a number, tag or hash. */
export function blockOf(chain: Chain, reference: BlockReference | undefined): Block {
  if (reference === undefined) throw noReference();
  return reference.hash === undefined ? blockAt(chain, reference.number) : blockOfHash(chain, reference.hash);
}

/** The state after a block; `pending` is the newest state. Throws `StateError` when it is no longer kept. */
export function stateOf(chain: Chain, reference: BlockReference | undefined): StateView {
  if (reference === undefined) throw noReference();
  return chain.stateAt(stateNumber(chain, reference));
}

function stateNumber(chain: Chain, { number, hash }: BlockReference): number {
  if (hash !== undefined) return (chain.blockByHash(hash) ?? fail("header for hash not found")).header.number;
  const head = chain.head().header.number;
  if (number === "latest" || number === "pending") return head;
  if (number === "earliest") return 0;
  return number <= head ? number : fail(`the header does not exist (block number: ${number})`);
}

/** What is said of a hash that no header has. */
export function noHeader(hash: Uint8Array, { line }: Pick<RpcProfile, "line">): RpcError {
  return failure(
    `the header does not exist (hash: ${line.hashesAsBytes ? `[${hash.join(" ")}]` : toHex(hash)})`,
  );
}

function noReference(): RpcError {
  return failure("invalid arguments; neither block nor hash specified");
}

function fail(message: string): never {
  throw failure(message);
}

function shown(number: BlockNumber): number | string {
  return number === "earliest" ? 0 : number;
}
