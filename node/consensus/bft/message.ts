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
export interface VotePayload {
  readonly kind: "prepare" | "commit" | "round-change";
  readonly view: View;
  readonly digest: string;
  readonly parent: string;
}

/** What a message says. */
export type Payload<P> = Preprepare<P> | VotePayload;

/** A payload by its sender, whose signature has been checked. */
export interface ConsensusMessage<P, S extends Payload<P> = Payload<P>> {
  readonly sender: string;
  readonly payload: S;
  /** The seal under the block that a commit carries; empty in all others. */
  readonly seal: Uint8Array;
  /** The message as it goes over the network. */
  readonly bytes: Uint8Array;
}

/** A message with a vote. */
export type VoteMessage<P> = ConsensusMessage<P, VotePayload>;

/** True of a message that names a block by its hash. */
export function isVote<P>(message: ConsensusMessage<P>): message is VoteMessage<P> {
  return message.payload.kind !== "preprepare";
}
