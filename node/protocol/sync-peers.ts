/**
 * Peers of one catch-up: the leader, whose chain is followed, and helpers that claim to be as far. A helper
 * with a late or invalid answer is not asked again. The leader must have everything.
 */
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";

/** Dependencies of the peer selection. */
export interface SyncPeersDeps {
  /** Returns all peers, possibly with the leader among them. */
  readonly peers: () => Iterable<ChainPeer>;
  /** Timeout of a helper's answer, in milliseconds. */
  readonly helperMs: number;
}

/** A request to a peer. Its timeout is the peer's usual one when undefined. Rejects with `ProtocolError`. */
type Ask<T> = (peer: ChainPeer, timeoutMs: number | undefined) => Promise<T>;

/** The leader and helpers of one catch-up, with their open requests. */
export class SyncPeers {
  readonly leader: ChainPeer;
  readonly #deps: SyncPeersDeps;
  readonly #open = new Map<ChainPeer, number>();
  readonly #excluded = new Set<ChainPeer>();

  constructor(leader: ChainPeer, deps: SyncPeersDeps) {
    this.leader = leader;
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
        this.#excluded.add(from);
      } finally {
        this.#count(from, -1);
      }
    }
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
      (peer) => peer !== this.leader && !this.#excluded.has(peer) && peer.claim.number >= number,
    );
    return [this.leader, ...helpers];
  }
}
