/**
 * Peers of one catch-up: the leader, whose chain is followed, and helpers that claim to be as far. A helper
 * with a late or invalid answer is not asked again, and after a few such newcomers no others are. The leader must have
 * everything.
 */
import type { ChainPeer } from "./chain-peer.ts";
import type { Standing } from "./claim-records.ts";
import { ProtocolError } from "./error.ts";

/** Dependencies of the peer selection. */
export interface SyncPeersDeps {
  /** Returns all peers, possibly with the leader among them. */
  readonly peers: () => Iterable<ChainPeer>;
  /** Timeout of a helper's answer, in milliseconds. */
  readonly helperMs: number;
  /** Timeout of the leader's first answer, in milliseconds. */
  readonly firstAnswerMs: number;
  readonly standingOf: (peer: ChainPeer) => Standing;
}

/** Newcomers that are of no help in a catch-up, after which only peers that have delivered blocks are asked. */
const MAX_IDLE_NEWCOMERS = 4;

/** A request to a peer. Its timeout is the peer's usual one when undefined. Rejects with `ProtocolError`. */
type Ask<T> = (peer: ChainPeer, timeoutMs: number | undefined) => Promise<T>;

/** The leader and helpers of one catch-up, with their open requests. */
export class SyncPeers {
  readonly leader: ChainPeer;
  /** Timeout of the leader's first answer, in milliseconds. */
  readonly firstAnswerMs: number;
  readonly #deps: SyncPeersDeps;
  readonly #open = new Map<ChainPeer, number>();
  readonly #excluded = new Set<ChainPeer>();
  #idleNewcomers = 0;

  constructor(leader: ChainPeer, deps: SyncPeersDeps) {
    this.leader = leader;
    this.firstAnswerMs = deps.firstAnswerMs;
    this.#deps = deps;
  }

  /** Returns true when a helper claims to have this block. */
  hasHelpers(number: number): boolean {
    return this.#able(number).length > 1;
  }

  /**
   * Sends a request to the least busy peer that has this block, and to another one when a helper fails.
   * Rejects with the leader's failure.
   */
  async ask<T>(number: number, ask: Ask<T>): Promise<{ readonly from: ChainPeer; readonly answer: T }> {
    for (;;) {
      const from = this.#leastBusy(number);
      this.#count(from, 1);
      try {
        const timeoutMs = from === this.leader ? undefined : this.#deps.helperMs;
        return { from, answer: await ask(from, timeoutMs) };
      } catch (error) {
        if (from === this.leader || !(error instanceof ProtocolError)) throw error;
        this.#exclude(from);
      } finally {
        this.#count(from, -1);
      }
    }
  }

  #exclude(helper: ChainPeer): void {
    if (!this.#excluded.has(helper) && this.#deps.standingOf(helper) !== "known") this.#idleNewcomers++;
    this.#excluded.add(helper);
  }

  #count(peer: ChainPeer, change: number): void {
    this.#open.set(peer, (this.#open.get(peer) ?? 0) + change);
  }

  #leastBusy(number: number): ChainPeer {
    const open = (peer: ChainPeer): number => this.#open.get(peer) ?? 0;
    return this.#able(number).reduce((best, peer) => (open(peer) < open(best) ? peer : best), this.leader);
  }

  #able(number: number): ChainPeer[] {
    const helpers = [...this.#deps.peers()].filter(
      (peer) => peer !== this.leader && peer.claim.number >= number && this.#mayHelp(peer),
    );
    return [this.leader, ...helpers];
  }

  #mayHelp(peer: ChainPeer): boolean {
    if (peer.isDropped || this.#excluded.has(peer)) return false;
    const standing = this.#deps.standingOf(peer);
    return standing === "known" || (standing === "unproven" && this.#idleNewcomers < MAX_IDLE_NEWCOMERS);
  }
}
