/** Who may become a peer: the checks in the Go node's order, made after the handshake and again after hello. */
import { equalBytes } from "../bytes/compare.ts";
import type { DisconnectReason } from "./reasons.ts";

/** What is known of a connection when it asks to become a peer. */
export interface Candidate {
  readonly remoteId: Uint8Array;
  readonly inbound: boolean;
  readonly trusted: boolean;
  /** Dialled because the operator said so. */
  readonly isStatic: boolean;
  /** After hello: whether a protocol is shared. */
  readonly useful?: boolean;
}

/** How full the node is. */
export interface Fullness {
  readonly ownId: Uint8Array;
  readonly peers: number;
  readonly inboundPeers: number;
  readonly maxPeers: number;
  /** Outbound places kept for dials of the node's own choice. */
  readonly maxDynamic: number;
  readonly isPeer: (id: Uint8Array) => boolean;
}

/** Why the candidate is refused; undefined when it may come in. */
export function refusal(candidate: Candidate, node: Fullness): DisconnectReason | undefined {
  const { remoteId, inbound, trusted, isStatic, useful } = candidate;
  if (useful === false) return "useless-peer";
  if (!trusted && !isStatic && node.peers >= node.maxPeers) return "too-many-peers";
  if (inbound && !trusted && node.inboundPeers >= node.maxPeers - node.maxDynamic) return "too-many-peers";
  if (node.isPeer(remoteId)) return "already-connected";
  return equalBytes(remoteId, node.ownId) ? "self" : undefined;
}
