/** Context of a block for its transactions and for the EVM. In: a header and the chain configuration. */
import type { Address, Hash } from "../bytes/brands.ts";
import { blobLimits, MAX_TRANSACTION_BLOBS } from "../config/blob-schedule.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import type { EvmBlock } from "../evm/evm.ts";
import type { Header } from "../model/header.ts";
import type { BlockContext } from "./transaction.ts";

/** Creates the context of a block's transactions for a chain configuration. */
export function blockContext(config: ChainConfig, header: Header, surroundings: EvmBlockDeps): BlockContext {
  return {
    chainId: config.chainId,
    header,
    rules: rulesAt(config, header.number),
    block: evmBlock(header, surroundings),
    maxBlobs: MAX_TRANSACTION_BLOBS,
    maxBlockBlobs: blobLimits(config).max,
    deferredFees: config.governance.reward.deferredTxFee,
  };
}

/** Price of a unit of blob gas as a multiple of the base fee (KIP-279). */
export const BLOB_PRICE = 8n;

/** Properties of a block outside its header. */
export interface EvmBlockDeps {
  /** Proposer of the block. Receives fees that are not deferred where the rules name the author. */
  readonly author: Address;
  /** Returns the hash of a block by number; undefined without one. */
  readonly blockHash: (number: number) => Hash | undefined;
}

/**
 * Returns the EVM's view of a block: gas limit 0, and the parent's hash as random value without randomness. A header
 * with blob gas and without randomness has an empty mix on the wire.
 */
export function evmBlock(header: Header, { author, blockHash }: EvmBlockDeps): EvmBlock {
  const baseFee = header.baseFee ?? 0n;
  return {
    number: header.number,
    time: header.time,
    author,
    blockScore: header.blockScore,
    baseFee,
    blobBaseFee: header.excessBlobGas === undefined ? 0n : BLOB_PRICE * baseFee,
    random: header.mixHash?.length ? header.mixHash : header.parentHash,
    gasLimit: 0n,
    blockHash,
  };
}
