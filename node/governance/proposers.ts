/** Proposer list of the weighted policy before randomness, drawn at the start of each interval. */
import type { Address, Hash } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { legacySeed, legacyShuffle } from "./shuffle.ts";
import { giniCoefficient, type StakingInfo, stakesOf } from "./staking.ts";

/** Input of a proposer list. */
export interface ProposerListOptions {
  readonly qualified: readonly Address[];
  /** Hash of the block at which the interval starts. */
  readonly hash: Hash;
  /** Stakes by which validators are weighted; undefined since Kore, where all weights are equal. */
  readonly weights?: { readonly staking: StakingInfo; readonly useGini: boolean } | undefined;
}

/** Draws the list of an interval. */
export function drawProposers({ qualified, hash, weights }: ProposerListOptions): readonly Address[] {
  const places = weights === undefined ? qualified.map(() => 1) : placesByStake(qualified, weights);
  const list = qualified.flatMap((validator, i) => Array.from({ length: places[i] ?? 1 }, () => validator));
  return legacyShuffle(list, legacySeed(hash));
}

/** Returns the number of entries of each validator: its share in percent, at least one. */
function placesByStake(
  qualified: readonly Address[],
  weights: NonNullable<ProposerListOptions["weights"]>,
): readonly number[] {
  return proposerWeights(qualified, weights).map((weight) => Math.max(1, weight));
}

/** Returns each validator's share of the stakes in percent, at least 1; all 0 without stakes. */
export function proposerWeights(
  qualified: readonly Address[],
  { staking, useGini }: NonNullable<ProposerListOptions["weights"]>,
): readonly number[] {
  const amounts = stakesOf(qualified, staking).map(Number);
  const exponent = useGini ? 1 / (1 + giniCoefficient(amounts)) : 1;
  const stakes = useGini ? amounts.map((amount) => Math.round(amount ** exponent)) : amounts;
  const total = stakes.reduce((sum, stake) => sum + stake, 0);
  if (!(total > 0)) return qualified.map(() => 0);
  return stakes.map((stake) => Math.max(1, Math.round((stake * 100) / total)));
}

/** Returns the list without the validators that votes have removed since the interval began. */
export function remainingProposers(
  list: readonly Address[],
  removed: readonly Address[],
): readonly Address[] {
  if (removed.length === 0) return list;
  const keys = new Set(removed.map(mapKey));
  return list.filter((validator) => !keys.has(mapKey(validator)));
}
