/** The list of proposers of the weighted policy before randomness, drawn at the beginning of each interval. */
import { mapKey } from "../bytes/hex.ts";
import { legacySeed, legacyShuffle } from "./shuffle.ts";
import { giniCoefficient, type StakingInfo, stakesOf } from "./staking.ts";

/** What a list is drawn from. */
export interface ProposerListOptions {
  readonly qualified: readonly Uint8Array[];
  /** Of the block at which the interval begins. */
  readonly hash: Uint8Array;
  /** Absent where everybody counts the same, since Kore. */
  readonly weights?: { readonly staking: StakingInfo; readonly useGini: boolean } | undefined;
}

/** The list as it is at the beginning of the interval. */
export function drawProposers({ qualified, hash, weights }: ProposerListOptions): readonly Uint8Array[] {
  const places = weights === undefined ? qualified.map(() => 1) : placesByStake(qualified, weights);
  const list = qualified.flatMap((validator, i) => Array.from({ length: places[i] ?? 1 }, () => validator));
  return legacyShuffle(list, legacySeed(hash));
}

/** How often each validator stands in the list: its share in percent, at least once. */
function placesByStake(
  qualified: readonly Uint8Array[],
  weights: NonNullable<ProposerListOptions["weights"]>,
): readonly number[] {
  return proposerWeights(qualified, weights).map((weight) => Math.max(1, weight));
}

/** Each validator's share of the stakes in percent, at least 1; all 0 where nobody has staked anything. */
export function proposerWeights(
  qualified: readonly Uint8Array[],
  { staking, useGini }: NonNullable<ProposerListOptions["weights"]>,
): readonly number[] {
  const amounts = stakesOf(qualified, staking).map(Number);
  const exponent = useGini ? 1 / (1 + giniCoefficient(amounts)) : 1;
  const stakes = useGini ? amounts.map((amount) => Math.round(amount ** exponent)) : amounts;
  const total = stakes.reduce((sum, stake) => sum + stake, 0);
  if (!(total > 0)) return qualified.map(() => 0);
  return stakes.map((stake) => Math.max(1, Math.round((stake * 100) / total)));
}

/** Takes out everyone whom a vote has removed from the council since the interval began. */
export function remainingProposers(
  list: readonly Uint8Array[],
  removed: readonly Uint8Array[],
): readonly Uint8Array[] {
  if (removed.length === 0) return list;
  const keys = new Set(removed.map(mapKey));
  return list.filter((validator) => !keys.has(mapKey(validator)));
}
