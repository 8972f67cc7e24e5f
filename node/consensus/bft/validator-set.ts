/** Validators of a block for the round machine, read from governance: quorum, proposer and committee of each round. */
import { mapKey } from "../../bytes/hex.ts";
import type { Governance } from "../../governance/governance.ts";
import { quorum } from "../../governance/validators.ts";
import type { BlockValidatorSet } from "./round-state.ts";

/**
 * Returns the validators of block `number`, at most the one after the tip. Proposers and committees of rounds
 * are computed on first use.
 */
export function validatorSetAt(
  governance: Pick<Governance, "validators" | "parameters" | "proposer" | "committee">,
  number: number,
): BlockValidatorSet {
  const { qualified } = governance.validators(number);
  const { committeeSize } = governance.parameters(number);
  const isEmpty = qualified.length === 0; // votes may remove every validator; nothing can be drawn then
  return {
    qualified: new Set(qualified.map(mapKey)),
    ...quorum(Math.min(qualified.length, committeeSize)),
    proposer: memoizeByRound((round) => (isEmpty ? "" : mapKey(governance.proposer(number, round)))),
    committee: memoizeByRound((round) =>
      isEmpty ? new Set() : new Set(governance.committee(number, round).map(mapKey)),
    ),
  };
}

/** Rounds whose results are cached; a block takes few rounds. */
const MAX_CACHED_ROUNDS = 64;

function memoizeByRound<T>(of: (round: number) => T): (round: number) => T {
  const known = new Map<number, T>();
  return (round) => {
    const found = known.get(round) ?? of(round);
    if (known.size >= MAX_CACHED_ROUNDS) known.clear();
    known.set(round, found);
    return found;
  };
}
