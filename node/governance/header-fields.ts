/**
 * Rules of a header's vote and governance data, in the Go node's order and texts
 * (`kaiax/gov/headergov/impl/consensus.go@v2.2.2`). Pure.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { fromHex } from "../bytes/hex.ts";
import { type Account, isEmptyAccount } from "../model/account.ts";
import { GovernanceError } from "./error.ts";
import { decodeGovernanceData, sameValues } from "./governance-data.ts";
import type { ParameterValues } from "./parameter-rows.ts";
import type { GovernanceParameters } from "./parameters.ts";
import type { ValidatorSet } from "./validators.ts";
import { decodeVote, type ParameterVote, type Vote } from "./vote.ts";

/** Dependencies of the vote rules. */
export interface VoteDeps {
  readonly validators: ValidatorSet;
  /** Council of the parent block. */
  readonly formerCouncil: readonly Address[];
  /** Parameters by headers alone, without configuration and contract. */
  readonly decided: GovernanceParameters;
  /** Returns an account of the newest state. */
  readonly account: (address: Address) => Account | undefined;
}

/** Checks the vote of a header of `author`. Throws `GovernanceError` `bad-vote`. */
export function checkVote(bytes: Uint8Array, author: Address, deps: VoteDeps): void {
  if (bytes.length === 0) return;
  const vote = decodeVote(bytes);
  if (!deps.validators.inCouncil(vote.voter)) {
    throw badVote("your vote couldn't be placed. Please check your vote's key and value");
  }
  if (!equalBytes(author, vote.voter)) throw badVote("invalid voter");
  const offence = voteOffence(vote, deps);
  if (offence !== undefined) throw badVote(offence);
}

/** Returns the reason against a well-formed vote, in the Go node's words; undefined when it is allowed. */
export function voteOffence(vote: Vote, deps: VoteDeps): string | undefined {
  if (vote.kind === "parameter") return OFFENCES.get(vote.name)?.(vote, deps);
  const { governanceMode, governingNode } = deps.decided;
  if (governanceMode !== "single" || !includes(vote.addresses, governingNode)) return undefined;
  return "gov node is found in the valset vote value";
}

type Offence = (vote: ParameterVote, deps: VoteDeps) => string | undefined;

/** Checks of a value beyond its form, by parameter. */
const OFFENCES: ReadonlyMap<string, Offence> = new Map<string, Offence>([
  ["governance.governingnode", governingNodeOffence],
  ["governance.govparamcontract", contractOffence],
  [
    "kip71.lowerboundbasefee",
    ({ value }, { decided }) =>
      BigInt(value) > decided.baseFee.upperBound
        ? "lowerboundbasefee is greater than upperboundbasefee"
        : undefined,
  ],
  [
    "kip71.upperboundbasefee",
    ({ value }, { decided }) =>
      BigInt(value) < decided.baseFee.lowerBound
        ? "upperboundbasefee is less than lowerboundbasefee"
        : undefined,
  ],
]);

/**
 * Requires the current governing node to be a validator; the one voted for need not be, as in the Go node.
 */
function governingNodeOffence(_vote: ParameterVote, deps: VoteDeps): string | undefined {
  const { governanceMode, governingNode } = deps.decided;
  if (governanceMode !== "single" || includes(deps.formerCouncil, governingNode)) return undefined;
  return "gov node is not found in the valset list";
}

function contractOffence({ value }: ParameterVote, { account }: VoteDeps): string | undefined {
  const found = account(fromHex(String(value)));
  if (found === undefined) return "govparamcontract is not an account";
  const isContract = found.kind === "contract" && !isEmptyAccount(found);
  return isContract ? undefined : "govparamcontract is not an contract account";
}

/**
 * Checks that the governance data of a block equals the result of the votes of the previous epoch. `expected`
 * is undefined for a block that does not start an epoch. Throws `GovernanceError` `bad-vote`.
 */
export function checkGovernanceData(bytes: Uint8Array, expected: ParameterValues | undefined): void {
  if (expected === undefined) {
    if (bytes.length > 0) throw badVote("governance is not allowed in non-epoch block");
    return;
  }
  const same = bytes.length === 0 ? expected.size === 0 : sameValues(decodeGovernanceData(bytes), expected);
  if (!same) throw badVote("header.Governance does not match the vote in previous epoch");
}

function includes(list: readonly Address[], address: Address): boolean {
  return list.some((each) => equalBytes(each, address));
}

function badVote(message: string): GovernanceError {
  return new GovernanceError("bad-vote", message);
}
