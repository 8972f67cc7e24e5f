/** `governance`: votes in blocks and this node's own votes. */
import type { Address } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { type BlockNumber, blockNumber } from "../calls/arguments/block-number.ts";
import type { Governance } from "../governance/governance.ts";
import { numericJson } from "../governance/governance-data.ts";
import type { PendingVotes } from "../governance/pending-votes.ts";
import { type Vote, voteName } from "../governance/vote.ts";
import { type Encoder, optional } from "../jsonrpc/codec.ts";
import { address, anything } from "../jsonrpc/codecs/hex.ts";
import { text } from "../jsonrpc/codecs/plain.ts";
import { goJson, plainValue } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, plainSchemas, recordSchema, type Schema } from "../jsonrpc/schemas.ts";
import { voteValueSchema } from "../presenters/governance-schemas.ts";
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

/** A vote of this node; the number of a vote that no block carries yet is 0. */
export interface OwnVote {
  readonly number: number;
  readonly vote: Vote;
  readonly casted: boolean;
}

/** Builds the encoder of a list from the format and the schema of an entry. */
export function voteList<T>(format: (row: T) => object, entry: Schema): Encoder<readonly T[]> {
  return { label: "list", schema: arraySchema(entry), encode: (rows) => goJson(rows.map(format)) };
}

const { text: textSchema, integer, boolean } = plainSchemas;
const CAST = { BlockNum: integer, Key: textSchema, Value: voteValueSchema };

/** Schema of a vote of this node. */
export const ownVoteSchema = recordSchema({ ...CAST, Casted: boolean });

/** The methods of `governance` about votes. */
export function governanceVoteMethods(deps: GovernanceVoteDeps): Method[] {
  const { address: own, ballots } = deps;
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
      params: at,
      result: voteList(castJson, recordSchema(CAST)),
      handle: ({ number }) => votesOf(deps, number),
    }),
    method({
      name: "governance_myVotes",
      summary: "Returns the node's own votes: those of this epoch and those that no block carries yet.",
      params: {},
      result: voteList(ownVoteJson, ownVoteSchema),
      handle: () => myVotes(deps),
    }),
    method({
      name: "governance_vote",
      summary: "Casts a vote for a parameter's value. The node's next block carries it.",
      params: { name: text, value: { ...anything, schema: voteValueSchema } },
      result: text,
      privilege: "keys",
      handle: ({ name, value }) => cast(ballots, name, value),
    }),
  ];
}

/** The Go node's sentence for a vote that waits for a block. */
export const VOTE_PREPARED =
  "Your vote is prepared. It will be put into the block header or applied when your node generates a block as a proposer. Note that your vote may be duplicate.";

function cast(ballots: PendingVotes, name: string, value: unknown): string {
  ballots.add(name, plainValue(value));
  return `(kaiax) ${VOTE_PREPARED}`;
}

/** Returns the votes of a block's epoch. */
function votesOf(deps: GovernanceVoteDeps, number: BlockNumber): readonly CastVote[] {
  const wanted = numberOf(deps, number);
  const epoch = deps.chain.config.istanbul.epoch || Number.POSITIVE_INFINITY;
  return deps.governance.headerHistory.votes.filter(
    (vote) => Math.floor(vote.number / epoch) === Math.floor(wanted / epoch),
  );
}

function castJson({ number, value: vote }: CastVote): object {
  const { Name: Key, Value } = voteJson(vote);
  return { BlockNum: number, Key, Value };
}

function ownVoteJson({ number, vote, casted }: OwnVote): object {
  const { Name: Key, Value } = voteJson(vote);
  return { BlockNum: number, Key, Value, Casted: casted };
}

function myVotes(deps: GovernanceVoteDeps): readonly OwnVote[] {
  const { address: own, ballots } = deps;
  const mine = votesOf(deps, "latest").filter(({ value: vote }) => toHex(vote.voter) === toHex(own));
  return [
    ...mine.map(({ number, value: vote }) => ({ number, vote, casted: true })),
    ...ballots.list().map((vote) => ({ number: 0, vote, casted: false })),
  ];
}

/** Formats a vote as the Go node does; amounts are numbers. */
export function voteJson(vote: Vote): {
  readonly Voter: string;
  readonly Name: string;
  readonly Value: unknown;
} {
  const Voter = toHex(vote.voter);
  if (vote.kind === "validators") {
    return { Voter, Name: voteName(vote), Value: vote.addresses.map(toHex) };
  }
  const { name, value } = vote;
  return { Voter, Name: name, Value: numericJson(name, value) };
}
