/**
 * Governance parameters in force at a block. In this release they are those of the chain configuration at
 * every block: the header rules refuse blocks that carry votes, so nothing can have changed them.
 */
import type { ChainConfig } from "../config/chain-config.ts";

/** What governance decides about a block. Amounts are in peb. */
export interface Parameters {
  /** Gas price every transaction pays where the rules have no base fee. */
  readonly unitPrice: bigint;
  /** Which function makes the transactions and receipts roots: 0 trie, 1 pairwise, 2 concatenated. */
  readonly deriveShaImpl: number;
  /** Minted by each block. */
  readonly mintingAmount: bigint;
  /** Share of the proposer in a weighted chain, percent: the first number of `reward.ratio`. */
  readonly proposerPercent: bigint;
  /** Share of the proposer in `proposerPercent`, percent: the first number of `reward.kip82ratio`. */
  readonly proposerBasePercent: bigint;
  /** True where rewards and proposers go by stake (proposer policy 2). */
  readonly weighted: boolean;
  /** Blocks between two governance headers. */
  readonly epoch: number;
  readonly committeeSize: number;
  readonly baseFee: BaseFeeParameters;
}

/** KIP-71: the range and the speed of the base fee. */
export interface BaseFeeParameters {
  readonly lowerBound: bigint;
  readonly upperBound: bigint;
  readonly gasTarget: bigint;
  readonly maxBlockGasUsed: bigint;
  readonly denominator: bigint;
}

const WEIGHTED_RANDOM = 2;

/** The parameters of a chain whose headers carry no votes. */
export function configuredParameters(config: ChainConfig): Parameters {
  const { governance, istanbul } = config;
  const { kip71, reward } = governance;
  return {
    unitPrice: config.unitPrice,
    deriveShaImpl: config.deriveShaImpl,
    mintingAmount: reward.mintingAmount,
    proposerPercent: firstShare(reward.ratio),
    proposerBasePercent: firstShare(reward.kip82Ratio),
    weighted: istanbul.policy === WEIGHTED_RANDOM,
    epoch: istanbul.epoch,
    committeeSize: istanbul.sub,
    baseFee: {
      lowerBound: kip71.lowerBoundBaseFee,
      upperBound: kip71.upperBoundBaseFee,
      gasTarget: kip71.gasTarget,
      maxBlockGasUsed: kip71.maxBlockGasUsedForBaseFee,
      denominator: kip71.baseFeeDenominator,
    },
  };
}

function firstShare(ratio: string): bigint {
  return BigInt(ratio.split("/", 1)[0] ?? "0");
}
