/**
 * Interface between consensus and the network: consensus messages to and from other validators. Consensus
 * selects the recipients and drops repeated messages; the network knows the connections.
 */
import type { Address, Hash } from "../bytes/brands.ts";

/** A consensus message (code 0x11) on the wire, Istanbul's `ConsensusMsg`. */
export interface ConsensusEnvelope {
  /** Hash of the parent of the block under agreement; passed on, never verified. */
  readonly previousHash: Hash;
  /** The signed message, RLP that has not been decoded. */
  readonly message: Uint8Array;
}

/** Receives a message of the peer with this address. Bounded and cheap; never throws. */
export type EnvelopeListener = (from: Address, envelope: ConsensusEnvelope) => void;

/** The network as consensus sees it. */
export interface ConsensusPeers {
  /** Addresses of the connected peers of type `cn` on this chain, without this node. */
  connectedAddresses(): Iterable<Address>;
  /**
   * Queues a message for a connected validator. Returns false when it is not connected or does not keep up;
   * the message is lost for it then.
   */
  send(to: Address, envelope: ConsensusEnvelope): boolean;
  /**
   * Records that a connected validator has voted for the block of this hash, and so has it, possibly without
   * seals.
   */
  noteVote(from: Address, hash: Hash): void;
  /**
   * Calls the listener with every message of peers of type `cn`, in each peer's order. Returns a function
   * that removes the listener. Messages without a listener are dropped.
   */
  onMessage(listener: EnvelopeListener): () => void;
}
