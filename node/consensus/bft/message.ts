/** Consensus messages as the round machine sees them. Addresses and hashes are map keys (see `mapKey`). */
import type { View } from "./view.ts";

/** A proposed block; the round machine reads nothing else of it. */
export interface Proposal {
  readonly number: number;
  readonly hash: string;
  /** Hash of the parent block. */
  readonly parent: string;
  /** RLP list of the transactions; blob transactions carry their sidecars. The hash covers the header alone. */
  readonly body: Uint8Array;
}

/** Proposes a block for a view (Istanbul's pre-prepare). */
export interface Preprepare<P> {
  readonly kind: "preprepare";
  readonly view: View;
  readonly proposal: P;
}

/** Votes for a block in a view. The digest of a round change is `NO_DIGEST`. */
export interface VotePayload {
  readonly kind: "prepare" | "commit" | "round-change";
  readonly view: View;
  readonly digest: string;
  readonly parent: string;
}

/** Content of a message. */
export type MessagePayload<P> = Preprepare<P> | VotePayload;

/** A message whose signature has been verified. */
export interface ConsensusMessage<P, S extends MessagePayload<P> = MessagePayload<P>> {
  readonly sender: string;
  readonly payload: S;
  /** Committed seal of a commit; empty for other kinds. */
  readonly seal: Uint8Array;
  /** The encoded and signed message. */
  readonly bytes: Uint8Array;
}

/** A message whose payload is a vote. */
export type VoteMessage<P> = ConsensusMessage<P, VotePayload>;

/** Returns true for every kind but the pre-prepare. */
export function isVote<P>(message: ConsensusMessage<P>): message is VoteMessage<P> {
  return message.payload.kind !== "preprepare";
}
