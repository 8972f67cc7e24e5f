/**
 * Stakes of nodes by the address book contract and the registry of liquidity pools at one block; nodes with
 * the same reward address count as one. Amounts are in KAIA.
 */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";

/** A node of the address book. */
export interface StakedNode {
  readonly node: Address;
  readonly stakingContract: Address;
  readonly reward: Address;
  readonly amount: bigint;
}

/** A pool of consensus liquidity (KIP-226). */
export interface LiquidityPool {
  readonly node: Address;
  readonly pool: Address;
  readonly amount: bigint;
}

/** Staking information of one block; without an address book it has no nodes and no funds. */
export interface StakingInfo {
  /** Block whose state was read. */
  readonly source: number;
  readonly nodes: readonly StakedNode[];
  /** Address of the ecosystem fund. */
  readonly kef: Address | undefined;
  /** Address of the infrastructure fund. */
  readonly kif: Address | undefined;
  /** Address of the third fund; the other funds may stand without it. */
  readonly kpf: Address | undefined;
  readonly pools: readonly LiquidityPool[];
}

/** Nodes with one reward address. */
export interface Staker {
  readonly nodes: readonly Address[];
  readonly reward: Address;
  /** Amount in staking contracts. */
  readonly amount: bigint;
  readonly pool: LiquidityPool | undefined;
}

/** Returns the staking information without stakes. */
export function noStaking(source: number): StakingInfo {
  return { source, nodes: [], kef: undefined, kif: undefined, kpf: undefined, pools: [] };
}

const stakersOf = new WeakMap<StakingInfo, readonly Staker[]>();

/**
 * Returns the nodes grouped by reward address, in order of first appearance; computed once per information.
 */
export function stakersByReward(info: StakingInfo): readonly Staker[] {
  let list = stakersOf.get(info);
  if (list === undefined) {
    list = groupByReward(info);
    stakersOf.set(info, list);
  }
  return list;
}

function groupByReward({ nodes, pools }: StakingInfo): readonly Staker[] {
  const byReward = new Map<string, Staker>();
  const rewardOf = new Map<string, string>();
  for (const { node, reward, amount } of nodes) {
    const key = mapKey(reward);
    const known = byReward.get(key);
    rewardOf.set(mapKey(node), key);
    byReward.set(key, {
      nodes: [...(known?.nodes ?? []), node],
      reward,
      amount: (known?.amount ?? 0n) + amount,
      pool: undefined,
    });
  }
  for (const pool of pools) {
    const key = rewardOf.get(mapKey(pool.node));
    const staker = key === undefined ? undefined : byReward.get(key);
    if (key !== undefined && staker !== undefined) byReward.set(key, { ...staker, pool });
  }
  return [...byReward.values()];
}

/** Returns the stake of each validator, in order; nodes with one reward address each have the sum. */
export function stakesOf(validators: readonly Address[], info: StakingInfo): readonly bigint[] {
  const amounts = new Map<string, bigint>();
  for (const { nodes, amount } of stakersByReward(info)) {
    for (const node of nodes) amounts.set(mapKey(node), amount);
  }
  return validators.map((validator) => amounts.get(mapKey(validator)) ?? 0n);
}

/**
 * Returns the Gini coefficient of stakes, rounded to hundredths: 0 when all are equal, `NaN` without stakes.
 */
export function giniCoefficient(amounts: readonly number[]): number {
  const sorted = [...amounts].sort((a, b) => a - b);
  let differences = 0;
  let sum = 0;
  for (const [index, amount] of sorted.entries()) {
    differences += amount * index - sum;
    sum += amount;
  }
  return Math.round((differences / sum / sorted.length) * 100) / 100;
}

/**
 * Returns the block whose state gives the stakes of block `number`: its parent where the rules read the
 * newest stakes, else the end of the interval before the last one.
 */
export function stakingSource(number: number, options: { newest: boolean; interval: number }): number {
  if (options.newest) return Math.max(0, number - 1);
  const { interval } = options;
  if (number <= 2 * interval) return 0;
  const last = number - 1;
  return last - (last % interval) - interval;
}
