/**
 * Selection of the peer that a node follows, from the heads that peers claim and the records that they have earned. Also
 * tells whether the node is level with the peers that it believes.
 */
import type { NodeType } from "../p2p/node-type.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { BLOCKS_FOR_A_CLAIM, ClaimRecords, type Standing, standingOf } from "./claim-records.ts";
import { chooseLeader, isAhead, isPreferred, type LeaderCandidate, type TipAndTime } from "./claims.ts";
import type { ProtocolTimings } from "./limits.ts";

/** Dependencies of the selection. */
export interface LeaderDeps {
  readonly peers: () => Iterable<ChainPeer>;
  /** Type of this node; consensus nodes among the peers of a consensus node are validators. */
  readonly nodeType: NodeType;
  readonly clock: Clock;
  readonly timings: Pick<ProtocolTimings, "announcedMs" | "helperMs" | "requestMs">;
}

/** A peer that a node may follow. */
export type Leader = LeaderCandidate<ChainPeer>;

/** The peers that may lead, with their records. */
export class Leaders {
  readonly #deps: LeaderDeps;
  readonly #records: ClaimRecords;

  constructor(deps: LeaderDeps) {
    this.#deps = deps;
    this.#records = new ClaimRecords(deps.clock);
  }

  /** Returns the peer to follow, and counts this as its turn; undefined when none is ahead. */
  take(when: TipAndTime): Leader | undefined {
    const leader = chooseLeader(this.#ahead(when));
    if (leader !== undefined) leader.peer.turn = when.now;
    return leader;
  }

  /** Returns true when a peer is ahead that has earned more than a leader that has delivered nothing yet. */
  isOvertaken(leader: Leader, when: TipAndTime): boolean {
    return this.#ahead(when).some((other) => isPreferred(other, leader));
  }

  /**
   * Returns the time for an answer that a leader alone can give, in milliseconds; infinite where the timeout of its requests
   * decides. While others are ahead too, one that nobody vouches for gets less than that: the more, the more blocks it has
   * delivered, and half as much after each broken claim.
   */
  answerMs(peer: ChainPeer, { tip }: TipAndTime): number {
    const { requestMs, helperMs, announcedMs } = this.#deps.timings;
    const others = this.#peers.some((each) => each !== peer && each.claim.number > tip);
    if (!others || (this.#isVouched(peer) && this.standingOf(peer) === "known"))
      return Number.POSITIVE_INFINITY;
    const { delivered, broken } = this.#records.of(peer.link.idText);
    const earnedMs = Math.min(requestMs, helperMs * (1 + delivered / BLOCKS_FOR_A_CLAIM));
    const answerMs = Math.max(announcedMs, earnedMs / 2 ** broken);
    return answerMs < requestMs ? answerMs : Number.POSITIVE_INFINITY;
  }

  /**
   * Returns true when a node with this head is level with peers that it believes: validators on a consensus node, on others peers that
   * are known. What anybody else claims does not count. Without such a peer no other may be ahead.
   */
  isLevel(head: number): boolean {
    const peers = this.#peers;
    const known = peers.filter((peer) => this.standingOf(peer) === "known");
    const believed = this.#deps.nodeType === "cn" ? known.filter(({ type }) => type === "cn") : known;
    const heard = believed.length > 0 ? believed : peers;
    return heard.length > 0 && heard.every(({ claim }) => claim.number <= head);
  }

  /** Returns the standing of a peer. */
  standingOf(peer: ChainPeer): Standing {
    return standingOf(this.#records.of(peer.link.idText), this.#isVouched(peer));
  }

  /** Credits a peer with a block. */
  deliver({ link }: ChainPeer): void {
    this.#records.deliver(link.idText);
  }

  /** Takes the credit of a peer that did not deliver. */
  breakClaim({ link }: ChainPeer): void {
    this.#records.breakClaim(link.idText);
  }

  get #peers(): ChainPeer[] {
    return [...this.#deps.peers()].filter(({ isDropped }) => !isDropped);
  }

  #ahead(when: TipAndTime): Leader[] {
    return this.#peers
      .filter((peer) => isAhead(peer, when, this.#deps.timings.announcedMs))
      .map((peer) => ({
        peer,
        isValidator: this.#isValidator(peer),
        standing: this.standingOf(peer),
        delivered: this.#records.of(peer.link.idText).delivered,
        turn: peer.turn,
      }));
  }

  #isVouched(peer: ChainPeer): boolean {
    return peer.isChosen || this.#isValidator(peer);
  }

  #isValidator({ type }: ChainPeer): boolean {
    return this.#deps.nodeType === "cn" && type === "cn";
  }
}
