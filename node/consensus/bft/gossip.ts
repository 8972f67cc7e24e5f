/**
 * Who gets which letter: those who agree in this round or the next, unless they had it or sent it themselves. A
 * letter that came once is not read again.
 */
import { mapKey } from "../../bytes/hex.ts";
import { encodeRlp } from "../../bytes/rlp.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { RecentMap } from "../../state/recent-map.ts";
import type { ConsensusPeers } from "../consensus-peers.ts";
import type { Proposal } from "./letter.ts";
import type { BlockLetter } from "./letters.ts";
import type { RoundState } from "./round-state.ts";
import { keyBytes } from "./statements.ts";

/** Letters that are remembered, and peers for whom they are: the Go node's numbers. */
const KNOWN_LETTERS = 4096;
const KNOWN_PEERS = 200;

/** See the head of this file. */
export class Gossip {
  readonly #peers: ConsensusPeers;
  readonly #known = new RecentMap<true>(KNOWN_LETTERS);
  readonly #knownTo = new RecentMap<RecentMap<true>>(KNOWN_PEERS);
  #present: ReadonlySet<string> = new Set();

  constructor(peers: ConsensusPeers) {
    this.#peers = peers;
  }

  /** Peers that were not here when this was asked last have nothing: whatever they got before, they may have lost. */
  meet(): void {
    const present = new Set([...this.#peers.connected()].map(mapKey));
    for (const name of present)
      if (!this.#present.has(name)) this.#knownTo.set(name, new RecentMap(KNOWN_LETTERS));
    this.#present = present;
  }

  /** How many of `readers` were not connected when that was asked last. */
  missing(readers: ReadonlySet<string>): number {
    let missing = 0;
    for (const name of readers) if (!this.#present.has(name)) missing++;
    return missing;
  }

  /** Notes that a peer has a letter; false when it came before, from whomever. */
  isNew(from: Uint8Array, payload: Uint8Array): boolean {
    const id = letterId(payload);
    this.#of(from).set(id, true);
    if (this.#known.get(id) === true) return false;
    this.#known.set(id, true);
    return true;
  }

  /** Sends a letter to those of `readers` who are connected and lack it; `again`: also to those who had it. */
  send(letter: BlockLetter, readers: ReadonlySet<string>, again = false): void {
    if (readers.size === 0) return;
    const id = letterId(letter.payload);
    this.#known.set(id, true);
    const { statement, payload } = letter;
    const parent = statement.kind === "preprepare" ? statement.proposal.parent : statement.parent;
    const envelope = { previousHash: keyBytes(parent), payload };
    for (const peer of this.#peers.connected()) {
      if (!readers.has(mapKey(peer)) || (!again && this.#of(peer).get(id) === true)) continue;
      if (this.#peers.send(peer, envelope)) this.#of(peer).set(id, true);
    }
  }

  #of(peer: Uint8Array): RecentMap<true> {
    const name = mapKey(peer);
    const known = this.#knownTo.get(name) ?? new RecentMap<true>(KNOWN_LETTERS);
    this.#knownTo.set(name, known);
    return known;
  }
}

/** The Go node's name of a message: the hash of its bytes as one RLP string. */
function letterId(payload: Uint8Array): string {
  return mapKey(keccak256(encodeRlp(payload)));
}

/** The others whom what is said concerns; nobody when we are not in the committee ourselves. */
export function readersOf<P extends Proposal>({
  self,
  electorate,
  started,
}: RoundState<P>): ReadonlySet<string> {
  const committee = electorate.committee(started);
  if (!committee.has(self)) return new Set();
  const readers = new Set([...committee, ...electorate.committee(started + 1)]);
  readers.delete(self);
  return readers;
}
