/**
 * Votes of this node that no block carries yet, oldest first. The next block that the node makes carries the first;
 * it leaves the queue with the block that carries it. They are kept in memory alone, as the Go node does.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { Header } from "../model/header.ts";
import type { Log } from "../observe/log.ts";
import { GovernanceError } from "./error.ts";
import type { Governance } from "./governance.ts";
import { type VoteDeps, voteOffence } from "./header-fields.ts";
import { decodeVote, encodeVote, type Vote, voteOfJson } from "./vote.ts";

/** See the head of this file. */
export interface Ballots {
  waiting(): readonly Vote[];
  /**
   * Takes a vote in. `value` is JSON: a number, a text, or addresses with commas between them. Throws
   * `GovernanceError` `no-vote-right`, `bad-ballot` for a name or value that is none, `bad-vote` for what may not be
   * voted for now, or `too-many`.
   */
  add(name: string, value: unknown): void;
  /** The vote field of the next block if this node makes it; empty without a vote. What may no longer be voted for goes. */
  next(): Uint8Array;
  /** A block is in the chain: the vote that it carries no longer waits. */
  settle(header: Pick<Header, "vote">): void;
}

/** What ballots are judged by. */
export interface BallotDeps {
  readonly governance: Pick<Governance, "voteDeps">;
  /** Number of the newest block. */
  readonly tip: () => number;
  /** The node's own address. */
  readonly address: Uint8Array;
  readonly log: Log;
}

/** An operator votes a few times a year. */
const MAX_WAITING_VOTES = 64;

/** An empty queue. */
export function createBallots({ governance, tip, address, log }: BallotDeps): Ballots {
  const waiting: Vote[] = [];
  const context = (): VoteDeps => governance.voteDeps(tip() + 1);
  return {
    waiting: () => [...waiting],
    add(name, value) {
      const judged = context();
      const { decided } = judged;
      if (decided.governanceMode === "single" && !equalBytes(decided.governingNode, address)) {
        throw new GovernanceError("no-vote-right", "only the governing node may vote");
      }
      const vote = voteOfJson(address, name, value);
      if (vote === undefined) throw new GovernanceError("bad-ballot", "no parameter takes this value");
      const offence = voteOffence(vote, judged);
      if (offence !== undefined) throw new GovernanceError("bad-vote", offence);
      if (waiting.length >= MAX_WAITING_VOTES)
        throw new GovernanceError("too-many", "too many votes are waiting");
      waiting.push(vote);
    },
    next() {
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
    settle({ vote }) {
      if (vote.length === 0) return;
      const cast = encodeVote(decodeVote(vote));
      const own = waiting.find((each) => equalBytes(encodeVote(each), cast));
      if (own !== undefined) waiting.splice(waiting.indexOf(own), 1);
    },
  };
}

const NO_VOTE = new Uint8Array(0);
