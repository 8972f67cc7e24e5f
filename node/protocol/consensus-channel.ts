/**
 * Consensus messages over the peers that are consensus nodes, by the address that validators are known by. What is in
 * them, who gets which and who had it already is for the engine to judge.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { ConsensusEnvelope, ConsensusPeers, EnvelopeListener } from "../consensus/consensus-peers.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { messages } from "./messages.ts";

/** The engine's way to the peers, and the peers' way to the engine. */
export interface ConsensusChannel {
  readonly peers: ConsensusPeers;
  /** A message that came in; from a peer that is no consensus node it is dropped. */
  receive(from: ChainPeer, envelope: ConsensusEnvelope): void;
}

/** A channel over the peers that are present when it is used. */
export function createConsensusChannel(present: () => Iterable<ChainPeer>): ConsensusChannel {
  const listeners = new Set<EnvelopeListener>();
  const encode = createEncoder();
  const find = (address: Uint8Array): ChainPeer | undefined => {
    for (const peer of validators(present())) if (equalBytes(peer.link.address, address)) return peer;
    return undefined;
  };
  return {
    peers: {
      *connected() {
        for (const { link } of validators(present())) yield link.address;
      },
      send: (to, envelope) => find(to)?.link.send(messages.consensus.code, encode(envelope)) ?? false,
      noteVote: (from, hash) => find(from)?.votedBlocks.add(hash),
      onMessage(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    receive({ type, link }, envelope) {
      if (type !== "cn") return;
      for (const listener of listeners) listener(link.address, envelope);
    },
  };
}

function* validators(peers: Iterable<ChainPeer>): Generator<ChainPeer, void> {
  for (const peer of peers) if (peer.type === "cn") yield peer;
}

/** One message goes to many, and a proposal has a whole block in it: each is encoded once. */
function createEncoder(): (envelope: ConsensusEnvelope) => Uint8Array {
  const encoded = new WeakMap<ConsensusEnvelope, Uint8Array>();
  return (envelope) => {
    let payload = encoded.get(envelope);
    if (payload === undefined) {
      payload = messages.consensus.encode(envelope);
      encoded.set(envelope, payload);
    }
    return payload;
  };
}
