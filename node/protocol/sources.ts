/**
 * Whom to ask in one catch-up: the leader, whose chain it is, and helpers that claim to be as far. A helper that does
 * not answer in time, or not well, is not asked again; the leader must have everything.
 */
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";

/** Who may be asked besides the leader. */
export interface HelperParts {
  /** All peers; the leader may be among them. */
  readonly peers: () => Iterable<ChainPeer>;
  /** How long a helper may take for an answer. */
  readonly helperMs: number;
}

/** A question to a peer; the time for its answer is the peer's usual one when undefined. Rejects with `ProtocolError`. */
type Ask<T> = (peer: ChainPeer, timeoutMs: number | undefined) => Promise<T>;

/** See the head of this file. */
export class Sources {
  readonly leader: ChainPeer;
  readonly #parts: HelperParts;
  readonly #open = new Map<ChainPeer, number>();
  readonly #excluded = new Set<ChainPeer>();

  constructor(leader: ChainPeer, parts: HelperParts) {
    this.leader = leader;
    this.#parts = parts;
  }

  /** Whether anybody but the leader claims to have this block. */
  hasHelpers(number: number): boolean {
    return this.#able(number).length > 1;
  }

  /**
   * Asks whoever has this block and the fewest open questions, and somebody else when a helper fails. Rejects with
   * what the leader did wrong.
   */
  async ask<T>(number: number, ask: Ask<T>): Promise<{ readonly from: ChainPeer; readonly answer: T }> {
    for (;;) {
      const from = this.#leastBusy(number);
      this.#count(from, 1);
      try {
        const timeoutMs = from === this.leader ? undefined : this.#parts.helperMs;
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
    const helpers = [...this.#parts.peers()].filter(
      (peer) => peer !== this.leader && !this.#excluded.has(peer) && peer.claim.number >= number,
    );
    return [this.leader, ...helpers];
  }
}
