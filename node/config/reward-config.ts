/** Rewards in a chain configuration: `governance.reward` (`params/config.go@v2.2.2`). */

/**
 * Rewards. `mintingAmount` is in peb, `minimumStake` and `stakingRewardThreshold` are in KAIA; `ratio` is
 * "validators/kif/kef" or "validators/kif/kef/kpf" in percent.
 */
export interface RewardConfig {
  readonly mintingAmount: bigint;
  readonly ratio: string;
  readonly kip82Ratio: string;
  readonly useGiniCoeff: boolean;
  readonly deferredTxFee: boolean;
  readonly stakingUpdateInterval: number;
  readonly proposerUpdateInterval: number;
  readonly minimumStake: bigint;
  /** Stake that earns no part of the stakers' share under the flexible reward. */
  readonly stakingRewardThreshold: bigint;
  readonly useFlexReward: boolean;
}

/** Default of `governance.reward`. */
export const DEFAULT_REWARD: RewardConfig = {
  mintingAmount: 0n,
  ratio: "100/0/0",
  kip82Ratio: "20/80",
  useGiniCoeff: false,
  deferredTxFee: false,
  stakingUpdateInterval: 86_400,
  proposerUpdateInterval: 3_600,
  minimumStake: 2_000_000n,
  stakingRewardThreshold: 5_000_000n,
  useFlexReward: false,
};
