/**
 * Pushed blocks that wait for their turn or their parent, bounded for each peer and in total. In a full queue the peer with
 * the most loses its farthest block for a peer with less: nobody has verified these blocks yet.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { ChainPeer } from "./chain-peer.ts";
import type { PushedBlock } from "./codecs.ts";
import { MAX_PUSHED } from "./limits.ts";

/** A pushed block and its sender. */
export interface QueuedBlock extends PushedBlock {
  readonly peer: ChainPeer;
  readonly hash: Hash;
  readonly bytes: number;
  /** Arrival time, in milliseconds of the monotonic clock. */
  readonly since: number;
}

/** Outcome of an offered block: queued, already present, too far from the head, or over a limit. */
export type PushOutcome = "queued" | "known" | "too-far" | "no-room";

/** Returns the part of the queue that blocks take, 0 to 1 for those that fit. */
function shareOf(blocks: readonly QueuedBlock[]): number {
  const bytes = blocks.reduce((sum, each) => sum + each.bytes, 0);
  return Math.max(blocks.length / MAX_PUSHED.blocks, bytes / MAX_PUSHED.bytes);
}

/** Queue of pushed blocks. */
export class PushedBlocks {
  #waiting: QueuedBlock[] = [];

  /** Queues a block above `tip` unless it is already queued, too far ahead or over a limit. */
  offer(pushed: QueuedBlock, tip: number): PushOutcome {
    this.removeUpTo(tip);
    const { number } = pushed.header;
    if (number <= tip - MAX_PUSHED.distance || number > tip + MAX_PUSHED.distance) return "too-far";
    if (number <= tip || this.#waiting.some(({ hash }) => equalBytes(hash, pushed.hash))) return "known";
    const own = [...this.#waiting.filter(({ peer }) => peer === pushed.peer), pushed];
    if (own.length > MAX_PUSHED.perPeer) return "no-room";
    while (shareOf([...this.#waiting, pushed]) > 1) if (!this.#dropOfMost(shareOf(own))) return "no-room";
    this.#waiting.push(pushed);
    return "queued";
  }

  /** Removes the farthest block of the peer with the most. Returns false when that is no more than `share`. */
  #dropOfMost(share: number): boolean {
    const [most = []] = [...Map.groupBy(this.#waiting, ({ peer }) => peer).values()].sort(
      (a, b) => shareOf(b) - shareOf(a),
    );
    if (shareOf(most) <= share) return false;
    const farthest = most.reduce((a, b) => (b.header.number > a.header.number ? b : a));
    this.#waiting = this.#waiting.filter((each) => each !== farthest);
    return true;
  }

  /** Removes and returns a block whose number follows `tip`. */
  take(tip: number): QueuedBlock | undefined {
    this.removeUpTo(tip);
    const found = this.#waiting.find(({ header }) => header.number === tip + 1);
    if (found !== undefined) this.#waiting = this.#waiting.filter((each) => each !== found);
    return found;
  }

  /** Removes all blocks up to `tip`. */
  removeUpTo(tip: number): void {
    this.#waiting = this.#waiting.filter(({ header }) => header.number > tip);
  }

  /** Removes the blocks of a peer. */
  removePeer(peer: ChainPeer): void {
    this.#waiting = this.#waiting.filter((each) => each.peer !== peer);
  }
}
