/** Who had staked what, as methods show it (rpc.md 3.8). */
import { toHex } from "../bytes/hex.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { giniCoefficient, noStaking, type StakingInfo, stakers } from "../governance/staking.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { GoverningParts } from "./parameters.ts";
import { shownValues } from "./parameters.ts";

const NOWHERE = `0x${"0".repeat(40)}`;
/** What the Go node makes of the tag `pending`: its own number for it, read without a sign. */
export const PENDING_NUMBER = 0xffff_ffff_ffff_fffen;

/** The stakes that count for block `number`. Throws `RpcError` when they are not known yet. */
export function stakingView(parts: GoverningParts, number: number | bigint): object {
  const source = sourceOf(parts, BigInt(number));
  const info =
    source > BigInt(parts.chain.head().header.number) ? later(parts, source) : known(parts, number);
  return parts.profile.line.staking === "with-pools"
    ? withPools(parts, info, Number(number))
    : withoutPools(parts, info, Number(number));
}

function known({ governance }: GoverningParts, number: number | bigint): StakingInfo {
  return governance.staking(Number(number));
}

function later({ profile }: GoverningParts, source: bigint): StakingInfo {
  if (profile.line.staking === "without-pools") return noStaking(Number(source));
  throw failure(`failed to get header for block number ${source}`);
}

/** As `stakingSource`, of any number that a caller may come up with. */
function sourceOf({ chain }: GoverningParts, number: bigint): bigint {
  if (number === 0n) return 0n;
  const last = number - 1n;
  if (chain.rules(Number(number)).readsNewestStakes) return last;
  const interval = BigInt(chain.config.governance.reward.stakingUpdateInterval);
  return number <= 2n * interval ? 0n : last - (last % interval) - interval;
}

function withPools(parts: GoverningParts, info: StakingInfo, number: number): object {
  const kef = fund(info.kef);
  const kif = fund(info.kif);
  const pools = info.pools.map(({ node, pool, amount }) => ({
    clNodeId: toHex(node),
    clPoolAddr: toHex(pool),
    clStakingAmount: jsonInteger(amount),
  }));
  return {
    blockNum: info.source,
    ...councilAddresses(info),
    kefAddr: kef,
    kifAddr: kif,
    councilStakingAmounts: amountsOf(info),
    clStakingInfos: pools.length === 0 ? null : pools,
    KIRAddr: kef,
    PoCAddr: kif,
    kcfAddr: kef,
    kffAddr: kif,
    useGini: shownValues(parts, number).get("reward.useginicoeff") === true,
    gini: gini(parts, info, number),
  };
}

function withoutPools(parts: GoverningParts, info: StakingInfo, number: number): object {
  const kcf = fund(info.kef);
  const kff = fund(info.kif);
  const useGini = info.nodes.length > 0 && parts.chain.parameters(number).useGini;
  return {
    blockNum: info.source,
    ...councilAddresses(info),
    kcfAddr: kcf,
    kffAddr: kff,
    useGini,
    gini: useGini ? gini(parts, info, number) : -1,
    councilStakingAmounts: amountsOf(info),
    KIRAddr: kcf,
    PoCAddr: kff,
  };
}

function fund(address: Uint8Array | undefined): string {
  return address === undefined ? NOWHERE : toHex(address);
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

/** How unequal the stakes of those are that have staked enough; -1 when nobody has. */
function gini({ chain }: GoverningParts, info: StakingInfo, number: number): number {
  const { minimumStake } = chain.parameters(number);
  const amounts = stakers(info).flatMap(({ amount }) => (amount < minimumStake ? [] : [Number(amount)]));
  return amounts.length === 0 ? -1 : giniCoefficient(amounts);
}
