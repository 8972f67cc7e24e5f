/** Council, qualified and demoted validators and committee of a block, in the order in which a line reports them. */
import type { Address } from "../bytes/brands.ts";
import { compareBytes } from "../bytes/compare.ts";
import type { BlockHead } from "../chain/chain.ts";
import type { ValidatorSet } from "../governance/validators.ts";
import { parseExtra, roundOf } from "../model/istanbul-extra.ts";
import type { GovernanceMethodDeps } from "./parameters.ts";

/** Returns all validators of a block, qualified or not. */
export function reportedCouncil(deps: GovernanceMethodDeps, number: number): readonly Address[] {
  const { governance, councilForm } = deps;
  if (councilForm === "sets") return governance.council(number);
  return [...reportedQualified(deps, number), ...reportedDemoted(deps, number)];
}

/** Returns the qualified validators of a block. */
export function reportedQualified(deps: GovernanceMethodDeps, number: number): readonly Address[] {
  const { chain, governance, councilForm } = deps;
  if (councilForm === "sets") return governance.validators(number).qualified;
  const first = number === 0 ? chain.header(0) : undefined;
  if (first !== undefined) return parseExtra(first.header.extra).validators;
  return governance.validators(number).qualified.toSorted(compareBytes);
}

/** Returns the demoted validators of a block, whose stake is too low. */
export function reportedDemoted(
  { governance, councilForm }: GovernanceMethodDeps,
  number: number,
): Address[] {
  const demoted = demotedOf(governance.validators(number));
  return councilForm === "sets" ? demoted : demoted.sort(compareBytes);
}

/** Returns the demoted members of a set in the validators' order. */
export function demotedOf(set: ValidatorSet): Address[] {
  return set.council.filter((each) => !set.isQualified(each));
}

/** Returns the committee of a block in the round in which it was proposed, in the order of the selection. */
export function reportedCommittee(deps: GovernanceMethodDeps, { header }: BlockHead): readonly Address[] {
  const { governance, councilForm } = deps;
  const { number, extra } = header;
  if (number === 0) return reportedCouncil(deps, 0);
  const round = roundOf(extra);
  return councilForm === "sets"
    ? governance.committee(number, round)
    : governance.klaytnSelection(number).committee(round);
}
