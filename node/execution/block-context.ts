import { blobLimits } from "../config/blob-schedule.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import type { Header } from "../model/header.ts";
import { type EvmBlockDeps, evmBlock } from "./evm-block.ts";
import type { BlockContext } from "./transaction.ts";

/** What the transactions of a block share, on a chain of this configuration. */
export function blockContext(config: ChainConfig, header: Header, surroundings: EvmBlockDeps): BlockContext {
  return {
    chainId: config.chainId,
    header,
    rules: rulesAt(config, header.number),
    block: evmBlock(header, surroundings),
    maxBlobs: blobLimits(config).max,
    deferredFees: config.governance.reward.deferredTxFee,
  };
}
