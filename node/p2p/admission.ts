/**
 * Admission of peers: the checks of the Go node (`encHandshakeChecks` in networks/p2p/server.go@v2.2.2), in
 * its order. They run after the encryption handshake and again after hello. Unlike there, an address with several
 * slots of a full node gives one up for an address with fewer.
 */
import type { NodeId } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { ownerOfIp, plainIp } from "../bytes/ip.ts";
import type { DisconnectReason } from "./disconnect-reasons.ts";
import { isOwnMachine } from "./ip.ts";
import type { Peer } from "./protocol.ts";

/** A connection that asks to become a peer. */
export interface Candidate {
  readonly remoteId: NodeId;
  readonly inbound: boolean;
  readonly trusted: boolean;
  /** True for a node that is dialled because the operator named it. */
  readonly isStatic: boolean;
  /** See `Peer`. */
  readonly owner: string | undefined;
  /** True when the two nodes share a protocol. Undefined before hello. */
  readonly useful?: boolean;
}

/** Occupied and available peer slots of this node. */
export interface PeerSlots {
  readonly peers: number;
  readonly inboundPeers: number;
  readonly maxPeers: number;
  /** Outbound slots reserved for dynamic dials. */
  readonly maxDynamic: number;
}

/** Facts about this node that decide on a candidate. */
export interface AdmissionLimits extends PeerSlots {
  readonly ownId: NodeId;
  /** True when another peer gives up its slot for the candidate. */
  readonly displaces: boolean;
  readonly isPeer: (id: NodeId) => boolean;
}

/** Returns the reason to refuse a candidate, or undefined when it is admitted. */
export function admissionRefusal(candidate: Candidate, node: AdmissionLimits): DisconnectReason | undefined {
  const { remoteId, useful } = candidate;
  if (useful === false) return "useless-peer";
  if (!node.displaces && lacksSlot(candidate, node)) return "too-many-peers";
  if (node.isPeer(remoteId)) return "already-connected";
  return equalBytes(remoteId, node.ownId) ? "self" : undefined;
}

/** Returns true when all slots that a candidate may have are taken. */
export function lacksSlot({ inbound, trusted, isStatic }: Candidate, slots: PeerSlots): boolean {
  if (!trusted && !isStatic && slots.peers >= slots.maxPeers) return true;
  return inbound && !trusted && slots.inboundPeers >= slots.maxPeers - slots.maxDynamic;
}

/**
 * Returns the peer that gives up its slot for an inbound newcomer of `owner`: the newest of the address with the most
 * peers, when these are at least two more than those of the newcomer's address. An address with one peer keeps it.
 * `peers` are those that may be displaced and those of the newcomer's address, oldest first; a peer without an owner is
 * never displaced.
 */
export function peerToDisplace<P extends Pick<Peer, "owner">>(
  owner: string | undefined,
  peers: readonly P[],
): P | undefined {
  const byOwner = Map.groupBy(peers, (peer) => peer.owner);
  const own = byOwner.get(owner)?.length ?? 0;
  byOwner.delete(undefined);
  const [most] = [...byOwner.values()].sort((a, b) => b.length - a.length);
  return most !== undefined && most.length >= own + 2 ? most.at(-1) : undefined;
}

/**
 * Returns the name under which peers that connect from one address, or one IPv6 network, share slots, time and memory.
 * Undefined for peers that this node or its operator has chosen, and for processes of this machine.
 */
export function ownerOfPeer(
  ip: string | undefined,
  { inbound, trusted, isStatic }: Pick<Candidate, "inbound" | "trusted" | "isStatic">,
): string | undefined {
  if (ip === undefined || !inbound || trusted || isStatic || isOwnMachine(plainIp(ip))) return undefined;
  return ownerOfIp(ip);
}
