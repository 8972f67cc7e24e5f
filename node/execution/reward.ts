/** What a block pays, and to whom: minted amount and transaction fees (Klaytn/Kaia reward rules). */
import type { Rules } from "../config/rules.ts";
import type { Parameters } from "../governance/parameters.ts";

/** The amounts of one block, in peb. */
export interface BlockReward {
  readonly minted: bigint;
  readonly totalFee: bigint;
  readonly burnt: bigint;
  /** Credited to the reward base of the header when the block is finalized. */
  readonly proposer: bigint;
}

/**
 * The reward of a block. With `deferred` fees the proposer gets them here, less what is burnt; without, they
 * were credited transaction by transaction (and before the dynamic base fee an unweighted chain credits them once
 * more here, as the Go node does). In a weighted chain without staking information the funds' and the stakers' shares go
 * to the proposer too, so only the burnt part differs.
 */
export function blockReward(
  totalFee: bigint,
  { rules, parameters, deferred }: { rules: Rules; parameters: Parameters; deferred: boolean },
): BlockReward {
  const minted = parameters.mintingAmount;
  const paidAlready = !deferred && (rules.baseFee || parameters.weighted);
  if (paidAlready) return { minted, totalFee, burnt: 0n, proposer: minted };
  const burnt = rules.burnHalf ? totalFee / 2n + burntOfRest(totalFee, rules, parameters) : 0n;
  return { minted, totalFee, burnt, proposer: minted + totalFee - burnt };
}

/** KIP-82: the proposer's own share of the minted amount is burnt from the rest of the fees. */
function burntOfRest(totalFee: bigint, rules: Rules, parameters: Parameters): bigint {
  if (!parameters.weighted || !rules.splitsStakers) return 0n;
  const rest = totalFee - totalFee / 2n;
  const validators = (parameters.mintingAmount * parameters.proposerPercent) / 100n;
  const proposer = (validators * parameters.proposerBasePercent) / 100n;
  return rest < proposer ? rest : proposer;
}
