import { mapKey } from "../../bytes/hex.ts";
import type { Governance } from "../../governance/governance.ts";
import { quorum } from "../../governance/validators.ts";
import type { BlockValidatorSet } from "./round-state.ts";

/** Who agrees on block `number`, at most the one after the tip; rounds are looked up when they are asked for. */
export function validatorSetAt(
  governance: Pick<Governance, "validators" | "parameters" | "proposer" | "committee">,
  number: number,
): BlockValidatorSet {
  const { qualified } = governance.validators(number);
  const { committeeSize } = governance.parameters(number);
  const isNobody = qualified.length === 0; // whom votes have left so: nobody can be drawn from it
  return {
    qualified: new Set(qualified.map(mapKey)),
    ...quorum(Math.min(qualified.length, committeeSize)),
    proposer: memoizeByRound((round) => (isNobody ? "" : mapKey(governance.proposer(number, round)))),
    committee: memoizeByRound((round) =>
      isNobody ? new Set() : new Set(governance.committee(number, round).map(mapKey)),
    ),
  };
}

/** Rounds for which answers are kept: a block takes a few. */
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
