/** Staking information as JSON, in the form of the Go node's `getStakingInfo`. */
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { giniCoefficient, noStaking, type StakingInfo, stakersByReward } from "../governance/staking.ts";
import { failure } from "../jsonrpc/errors.ts";
import { unsignedBlockText } from "./not-found.ts";
import type { GovernanceMethodDeps } from "./parameters.ts";
import { parametersInForce } from "./parameters.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
/** The tag `pending` as the Go node reads it: -2 as an unsigned 64-bit integer. */
export const PENDING_NUMBER = 0xffff_ffff_ffff_fffen;

/**
 * Formats the staking information that applies to block `number`. Throws `RpcError` when its source block
 * does not exist yet.
 */
export function stakingJson(deps: GovernanceMethodDeps, number: number | bigint): object {
  const source = sourceOf(deps, typeof number === "bigint" ? number : BigInt(unsignedBlockText(number)));
  const info =
    source > BigInt(deps.chain.head().header.number) ? futureStaking(deps, source) : stakingAt(deps, number);
  return deps.stakingForm === "with-pools"
    ? withPools(deps, info, Number(number))
    : withoutPools(deps, info, Number(number));
}

function stakingAt({ governance }: GovernanceMethodDeps, number: number | bigint): StakingInfo {
  return governance.staking(Number(number));
}

function futureStaking({ stakingForm }: GovernanceMethodDeps, source: bigint): StakingInfo {
  if (stakingForm === "without-pools") return noStaking(Number(source));
  throw failure(`failed to get header for block number ${source}`);
}

/** Returns the source block of the staking information, as `stakingSource` but for any 64-bit number. */
function sourceOf({ chain }: GovernanceMethodDeps, number: bigint): bigint {
  if (number === 0n) return 0n;
  const last = number - 1n;
  if (chain.rules(Number(number)).readsNewestStakes) return last;
  const interval = BigInt(chain.config.governance.reward.stakingUpdateInterval);
  return number <= 2n * interval ? 0n : last - (last % interval) - interval;
}

function withPools(deps: GovernanceMethodDeps, info: StakingInfo, number: number): object {
  const kef = fund(info.kef);
  const kif = fund(info.kif);
  const pools = info.pools.map(({ node, pool, amount }) => ({
    clNodeId: toHex(node),
    clPoolAddr: toHex(pool),
    clStakingAmount: jsonInteger(amount),
  }));
  const lists = { ...councilAddresses(info), councilStakingAmounts: amountsOf(info) };
  const { councilStakingAmounts, ...addresses } = isFirstEmpty(deps, info) ? nulls(lists) : lists;
  return {
    blockNum: info.source,
    ...addresses,
    kefAddr: kef,
    kifAddr: kif,
    kpfAddr: fund(info.kpf),
    councilStakingAmounts,
    clStakingInfos: pools.length === 0 ? null : pools,
    KIRAddr: kef,
    PoCAddr: kif,
    kcfAddr: kef,
    kffAddr: kif,
    useGini: parametersInForce(deps, number).get("reward.useginicoeff") === true,
    gini: gini(deps, info, number),
  };
}

/** Sources without staking information that were asked for, in the order of their last use, by chain. */
const emptySources = new WeakMap<Chain, Set<number>>();
/** Entries of the Go node's cache of staking information (`kaiax/staking/impl/init.go@v2.2.2`). */
const MAX_EMPTY_SOURCES = 128;

/**
 * Returns true when the information is empty and its source was not asked for lately: the Go node fills in empty lists
 * in its cache after it copied the answer (`ToResponse` in `kaiax/staking/staking_info.go@v2.2.2`).
 */
function isFirstEmpty(
  { chain, firstStakingIsNull }: GovernanceMethodDeps,
  { nodes, source }: StakingInfo,
): boolean {
  if (nodes.length > 0 || !firstStakingIsNull) return false;
  const known = emptySources.get(chain) ?? new Set();
  emptySources.set(chain, known);
  const isFirst = !known.delete(source);
  known.add(source);
  const [oldest] = known;
  if (known.size > MAX_EMPTY_SOURCES && oldest !== undefined) known.delete(oldest);
  return isFirst;
}

function nulls<T extends object>(members: T): { readonly [K in keyof T]: null } {
  return Object.fromEntries(Object.keys(members).map((key) => [key, null])) as { [K in keyof T]: null }; // the same keys
}

function withoutPools(deps: GovernanceMethodDeps, info: StakingInfo, number: number): object {
  const kcf = fund(info.kef);
  const kff = fund(info.kif);
  const useGini = info.nodes.length > 0 && deps.chain.parameters(number).useGini;
  return {
    blockNum: info.source,
    ...councilAddresses(info),
    kcfAddr: kcf,
    kffAddr: kff,
    useGini,
    gini: useGini ? gini(deps, info, number) : -1,
    councilStakingAmounts: amountsOf(info),
    KIRAddr: kcf,
    PoCAddr: kff,
  };
}

function fund(address: Address | undefined): string {
  return address === undefined ? ZERO_ADDRESS : toHex(address);
}

function councilAddresses({ nodes }: StakingInfo): object {
  return {
    councilNodeAddrs: nodes.map(({ node }) => toHex(node)),
    councilStakingAddrs: nodes.map(({ stakingContract }) => toHex(stakingContract)),
    councilRewardAddrs: nodes.map(({ reward }) => toHex(reward)),
  };
}

function amountsOf({ nodes }: StakingInfo): unknown[] {
  return nodes.map(({ amount }) => jsonInteger(amount));
}

/** Computes the Gini coefficient of the stakes above the minimum, with their pools; -1 when there are none. */
function gini({ chain }: GovernanceMethodDeps, info: StakingInfo, number: number): number {
  const { minimumStake } = chain.parameters(number);
  const amounts = stakersByReward(info).flatMap(({ amount, pool }) =>
    amount < minimumStake ? [] : [Number(amount) + Number(pool?.amount ?? 0n)],
  );
  return amounts.length === 0 ? -1 : giniCoefficient(amounts);
}
