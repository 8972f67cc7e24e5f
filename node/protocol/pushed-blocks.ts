/** Blocks that peers pushed and that wait for their turn or their parent: bounded for each peer and in all. */
import { equalBytes } from "../bytes/compare.ts";
import type { ChainPeer } from "./chain-peer.ts";
import type { PushedBlock } from "./codecs.ts";
import { PUSHED } from "./limits.ts";

/** A pushed block and who pushed it. */
export interface Pushed extends PushedBlock {
  readonly peer: ChainPeer;
  readonly hash: Uint8Array;
  readonly bytes: number;
  /** When it came, by the process's own clock in milliseconds. */
  readonly since: number;
}

/** What becomes of a pushed block. */
export type PushedFate = "kept" | "here" | "too-far" | "no-room";

/** The waiting room. */
export class PushedBlocks {
  #waiting: Pushed[] = [];

  /** Keeps a block above `tip`, unless it is here already, too far from it or there is no room. */
  offer(pushed: Pushed, tip: number): PushedFate {
    this.forget(tip);
    const { number } = pushed.header;
    if (number <= tip - PUSHED.distance || number > tip + PUSHED.distance) return "too-far";
    if (number <= tip || this.#waiting.some(({ hash }) => equalBytes(hash, pushed.hash))) return "here";
    const fromPeer = this.#waiting.filter(({ peer }) => peer === pushed.peer).length;
    const bytes = this.#waiting.reduce((sum, each) => sum + each.bytes, pushed.bytes);
    if (fromPeer >= PUSHED.perPeer || this.#waiting.length >= PUSHED.blocks || bytes > PUSHED.bytes) {
      return "no-room";
    }
    this.#waiting.push(pushed);
    return "kept";
  }

  /** Takes out a block that comes right after `tip`. */
  take(tip: number): Pushed | undefined {
    this.forget(tip);
    const found = this.#waiting.find(({ header }) => header.number === tip + 1);
    if (found !== undefined) this.#waiting = this.#waiting.filter((each) => each !== found);
    return found;
  }

  /** Forgets what is not above `tip` any more. */
  forget(tip: number): void {
    this.#waiting = this.#waiting.filter(({ header }) => header.number > tip);
  }

  /** Forgets what a peer pushed. */
  leave(peer: ChainPeer): void {
    this.#waiting = this.#waiting.filter((each) => each.peer !== peer);
  }
}
