/**
 * Who has staked how much, as the address book contract and the registry of liquidity pools say it at one block,
 * and what follows from it: nodes that share a reward address count as one. Amounts are whole coins.
 */
import { mapKey } from "../bytes/hex.ts";

/** A node of the address book. */
export interface StakedNode {
  readonly node: Uint8Array;
  readonly stakingContract: Uint8Array;
  readonly reward: Uint8Array;
  readonly amount: bigint;
}

/** A pool of consensus liquidity (KIP-226). */
export interface LiquidityPool {
  readonly node: Uint8Array;
  readonly pool: Uint8Array;
  readonly amount: bigint;
}

/** See the head of this file. Without an address book there are no nodes and no funds. */
export interface StakingInfo {
  /** Block whose state was read. */
  readonly source: number;
  readonly nodes: readonly StakedNode[];
  /** Ecosystem fund, the second one. */
  readonly kef: Uint8Array | undefined;
  /** Infrastructure fund, the first one. */
  readonly kif: Uint8Array | undefined;
  readonly pools: readonly LiquidityPool[];
}

/** All nodes of one reward address. */
export interface Staker {
  readonly nodes: readonly Uint8Array[];
  readonly reward: Uint8Array;
  /** In staking contracts. */
  readonly amount: bigint;
  readonly pool: LiquidityPool | undefined;
}

/** Nobody has staked. */
export function noStaking(source: number): StakingInfo {
  return { source, nodes: [], kef: undefined, kif: undefined, pools: [] };
}

const stakersOf = new WeakMap<StakingInfo, readonly Staker[]>();

/** Nodes by reward address, in the order of their first appearance; computed once per information. */
export function stakers(info: StakingInfo): readonly Staker[] {
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

/** Stake of each validator, in their order; what its reward address has in all is each node's. */
export function stakesOf(validators: readonly Uint8Array[], info: StakingInfo): readonly bigint[] {
  const amounts = new Map<string, bigint>();
  for (const { nodes, amount } of stakers(info)) {
    for (const node of nodes) amounts.set(mapKey(node), amount);
  }
  return validators.map((validator) => amounts.get(mapKey(validator)) ?? 0n);
}

/** How unequal stakes are: 0 when all are the same, rounded to hundredths; 0 in `otherwise` when there are none. */
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
 * Block whose state says what is staked for block `number`: its parent where the rules read the newest stakes,
 * else the end of the interval before the last one.
 */
export function stakingSource(number: number, terms: { newest: boolean; interval: number }): number {
  if (terms.newest) return Math.max(0, number - 1);
  const { interval } = terms;
  if (number <= 2 * interval) return 0;
  const last = number - 1;
  return last - (last % interval) - interval;
}
