/**
 * Peers of one catch-up: the leader, whose chain is followed, and helpers that claim to be as far. A helper
 * with a late or invalid answer is not asked again, and after a few such newcomers no others are. A leader with a late
 * answer is passed over while helpers have what is wanted; without them it must have everything.
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
  /**
   * Returns the time for an answer that the leader alone can give, in milliseconds, as things are now; infinite where the
   * timeout of the request decides.
   */
  readonly leaderMs: () => number;
  readonly standingOf: (peer: ChainPeer) => Standing;
}

/** Newcomers that are of no help in a catch-up, after which only peers that have delivered blocks are asked. */
const MAX_IDLE_NEWCOMERS = 4;

/** Stands for an answer that did not come in time. */
const LATE = Symbol("late");

/** A request to a peer. Its timeout is the peer's usual one when undefined. Rejects with `ProtocolError`. */
type Ask<T> = (peer: ChainPeer, timeoutMs: number | undefined) => Promise<T>;

/** The leader and helpers of one catch-up, with their open requests. */
export class SyncPeers {
  readonly leader: ChainPeer;
  readonly #deps: SyncPeersDeps;
  readonly #open = new Map<ChainPeer, number>();
  readonly #excluded = new Set<ChainPeer>();
  #idleNewcomers = 0;

  constructor(leader: ChainPeer, deps: SyncPeersDeps) {
    this.leader = leader;
    this.#deps = deps;
  }

  /** True once the leader has left answers to helpers. */
  get isLeaderPassedOver(): boolean {
    return this.#excluded.has(this.leader);
  }

  /** Returns true when a helper claims to have this block. */
  hasHelpers(number: number): boolean {
    return this.#helpers(number).length > 0;
  }

  /**
   * Sends a request to the least busy peer that has this block, and to another one when a helper fails, or when the leader
   * is late and there is a helper. Rejects with the leader's failure.
   */
  async ask<T>(number: number, ask: Ask<T>): Promise<{ readonly from: ChainPeer; readonly answer: T }> {
    for (;;) {
      const from = this.#leastBusy(number);
      this.#count(from, 1);
      const asked = ask(from, from === this.leader ? undefined : this.#deps.helperMs);
      const done = asked.finally(() => this.#count(from, -1));
      try {
        const answer = await (from === this.leader ? this.#unlessLate(done, number) : done);
        if (answer !== LATE) return { from, answer };
      } catch (error) {
        if (from === this.leader || !(error instanceof ProtocolError)) throw error;
        this.#exclude(from);
      }
    }
  }

  /** Sends a request to the leader that nobody else can answer. Rejects with its failure, also when it is late. */
  async askLeader<T>(ask: (leader: ChainPeer) => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const asked = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      const restMs = asked + this.#deps.leaderMs() - performance.now();
      if (restMs <= 0)
        late.reject(new ProtocolError("timeout", "the leader does not answer, others are ahead too"));
      else timer = setTimeout(look, Math.min(restMs, this.#deps.helperMs));
    };
    look();
    try {
      return await Promise.race([ask(this.leader), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves with the leader's answer, or with `LATE` when it is late and a helper has this block. */
  #unlessLate<T>(answer: Promise<T>, number: number): Promise<T | typeof LATE> {
    const late = Promise.withResolvers<typeof LATE>();
    const everyMs = Math.min(this.#deps.helperMs, this.#deps.leaderMs());
    const timer = setInterval(() => {
      if (!this.hasHelpers(number)) return;
      this.#excluded.add(this.leader);
      late.resolve(LATE);
    }, everyMs);
    return Promise.race([answer, late.promise]).finally(() => clearInterval(timer)); // the race handles a later failure
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
    const helpers = this.#helpers(number);
    const able = this.isLeaderPassedOver && helpers.length > 0 ? helpers : [this.leader, ...helpers];
    return able.reduce((best, peer) => (open(peer) < open(best) ? peer : best));
  }

  #helpers(number: number): ChainPeer[] {
    return [...this.#deps.peers()].filter(
      (peer) => peer !== this.leader && peer.claim.number >= number && this.#mayHelp(peer),
    );
  }

  #mayHelp(peer: ChainPeer): boolean {
    if (peer.isDropped || this.#excluded.has(peer)) return false;
    const standing = this.#deps.standingOf(peer);
    return standing === "known" || (standing === "unproven" && this.#idleNewcomers < MAX_IDLE_NEWCOMERS);
  }
}
