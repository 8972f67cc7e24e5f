/** The rules for a header's vote and governance data, in the Go node's order and words. Pure. */
import { equalBytes } from "../bytes/compare.ts";
import { fromHex } from "../bytes/hex.ts";
import { type Account, isEmptyAccount } from "../model/account.ts";
import { GovernanceError } from "./error.ts";
import { decodeGovernanceData, sameValues } from "./governance-data.ts";
import type { ParameterValues } from "./parameter-rows.ts";
import type { GovernanceParameters } from "./parameters.ts";
import type { ValidatorSet } from "./validators.ts";
import { decodeVote, type ParameterVote, type Vote } from "./vote.ts";

/** What a vote is judged against. */
export interface VoteDeps {
  readonly validators: ValidatorSet;
  /** Council of the block before. */
  readonly formerCouncil: readonly Uint8Array[];
  /** Of headers alone: neither configuration nor contract count here. */
  readonly decided: GovernanceParameters;
  /** An account of the newest state. */
  readonly account: (address: Uint8Array) => Account | undefined;
}

/** Throws `GovernanceError` when the vote of a header made by `author` may not stand there. */
export function checkVote(bytes: Uint8Array, author: Uint8Array, context: VoteDeps): void {
  if (bytes.length === 0) return;
  const vote = decodeVote(bytes);
  if (!context.validators.inCouncil(vote.voter)) {
    throw badVote("your vote couldn't be placed. Please check your vote's key and value");
  }
  if (!equalBytes(author, vote.voter)) throw badVote("invalid voter");
  const offence = voteOffence(vote, context);
  if (offence !== undefined) throw badVote(offence);
}

/** Why a well-formed vote may not be cast, in the Go node's words; undefined when it may. */
export function voteOffence(vote: Vote, context: VoteDeps): string | undefined {
  if (vote.kind === "parameter") return OFFENCES.get(vote.name)?.(vote, context);
  const { governanceMode, governingNode } = context.decided;
  if (governanceMode !== "single" || !includes(vote.addresses, governingNode)) return undefined;
  return "gov node is found in the valset vote value";
}

type Offence = (vote: ParameterVote, context: VoteDeps) => string | undefined;

/** What may be wrong with a value beyond its form, by parameter. */
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

/** The one that governs now has to be a validator, not the one voted for. */
function governingNodeOffence(_vote: ParameterVote, context: VoteDeps): string | undefined {
  const { governanceMode, governingNode } = context.decided;
  if (governanceMode !== "single" || includes(context.formerCouncil, governingNode)) return undefined;
  return "gov node is not found in the valset list";
}

function contractOffence({ value }: ParameterVote, { account }: VoteDeps): string | undefined {
  const found = account(fromHex(String(value)));
  if (found === undefined) return "govparamcontract is not an account";
  const isContract = found.kind === "contract" && !isEmptyAccount(found);
  return isContract ? undefined : "govparamcontract is not an contract account";
}

/**
 * Throws `GovernanceError` unless the governance data of a block says what the votes of the epoch before asked for.
 * `expected` is undefined for a block that does not begin an epoch.
 */
export function checkGovernanceData(bytes: Uint8Array, expected: ParameterValues | undefined): void {
  if (expected === undefined) {
    if (bytes.length > 0) throw badVote("governance is not allowed in non-epoch block");
    return;
  }
  const same = bytes.length === 0 ? expected.size === 0 : sameValues(decodeGovernanceData(bytes), expected);
  if (!same) throw badVote("header.Governance does not match the vote in previous epoch");
}

function includes(list: readonly Uint8Array[], address: Uint8Array): boolean {
  return list.some((each) => equalBytes(each, address));
}

function badVote(message: string): GovernanceError {
  return new GovernanceError("bad-vote", message);
}
