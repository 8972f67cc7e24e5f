/**
 * What consensus needs of the network, and all that it needs: sealed letters to other validators and from them.
 * Who gets which letter, and which came before, is decided here; who is connected, and how, on the other side.
 */

/** A consensus message (code 0x11) as the network carries it: what is inside is the engine's business alone. */
export interface ConsensusEnvelope {
  /** Hash of the parent of the block under agreement. Passed along, never judged. */
  readonly previousHash: Uint8Array;
  /** The signed message: RLP that nobody has looked at. */
  readonly message: Uint8Array;
}

/** Takes a message of the peer with this address in; bounded and cheap, it never throws. */
export type EnvelopeListener = (from: Uint8Array, envelope: ConsensusEnvelope) => void;

/** The network as consensus sees it. */
export interface ConsensusPeers {
  /** Addresses of the peers of type cn that are connected and on our chain, ourselves never. */
  connected(): Iterable<Uint8Array>;
  /**
   * Queues a message for a connected validator. False when it is not connected or does not keep up: the message is
   * lost for it, as consensus expects of a network.
   */
  send(to: Uint8Array, envelope: ConsensusEnvelope): boolean;
  /** A connected validator has the block of this hash, though perhaps not its seals: it has voted for it. */
  noteVote(from: Uint8Array, hash: Uint8Array): void;
  /**
   * Gives every message that comes in from a peer of type cn to the listener, in each peer's order. The result takes
   * the listener out again; messages that nobody listens to are dropped, not answered.
   */
  onMessage(listener: EnvelopeListener): () => void;
}
