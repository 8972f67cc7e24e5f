/**
 * Admission of peers: the checks of the Go node (`encHandshakeChecks` in networks/p2p/server.go@v2.2.2), in
 * its order. They run after the encryption handshake and again after hello.
 */
import type { NodeId } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { DisconnectReason } from "./disconnect-reasons.ts";

/** A connection that asks to become a peer. */
export interface Candidate {
  readonly remoteId: NodeId;
  readonly inbound: boolean;
  readonly trusted: boolean;
  /** True for a node that is dialled because the operator named it. */
  readonly isStatic: boolean;
  /** True when the two nodes share a protocol. Undefined before hello. */
  readonly useful?: boolean;
}

/** Occupied and available peer slots of this node. */
export interface AdmissionLimits {
  readonly ownId: NodeId;
  readonly peers: number;
  readonly inboundPeers: number;
  readonly maxPeers: number;
  /** Outbound slots reserved for dynamic dials. */
  readonly maxDynamic: number;
  readonly isPeer: (id: NodeId) => boolean;
}

/** Returns the reason to refuse a candidate, or undefined when it is admitted. */
export function admissionRefusal(candidate: Candidate, node: AdmissionLimits): DisconnectReason | undefined {
  const { remoteId, inbound, trusted, isStatic, useful } = candidate;
  if (useful === false) return "useless-peer";
  if (!trusted && !isStatic && node.peers >= node.maxPeers) return "too-many-peers";
  if (inbound && !trusted && node.inboundPeers >= node.maxPeers - node.maxDynamic) return "too-many-peers";
  if (node.isPeer(remoteId)) return "already-connected";
  return equalBytes(remoteId, node.ownId) ? "self" : undefined;
}
