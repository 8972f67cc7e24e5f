/**
 * Block reward: minted amount and transaction fees, and their recipients
 * (`kaiax/reward/impl/getter.go@v2.2.2`). Pure.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Rules } from "../config/rules.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import { type Staker, type StakingInfo, stakersByReward } from "../governance/staking.ts";

/** Input of the block reward. */
export interface RewardDeps {
  /** Fees of the block, by `feesOf`. */
  readonly totalFee: bigint;
  readonly rules: Rules;
  readonly parameters: GovernanceParameters;
  readonly staking: StakingInfo;
  /** Reward address of the header. */
  readonly rewardbase: Address;
}

/** An amount credited to an account, in peb; negative where less than nothing is minted. */
export interface Credit {
  readonly address: Address;
  readonly amount: bigint;
}

/** Amounts of one block, in peb. */
export interface BlockReward {
  readonly minted: bigint;
  readonly totalFee: bigint;
  readonly burnt: bigint;
  /** Amount of the proposer, including its liquidity pool. */
  readonly proposer: bigint;
  readonly stakers: bigint;
  readonly kif: bigint;
  readonly kef: bigint;
  readonly kpf: bigint;
  /** Credits; each address occurs once. */
  readonly credits: readonly Credit[];
}

/** Shares before they are credited. */
type Shares = Omit<BlockReward, "credits"> & { readonly stakerCredits: readonly Credit[] };

/**
 * Returns the fees of a block's transactions. `paid` is the sum of the fees paid, which counts under rules
 * with tips.
 */
export function feesOf(
  { gasUsed, paid, baseFee }: { gasUsed: bigint; paid: bigint; baseFee: bigint | undefined },
  rules: Rules,
  parameters: GovernanceParameters,
): bigint {
  if (rules.effectivePrice === "base-fee-and-tip") return paid;
  return gasUsed * (rules.baseFee ? (baseFee ?? 0n) : parameters.unitPrice);
}

/** Returns the reward that is paid when a block is finalized, without fees that transactions paid at once. */
export function blockReward(deps: RewardDeps): BlockReward {
  const { parameters, rewardbase } = deps;
  if (parameters.policy !== "weighted") {
    const shares = simpleShares(deps);
    return { ...shares, credits: mergeCredits([{ address: rewardbase, amount: shares.proposer }]) };
  }
  return creditShares(deps.rules.splitsStakers ? stakedShares(deps) : legacyShares(deps), deps);
}

/**
 * Returns the reward as RPC methods report it: with the fees paid at once, half of which count as burnt under
 * a base fee although nothing was burnt, as in the Go node. `author` is the proposer.
 */
export function reportedReward(deps: RewardDeps, author: Address): BlockReward {
  const reward = blockReward(deps);
  const { totalFee, rules, parameters, rewardbase } = deps;
  if (parameters.deferredTxFee) return reward;
  const burnt = rules.burnHalf ? totalFee / 2n : 0n;
  const address = rules.immediateFeeTo === "author" ? author : rewardbase;
  return {
    ...reward,
    totalFee: reward.totalFee + totalFee,
    burnt: reward.burnt + burnt,
    proposer: reward.proposer + totalFee - burnt,
    credits: mergeCredits([...reward.credits, { address, amount: totalFee - burnt }]),
  };
}

const NOTHING = { stakers: 0n, kif: 0n, kef: 0n, kpf: 0n, stakerCredits: [] };

/**
 * Gives everything to the proposer. Before the base fee, fees paid at once are paid again, as in the Go node.
 */
function simpleShares({ totalFee, rules, parameters }: RewardDeps): Shares {
  const minted = parameters.mintingAmount;
  if (!parameters.deferredTxFee && rules.baseFee) {
    return { ...NOTHING, minted, totalFee: 0n, burnt: 0n, proposer: minted };
  }
  const burnt = parameters.deferredTxFee && rules.burnHalf ? totalFee / 2n : 0n;
  return { ...NOTHING, minted, totalFee, burnt, proposer: minted + totalFee - burnt };
}

/** Splits minted amount and fees among the proposer and the first two funds. */
function legacyShares({ totalFee: fees, rules, parameters }: RewardDeps): Shares {
  const minted = parameters.mintingAmount;
  const totalFee = parameters.deferredTxFee ? fees : 0n;
  const burnt = rules.burnHalf ? totalFee / 2n : 0n;
  const reward = minted + totalFee - burnt;
  const proposer = percent(reward, parameters.ratio.validators);
  const kef = percent(reward, parameters.ratio.kef);
  return { ...NOTHING, minted, totalFee, burnt, proposer, kef, kif: reward - proposer - kef };
}

/**
 * Splits the minted amount with a share for stakers; fees are burnt up to the proposer's own share (KIP-82). The
 * third fund has a share under the flexible reward alone; otherwise the first fund gets it.
 */
function stakedShares(deps: RewardDeps): Shares {
  const { parameters, rules } = deps;
  const isFlexible = isFlexReward(deps);
  const minted = parameters.mintingAmount;
  const totalFee = parameters.deferredTxFee ? deps.totalFee : 0n;
  const validators = percent(minted, parameters.ratio.validators);
  const kef = percent(minted, parameters.ratio.kef);
  const kpf = isFlexible ? percent(minted, parameters.ratio.kpf) : 0n;
  const own = percent(validators, parameters.kip82.proposer);
  const forStakers = percent(validators, parameters.kip82.stakers);
  const half = totalFee / 2n;
  const rest = totalFee - half;
  const burnt = half + (rest < own ? rest : own);
  const excesses = isFlexible ? excessesOverThreshold(deps) : excessesOverMinimum(deps);
  const { credits, left } = stakerCredits(forStakers, excesses, rules);
  return {
    minted,
    totalFee,
    burnt,
    proposer: own + left + totalFee - burnt,
    stakers: forStakers - left,
    kif: minted - own - forStakers - kef - kpf,
    kef,
    kpf,
    stakerCredits: credits,
  };
}

/** Returns true when the flexible reward is in force. */
function isFlexReward({ rules, parameters }: RewardDeps): boolean {
  return rules.flexReward && parameters.useFlexReward;
}

/** A staker with the part of its stake that earns rewards. */
interface StakerExcess {
  readonly staker: Staker;
  readonly excess: bigint;
}

/** Returns the stakes above the minimum stake. */
function excessesOverMinimum({ staking, parameters, rules }: RewardDeps): readonly StakerExcess[] {
  const { minimumStake } = parameters;
  return stakersByReward(staking).flatMap((staker) =>
    staker.amount < minimumStake ? [] : [{ staker, excess: wholeStake(staker, rules) - minimumStake }],
  );
}

/** Returns the stakes above the threshold of stakers with the minimum stake. */
function excessesOverThreshold({ staking, parameters, rules }: RewardDeps): readonly StakerExcess[] {
  const { minimumStake, stakingRewardThreshold: threshold } = parameters;
  return stakersByReward(staking).flatMap((staker) => {
    const stake = wholeStake(staker, rules);
    return staker.amount < minimumStake || stake <= threshold ? [] : [{ staker, excess: stake - threshold }];
  });
}

/** Returns the stake with that of the liquidity pool, where pools count (KIP-226). */
function wholeStake({ amount, pool }: Staker, rules: Rules): bigint {
  return amount + (rules.liquidityPools ? (pool?.amount ?? 0n) : 0n);
}

/**
 * Splits an amount among stakers in proportion to their excess. Of several amounts for one address the last
 * counts, as in the Go node.
 */
function stakerCredits(
  amount: bigint,
  excesses: readonly StakerExcess[],
  rules: Rules,
): { readonly credits: readonly Credit[]; readonly left: bigint } {
  const total = excesses.reduce((sum, { excess }) => sum + excess, 0n);
  const credits = new Map<string, Credit>();
  let left = amount;
  for (const { staker, excess } of excesses) {
    const share = total === 0n ? 0n : floorDivide(excess * amount, total);
    if (share <= 0n) continue;
    for (const credit of withPool(staker, share, rules)) credits.set(mapKey(credit.address), credit);
    left -= share;
  }
  return { credits: [...credits.values()], left };
}

/** Splits a staker's amount with its liquidity pool in proportion to the pool's stake (KIP-226). */
function withPool({ reward, amount: staked, pool }: Staker, amount: bigint, rules: Rules): readonly Credit[] {
  if (pool === undefined || !rules.liquidityPools) return [{ address: reward, amount }];
  const all = staked + pool.amount;
  const pooled = all === 0n ? 0n : floorDivide(amount * pool.amount, all);
  return [
    { address: reward, amount: amount - pooled },
    { address: pool.pool, amount: pooled },
  ];
}

/**
 * Credits the shares. The share of a fund without an address goes to the proposer, and the proposer shares
 * with its own pool.
 */
function creditShares({ stakerCredits: credits, ...shares }: Shares, deps: RewardDeps): BlockReward {
  const { staking, rewardbase, rules } = deps;
  const kif = staking.kif === undefined ? 0n : shares.kif;
  const kef = staking.kef === undefined ? 0n : shares.kef;
  const kpf = staking.kpf === undefined ? 0n : shares.kpf;
  const proposer = shares.proposer + (shares.kif - kif) + (shares.kef - kef) + (shares.kpf - kpf);
  const maker = stakersByReward(staking).find(({ reward }) => equalBytes(reward, rewardbase));
  const own =
    maker === undefined ? [{ address: rewardbase, amount: proposer }] : withPool(maker, proposer, rules);
  const funds = [
    ...(staking.kif === undefined ? [] : [{ address: staking.kif, amount: kif }]),
    ...(staking.kef === undefined ? [] : [{ address: staking.kef, amount: kef }]),
    ...(staking.kpf === undefined || !isFlexReward(deps) ? [] : [{ address: staking.kpf, amount: kpf }]),
  ];
  return { ...shares, proposer, kif, kef, kpf, credits: mergeCredits([...credits, ...funds, ...own]) };
}

function percent(amount: bigint, share: bigint): bigint {
  return floorDivide(amount * share, 100n);
}

/** Divides by a positive number, rounding down; a negative minted amount makes negative shares. */
function floorDivide(amount: bigint, divisor: bigint): bigint {
  const quotient = amount / divisor;
  return quotient * divisor > amount ? quotient - 1n : quotient;
}

function mergeCredits(credits: readonly Credit[]): readonly Credit[] {
  const byAddress = new Map<string, Credit>();
  for (const { address, amount } of credits) {
    const known = byAddress.get(mapKey(address));
    byAddress.set(mapKey(address), { address, amount: amount + (known?.amount ?? 0n) });
  }
  return [...byAddress.values()];
}
