/** What validators say to each other, as the round machine sees it. Addresses and hashes are map keys here. */
import type { View } from "./view.ts";

/** A block that somebody proposes; the machine knows no more of it. */
export interface Proposal {
  readonly number: number;
  readonly hash: string;
  /** Hash of the block before. */
  readonly parent: string;
}

/** "This is my block for the view." */
export interface Preprepare<P> {
  readonly kind: "preprepare";
  readonly view: View;
  readonly proposal: P;
}

/** Names a block in a view; a round change names none: its digest is that of no block. */
export interface Vote {
  readonly kind: "prepare" | "commit" | "round-change";
  readonly view: View;
  readonly digest: string;
  readonly parent: string;
}

/** What a letter says. */
export type Statement<P> = Preprepare<P> | Vote;

/** A statement by its sender, whose signature has been checked. */
export interface Letter<P, S extends Statement<P> = Statement<P>> {
  readonly sender: string;
  readonly statement: S;
  /** The seal under the block that a commit carries; empty in all others. */
  readonly seal: Uint8Array;
  /** The letter as it goes over the network. */
  readonly payload: Uint8Array;
}

/** A letter with a vote. */
export type VoteLetter<P> = Letter<P, Vote>;

/** True of a letter that names a block by its hash. */
export function isVote<P>(letter: Letter<P>): letter is VoteLetter<P> {
  return letter.statement.kind !== "preprepare";
}
