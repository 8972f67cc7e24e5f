/** `governance`: votes in blocks and this node's own votes. */
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { type BlockNumber, blockNumber } from "../calls/arguments/block-number.ts";
import type { GoLine } from "../compat/go-lines.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { GovernanceError } from "../governance/error.ts";
import type { Governance } from "../governance/governance.ts";
import { valueJson } from "../governance/governance-data.ts";
import type { PendingVotes } from "../governance/pending-votes.ts";
import type { Vote } from "../governance/vote.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address, anything } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema } from "../jsonrpc/schemas.ts";
import type { GovernanceMethodDeps } from "../presenters/parameters.ts";
import { numberOf } from "./chain-governance.ts";

/** Dependencies of the methods of `governance`. */
export interface GovernanceVoteDeps extends GovernanceMethodDeps {
  /** The node's own address. */
  readonly address: Address;
  readonly ballots: PendingVotes;
}

/** A vote for a parameter and the block that carries it. */
export type CastVote = Governance["headerHistory"]["votes"][number];

const at = { number: optional(blockNumber, "latest" as const) };
const list = plain<readonly unknown[]>("list", arraySchema({}));

/** The methods of `governance` about votes. */
export function governanceVoteMethods(deps: GovernanceVoteDeps): Method[] {
  const { address: own, profile, ballots } = deps;
  const { lacks, votes: view } = profile.line;
  return [
    method({
      name: "governance_nodeAddress",
      summary: "Returns the address under which the node votes.",
      params: {},
      result: address,
      handle: () => own,
    }),
    method({
      name: "governance_votes",
      summary: "Returns the parameter votes in the blocks of an epoch.",
      params: lacks.has("governance_status") ? {} : at,
      result: list,
      handle: (args: { number?: BlockNumber }) =>
        votesOf(deps, args.number ?? "latest").map((vote) => castJson(vote, view)),
    }),
    method({
      name: "governance_myVotes",
      summary: "Returns the node's own votes: those of this epoch and those that no block carries yet.",
      params: {},
      result: list,
      handle: () => myVotes(deps),
    }),
    method({
      name: "governance_vote",
      summary: "Casts a vote for a parameter's value. The node's next block carries it.",
      params: { name: text, value: anything },
      result: text,
      privilege: "keys",
      handle: ({ name, value }) => cast(ballots, name, value, profile.line),
    }),
  ];
}

function cast(ballots: PendingVotes, name: string, value: unknown, { texts: words }: GoLine): string {
  try {
    ballots.add(name, value);
    return words.votePrepared;
  } catch (error) {
    const code = error instanceof GovernanceError ? error.code : undefined;
    if (code === "no-vote-right") throw failure(words.noVoteRight);
    if (code === "bad-ballot") throw failure(words.badBallot);
    throw error;
  }
}

/** Returns the votes of a block's epoch. */
function votesOf(deps: GovernanceVoteDeps, number: BlockNumber): readonly CastVote[] {
  const wanted = numberOf(deps, number);
  const epoch = deps.chain.config.istanbul.epoch || Number.POSITIVE_INFINITY;
  return deps.governance.headerHistory.votes.filter(
    (vote) => Math.floor(vote.number / epoch) === Math.floor(wanted / epoch),
  );
}

function castJson({ number, value: vote }: CastVote, form: GoLine["votes"]): object {
  const { Name: Key, Value } = voteJson(vote);
  if (form === "numbered") return { BlockNum: number, Key, Value };
  return { validator: toHex(vote.voter), key: Key, value: valueJson(vote.name, vote.value) };
}

function myVotes(deps: GovernanceVoteDeps): readonly object[] {
  const { address: own, ballots, profile } = deps;
  const mine = votesOf(deps, "latest").filter(({ value: vote }) => toHex(vote.voter) === toHex(own));
  const rows = [
    ...mine.map(({ number, value: vote }) => ({ number, vote, casted: true })),
    ...ballots.list().map((vote) => ({ number: 0, vote, casted: false })),
  ];
  return rows.map(({ number, vote, casted }) => {
    const { Name: Key, Value } = voteJson(vote);
    if (profile.line.votes === "numbered") return { BlockNum: number, Key, Value, Casted: casted };
    const value = vote.kind === "parameter" ? valueJson(vote.name, vote.value) : Value;
    return { Key, Value: value, Casted: casted, BlockNum: number };
  });
}

/** Formats a vote as the Go node does; amounts are numbers. */
export function voteJson(vote: Vote): {
  readonly Voter: string;
  readonly Name: string;
  readonly Value: unknown;
} {
  const Voter = toHex(vote.voter);
  if (vote.kind === "validators") {
    const Name = `governance.${vote.adds ? "add" : "remove"}validator`;
    return { Voter, Name, Value: vote.addresses.map(toHex) };
  }
  const { name, value } = vote;
  return { Voter, Name: name, Value: typeof value === "bigint" ? jsonInteger(value) : value };
}
