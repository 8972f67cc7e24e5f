/**
 * Transport of consensus messages between the engine and the consensus nodes among the peers, addressed by
 * validator address. The engine selects recipients and judges content.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { ConsensusEnvelope, ConsensusPeers, EnvelopeListener } from "../consensus/consensus-peers.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { messages } from "./messages.ts";

/** Both directions of the channel. */
export interface ConsensusChannel {
  readonly peers: ConsensusPeers;
  /** Delivers a received message to the engine. Messages of peers that are no consensus nodes are dropped. */
  receive(from: ChainPeer, envelope: ConsensusEnvelope): void;
}

/** Creates a channel over the current peers. */
export function createConsensusChannel(present: () => Iterable<ChainPeer>): ConsensusChannel {
  const listeners = new Set<EnvelopeListener>();
  const encode = createEncoder();
  const find = (address: Address): ChainPeer | undefined => {
    for (const peer of validators(present())) if (equalBytes(peer.link.address, address)) return peer;
    return undefined;
  };
  return {
    peers: {
      *connectedAddresses() {
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

/**
 * Creates an encoder that encodes each message once for all its recipients: a proposal contains a whole
 * block.
 */
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
