/**
 * Who gets which message: those who agree in this round or the next, unless they had it or sent it themselves. A
 * message that came once is not read again.
 */
import { mapKey } from "../../bytes/hex.ts";
import { encodeRlp } from "../../bytes/rlp.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { RecentMap } from "../../state/recent-map.ts";
import type { ConsensusPeers } from "../consensus-peers.ts";
import type { Proposal } from "./message.ts";
import { keyBytes } from "./payload.ts";
import type { RoundState } from "./round-state.ts";
import type { BlockMessage } from "./signed-message.ts";

/** Messages that are restored, and peers for whom they are: the Go node's numbers. */
const MAX_KNOWN_MESSAGES = 4096;
const MAX_KNOWN_PEERS = 200;

/** See the head of this file. */
export class Gossip {
  readonly #peers: ConsensusPeers;
  readonly #known = new RecentMap<true>(MAX_KNOWN_MESSAGES);
  readonly #knownTo = new RecentMap<RecentMap<true>>(MAX_KNOWN_PEERS);
  #present: ReadonlySet<string> = new Set();

  constructor(peers: ConsensusPeers) {
    this.#peers = peers;
  }

  /** Peers that were not here when this was asked last have nothing: whatever they got before, they may have lost. */
  meet(): void {
    const present = new Set([...this.#peers.connected()].map(mapKey));
    for (const name of present)
      if (!this.#present.has(name)) this.#knownTo.set(name, new RecentMap(MAX_KNOWN_MESSAGES));
    this.#present = present;
  }

  /** How many of `recipients` were not connected when that was asked last. */
  missing(recipients: ReadonlySet<string>): number {
    let missing = 0;
    for (const name of recipients) if (!this.#present.has(name)) missing++;
    return missing;
  }

  /** Notes that a peer has a message; false when it came before, from whomever. */
  isNew(from: Uint8Array, bytes: Uint8Array): boolean {
    const id = messageId(bytes);
    this.#of(from).set(id, true);
    if (this.#known.get(id) === true) return false;
    this.#known.set(id, true);
    return true;
  }

  /** Sends a message to those of `recipients` who are connected and lack it; `again`: also to those who had it. */
  send(message: BlockMessage, recipients: ReadonlySet<string>, again = false): void {
    if (recipients.size === 0) return;
    const id = messageId(message.bytes);
    this.#known.set(id, true);
    const { payload, bytes } = message;
    const parent = payload.kind === "preprepare" ? payload.proposal.parent : payload.parent;
    const envelope = { previousHash: keyBytes(parent), message: bytes };
    for (const peer of this.#peers.connected()) {
      if (!recipients.has(mapKey(peer)) || (!again && this.#of(peer).get(id) === true)) continue;
      if (this.#peers.send(peer, envelope)) this.#of(peer).set(id, true);
    }
  }

  #of(peer: Uint8Array): RecentMap<true> {
    const name = mapKey(peer);
    const known = this.#knownTo.get(name) ?? new RecentMap<true>(MAX_KNOWN_MESSAGES);
    this.#knownTo.set(name, known);
    return known;
  }
}

/** The Go node's name of a message: the hash of its bytes as one RLP string. */
function messageId(bytes: Uint8Array): string {
  return mapKey(keccak256(encodeRlp(bytes)));
}

/** The others whom what is said concerns; nobody when we are not in the committee ourselves. */
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
