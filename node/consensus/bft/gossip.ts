/**
 * Selects the peers for a consensus message: validators of the current or the next round's committee that
 * have not seen it. A message that was received before is not handled again.
 */
import type { Address } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import { encodeRlp } from "../../bytes/rlp.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { RecentMap } from "../../runtime/recent-map.ts";
import type { ConsensusPeers } from "../consensus-peers.ts";
import type { Proposal } from "./message.ts";
import { keyBytes } from "./payload.ts";
import type { RoundState } from "./round-state.ts";
import type { BlockMessage } from "./signed-message.ts";

/**
 * Numbers of remembered messages, and of peers for which they are remembered, as in the Go node
 * (`consensus/istanbul/backend/engine.go@v2.2.2`).
 */
const MAX_KNOWN_MESSAGES = 4096;
const MAX_KNOWN_PEERS = 200;

/** Tracks the messages that each peer has seen. */
export class Gossip {
  readonly #peers: ConsensusPeers;
  readonly #known = new RecentMap<true>(MAX_KNOWN_MESSAGES);
  readonly #knownTo = new RecentMap<RecentMap<true>>(MAX_KNOWN_PEERS);
  #present: ReadonlySet<string> = new Set();

  constructor(peers: ConsensusPeers) {
    this.#peers = peers;
  }

  /**
   * Notes the connected peers. The record of a peer that was disconnected is cleared, since messages to it
   * may be lost.
   */
  meet(): void {
    const present = new Set([...this.#peers.connectedAddresses()].map(mapKey));
    for (const name of present)
      if (!this.#present.has(name)) this.#knownTo.set(name, new RecentMap(MAX_KNOWN_MESSAGES));
    this.#present = present;
  }

  /** Number of `recipients` that were not connected at the last call of `meet`. */
  missing(recipients: ReadonlySet<string>): number {
    let missing = 0;
    for (const name of recipients) if (!this.#present.has(name)) missing++;
    return missing;
  }

  /** Records that a peer has a message. Returns false when the message was received before, from any peer. */
  isNew(from: Address, bytes: Uint8Array): boolean {
    const id = messageId(bytes);
    this.#of(from).set(id, true);
    if (this.#known.get(id) === true) return false;
    this.#known.set(id, true);
    return true;
  }

  /**
   * Sends a message to the connected `recipients` that have not seen it; with `again`, to all connected
   * recipients.
   */
  send(message: BlockMessage, recipients: ReadonlySet<string>, again = false): void {
    if (recipients.size === 0) return;
    const id = messageId(message.bytes);
    this.#known.set(id, true);
    const { payload, bytes } = message;
    const parent = payload.kind === "preprepare" ? payload.proposal.parent : payload.parent;
    const envelope = { previousHash: keyBytes(parent), message: bytes };
    for (const peer of this.#peers.connectedAddresses()) {
      if (!recipients.has(mapKey(peer)) || (!again && this.#of(peer).get(id) === true)) continue;
      if (this.#peers.send(peer, envelope)) this.#of(peer).set(id, true);
    }
  }

  #of(peer: Address): RecentMap<true> {
    const name = mapKey(peer);
    const known = this.#knownTo.get(name) ?? new RecentMap<true>(MAX_KNOWN_MESSAGES);
    this.#knownTo.set(name, known);
    return known;
  }
}

/** Identifies a message as the Go node does: by the Keccak-256 hash of its bytes as one RLP string. */
function messageId(bytes: Uint8Array): string {
  return mapKey(keccak256(encodeRlp(bytes)));
}

/**
 * Returns the recipients of messages: members of the committees of this round and the next, without this
 * node. Empty when this node is not in the committee.
 */
export function recipientsOf<P extends Proposal>({
  self,
  validators,
  started,
}: RoundState<P>): ReadonlySet<string> {
  const committee = validators.committee(started);
  if (!committee.has(self)) return new Set();
  const recipients = new Set([...committee, ...validators.committee(started + 1)]);
  recipients.delete(self);
  return recipients;
}
