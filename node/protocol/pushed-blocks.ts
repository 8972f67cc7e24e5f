/** Pushed blocks that wait for their turn or their parent, bounded for each peer and in total. */
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

/** Queue of pushed blocks. */
export class PushedBlocks {
  #waiting: QueuedBlock[] = [];

  /** Queues a block above `tip` unless it is already queued, too far ahead or over a limit. */
  offer(pushed: QueuedBlock, tip: number): PushOutcome {
    this.removeUpTo(tip);
    const { number } = pushed.header;
    if (number <= tip - MAX_PUSHED.distance || number > tip + MAX_PUSHED.distance) return "too-far";
    if (number <= tip || this.#waiting.some(({ hash }) => equalBytes(hash, pushed.hash))) return "known";
    const fromPeer = this.#waiting.filter(({ peer }) => peer === pushed.peer).length;
    const bytes = this.#waiting.reduce((sum, each) => sum + each.bytes, pushed.bytes);
    if (
      fromPeer >= MAX_PUSHED.perPeer ||
      this.#waiting.length >= MAX_PUSHED.blocks ||
      bytes > MAX_PUSHED.bytes
    ) {
      return "no-room";
    }
    this.#waiting.push(pushed);
    return "queued";
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
