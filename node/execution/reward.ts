/** What a block pays, and to whom: minted amount and transaction fees (Klaytn/Kaia reward rules). Pure. */
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Rules } from "../config/rules.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import { type Staker, type StakingInfo, stakers } from "../governance/staking.ts";

/** What the reward of a block depends on. */
export interface RewardDeps {
  /** See `feesOf`. */
  readonly totalFee: bigint;
  readonly rules: Rules;
  readonly parameters: GovernanceParameters;
  readonly staking: StakingInfo;
  /** Of the header. */
  readonly rewardbase: Uint8Array;
}

/** An amount that an account gets, in peb. */
export interface Credit {
  readonly address: Uint8Array;
  readonly amount: bigint;
}

/** The amounts of one block, in peb. */
export interface BlockReward {
  readonly minted: bigint;
  readonly totalFee: bigint;
  readonly burnt: bigint;
  /** Of the block's maker, its pool of liquidity included. */
  readonly proposer: bigint;
  readonly stakers: bigint;
  readonly kif: bigint;
  readonly kef: bigint;
  /** Each address once. */
  readonly credits: readonly Credit[];
}

/** Shares before they are given out. */
type Shares = Omit<BlockReward, "credits"> & { readonly stakerCredits: readonly Credit[] };

/** What a block's transactions paid: `paid` is what they paid in fact, which counts since tips are paid. */
export function feesOf(
  { gasUsed, paid, baseFee }: { gasUsed: bigint; paid: bigint; baseFee: bigint | undefined },
  rules: Rules,
  parameters: GovernanceParameters,
): bigint {
  if (rules.effectivePrice === "base-fee-and-tip") return paid;
  return gasUsed * (rules.baseFee ? (baseFee ?? 0n) : parameters.unitPrice);
}

/** What is paid when a block is finalized. Fees that were paid transaction by transaction are not in it. */
export function blockReward(terms: RewardDeps): BlockReward {
  const { parameters, rewardbase } = terms;
  if (parameters.policy !== "weighted") {
    const shares = simpleShares(terms);
    return { ...shares, credits: mergeCredits([{ address: rewardbase, amount: shares.proposer }]) };
  }
  return creditShares(terms.rules.splitsStakers ? stakedShares(terms) : legacyShares(terms), terms);
}

/**
 * The reward as it is told to callers: fees that were paid at once are added, with half of them called burnt under a
 * base fee although nothing was, as the Go node says. `author` made the block.
 */
export function reportedReward(terms: RewardDeps, author: Uint8Array): BlockReward {
  const reward = blockReward(terms);
  const { totalFee, rules, parameters, rewardbase } = terms;
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

const NOTHING = { stakers: 0n, kif: 0n, kef: 0n, stakerCredits: [] };

/** Everything to the block's maker. Before the base fee, fees paid already are paid once more, as the Go node does. */
function simpleShares({ totalFee, rules, parameters }: RewardDeps): Shares {
  const minted = parameters.mintingAmount;
  if (!parameters.deferredTxFee && rules.baseFee) {
    return { ...NOTHING, minted, totalFee: 0n, burnt: 0n, proposer: minted };
  }
  const burnt = parameters.deferredTxFee && rules.burnHalf ? totalFee / 2n : 0n;
  return { ...NOTHING, minted, totalFee, burnt, proposer: minted + totalFee - burnt };
}

/** Minted amount and fees together are split among the maker and the two funds. */
function legacyShares({ totalFee: fees, rules, parameters }: RewardDeps): Shares {
  const minted = parameters.mintingAmount;
  const totalFee = parameters.deferredTxFee ? fees : 0n;
  const burnt = rules.burnHalf ? totalFee / 2n : 0n;
  const reward = minted + totalFee - burnt;
  const proposer = percent(reward, parameters.ratio.validators);
  const kef = percent(reward, parameters.ratio.kef);
  return { ...NOTHING, minted, totalFee, burnt, proposer, kef, kif: reward - proposer - kef };
}

/** KIP-82: the minted amount is split, stakers have a part of it, and fees are burnt up to the maker's own part. */
function stakedShares(terms: RewardDeps): Shares {
  const { parameters } = terms;
  const minted = parameters.mintingAmount;
  const totalFee = parameters.deferredTxFee ? terms.totalFee : 0n;
  const validators = percent(minted, parameters.ratio.validators);
  const kef = percent(minted, parameters.ratio.kef);
  const own = percent(validators, parameters.kip82.proposer);
  const forStakers = percent(validators, parameters.kip82.stakers);
  const half = totalFee / 2n;
  const rest = totalFee - half;
  const burnt = half + (rest < own ? rest : own);
  const { credits, left } = stakerCredits(forStakers, terms);
  return {
    minted,
    totalFee,
    burnt,
    proposer: own + left + totalFee - burnt,
    stakers: forStakers - left,
    kif: minted - own - forStakers - kef,
    kef,
    stakerCredits: credits,
  };
}

/** Stakers share by what they have staked beyond the minimum. */
function stakerCredits(
  amount: bigint,
  { staking, parameters: { minimumStake }, rules }: RewardDeps,
): { readonly credits: readonly Credit[]; readonly left: bigint } {
  const excesses = stakers(staking).flatMap((staker) => {
    if (staker.amount < minimumStake) return [];
    const pool = rules.liquidityPools ? (staker.pool?.amount ?? 0n) : 0n;
    return [{ staker, excess: staker.amount + pool - minimumStake }];
  });
  const total = excesses.reduce((sum, { excess }) => sum + excess, 0n);
  const credits: Credit[] = [];
  let left = amount;
  for (const { staker, excess } of excesses) {
    const share = total === 0n ? 0n : (excess * amount) / total;
    if (share === 0n) continue;
    credits.push(...withPool(staker, share, rules));
    left -= share;
  }
  return { credits, left };
}

/** A staker's amount, a part of which goes to its pool in proportion to what lies there. */
function withPool({ reward, amount: staked, pool }: Staker, amount: bigint, rules: Rules): readonly Credit[] {
  if (pool === undefined || !rules.liquidityPools) return [{ address: reward, amount }];
  const all = staked + pool.amount;
  const pooled = all === 0n ? 0n : (amount * pool.amount) / all;
  return [
    { address: reward, amount: amount - pooled },
    { address: pool.pool, amount: pooled },
  ];
}

/** A fund without an address leaves its share to the maker, who shares with its own pool. */
function creditShares({ stakerCredits: credits, ...shares }: Shares, terms: RewardDeps): BlockReward {
  const { staking, rewardbase, rules } = terms;
  const kif = staking.kif === undefined ? 0n : shares.kif;
  const kef = staking.kef === undefined ? 0n : shares.kef;
  const proposer = shares.proposer + (shares.kif - kif) + (shares.kef - kef);
  const maker = stakers(staking).find(({ reward }) => equalBytes(reward, rewardbase));
  const own =
    maker === undefined ? [{ address: rewardbase, amount: proposer }] : withPool(maker, proposer, rules);
  const funds = [
    ...(staking.kif === undefined ? [] : [{ address: staking.kif, amount: kif }]),
    ...(staking.kef === undefined ? [] : [{ address: staking.kef, amount: kef }]),
  ];
  return { ...shares, proposer, kif, kef, credits: mergeCredits([...credits, ...funds, ...own]) };
}

function percent(amount: bigint, share: bigint): bigint {
  return (amount * share) / 100n;
}

function mergeCredits(credits: readonly Credit[]): readonly Credit[] {
  const byAddress = new Map<string, Credit>();
  for (const { address, amount } of credits) {
    const known = byAddress.get(mapKey(address));
    byAddress.set(mapKey(address), { address, amount: amount + (known?.amount ?? 0n) });
  }
  return [...byAddress.values()];
}
