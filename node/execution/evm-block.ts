import type { EvmBlock } from "../evm/evm.ts";
import type { Header } from "../model/header.ts";

/** Times the base fee: what a unit of blob gas costs (KIP-279). */
export const BLOB_PRICE = 8n;

/** What a header does not say of its block. */
export interface EvmBlockDeps {
  /** Proposer of the block; receives fees where they are not deferred and the rules name the author. */
  readonly author: Uint8Array;
  /** Hash of a block by number; undefined where there is none. */
  readonly blockHash: (number: number) => Uint8Array | undefined;
}

/** A block as contracts see it (execution.md 2): gas limit 0, and the parent's hash where there is no randomness. */
export function evmBlock(header: Header, { author, blockHash }: EvmBlockDeps): EvmBlock {
  const baseFee = header.baseFee ?? 0n;
  return {
    number: header.number,
    time: header.time,
    author,
    blockScore: header.blockScore,
    baseFee,
    blobBaseFee: header.excessBlobGas === undefined ? 0n : BLOB_PRICE * baseFee,
    random: header.mixHash ?? header.parentHash,
    gasLimit: 0n,
    blockHash,
  };
}
