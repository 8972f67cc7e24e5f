import { mapKey } from "../../bytes/hex.ts";
import type { Governance } from "../../governance/governance.ts";
import { quorum } from "../../governance/validators.ts";
import type { Electorate } from "./round-state.ts";

/** Who agrees on block `number`, at most the one after the tip; rounds are looked up when they are asked for. */
export function electorateAt(
  governance: Pick<Governance, "validators" | "parameters" | "proposer" | "committee">,
  number: number,
): Electorate {
  const { qualified } = governance.validators(number);
  const { committeeSize } = governance.parameters(number);
  const isNobody = qualified.length === 0; // whom votes have left so: nobody can be drawn from it
  return {
    qualified: new Set(qualified.map(mapKey)),
    ...quorum(Math.min(qualified.length, committeeSize)),
    proposer: remembered((round) => (isNobody ? "" : mapKey(governance.proposer(number, round)))),
    committee: remembered((round) =>
      isNobody ? new Set() : new Set(governance.committee(number, round).map(mapKey)),
    ),
  };
}

/** Rounds for which answers are kept: a block takes a few. */
const MOST_ROUNDS = 64;

function remembered<T>(of: (round: number) => T): (round: number) => T {
  const known = new Map<number, T>();
  return (round) => {
    const found = known.get(round) ?? of(round);
    if (known.size >= MOST_ROUNDS) known.clear();
    known.set(round, found);
    return found;
  };
}
