/**
 * Votes of this node that no block contains yet, oldest first, as the Go node's `MyVotes`
 * (`kaiax/gov/headergov/impl/init.go@v2.2.2`). The next block of this node carries the first one; it is
 * removed when a block contains it. Votes are kept in memory only, as in the Go node.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { Header } from "../model/header.ts";
import type { Log } from "../observe/log.ts";
import { GovernanceError } from "./error.ts";
import type { Governance } from "./governance.ts";
import { type VoteDeps, voteOffence } from "./header-fields.ts";
import { decodeVote, encodeVote, type Vote, voteOfJson } from "./vote.ts";

/** Queue of votes of this node. */
export interface PendingVotes {
  list(): readonly Vote[];
  /**
   * Adds a vote. `value` is JSON: a number, a string, or addresses separated by commas. Throws
   * `GovernanceError`: `no-vote-right`; `bad-ballot` for an unknown name or an invalid value; `bad-vote` for
   * a vote that is not allowed now; `too-many`.
   */
  add(name: string, value: unknown): void;
  /**
   * Returns the vote field of the next block if this node proposes it; empty without a vote. Votes that are
   * no longer allowed are removed.
   */
  nextVoteField(): Uint8Array;
  /** Removes the vote that a block of the chain carries. */
  removeCast(header: Pick<Header, "vote">): void;
}

/** Dependencies of the queue. */
export interface PendingVotesDeps {
  readonly governance: Pick<Governance, "voteDeps">;
  /** Returns the number of the newest block. */
  readonly tip: () => number;
  /** Address of this node. */
  readonly address: Address;
  readonly log: Log;
}

/** Bound of the queue; an operator votes a few times a year. */
const MAX_WAITING_VOTES = 64;

/** Creates an empty queue. */
export function createPendingVotes({ governance, tip, address, log }: PendingVotesDeps): PendingVotes {
  const waiting: Vote[] = [];
  const context = (): VoteDeps => governance.voteDeps(tip() + 1);
  return {
    list: () => [...waiting],
    add(name, value) {
      const judged = context();
      const { decided } = judged;
      if (decided.governanceMode === "single" && !equalBytes(decided.governingNode, address)) {
        throw new GovernanceError("no-vote-right", "you don't have the right to vote");
      }
      const vote = voteOfJson(address, name, value);
      if (vote === undefined)
        throw new GovernanceError(
          "bad-ballot",
          "your vote couldn't be placed. Please check your vote's key and value",
        );
      const offence = voteOffence(vote, judged);
      if (offence !== undefined) throw new GovernanceError("bad-vote", offence);
      if (waiting.length >= MAX_WAITING_VOTES)
        throw new GovernanceError("too-many", "too many votes are waiting");
      waiting.push(vote);
    },
    nextVoteField() {
      if (waiting.length === 0) return NO_VOTE;
      const judged = context();
      if (!judged.validators.inCouncil(address)) return NO_VOTE;
      for (let vote = waiting[0]; vote !== undefined; vote = waiting[0]) {
        const offence = voteOffence(vote, judged);
        if (offence === undefined) return encodeVote(vote);
        log.warn({ offence }, "dropped a vote that is no longer valid");
        waiting.shift();
      }
      return NO_VOTE;
    },
    removeCast({ vote }) {
      if (vote.length === 0) return;
      const cast = encodeVote(decodeVote(vote));
      const own = waiting.find((each) => equalBytes(encodeVote(each), cast));
      if (own !== undefined) waiting.splice(waiting.indexOf(own), 1);
    },
  };
}

const NO_VOTE = new Uint8Array(0);
