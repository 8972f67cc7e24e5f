/** What people and `eth_syncing` see of a catch-up. */

import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Block numbers: where a catch-up began, where it is, where the peer says the head is. */
export interface SyncFacts {
  readonly startingBlock: number;
  readonly currentBlock: number;
  readonly highestBlock: number;
}

/** Follows one catch-up. */
export interface CatchUpProgress {
  onBlock(number: number): void;
  done(number: number): void;
  /** Undefined when so few blocks are missing that nobody would call it behind. */
  facts(current: number): SyncFacts | undefined;
}

/** Fewer missing blocks than that are ordinary. */
const WORTH_TELLING = 3;

/** What a catch-up from `peer` is told by; a line every `intervalMs`, and one at the end of a long one. */
export function createProgress(terms: {
  readonly start: number;
  readonly peer: ChainPeer;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs: number;
}): CatchUpProgress {
  const { start, peer, clock, log, intervalMs } = terms;
  const began = clock.now();
  let told = began;
  const highest = (current: number): number => Math.max(current, peer.claim.number);
  const rate = (number: number): number =>
    Math.round(((number - start) * 1000) / Math.max(1, clock.now() - began));
  return {
    onBlock(number) {
      if (clock.now() - told < intervalMs) return;
      told = clock.now();
      log.info(
        { number, highest: highest(number), perSecond: rate(number), peer: peer.name },
        "catching up with the network",
      );
    },
    done(number) {
      if (number - start < WORTH_TELLING) return;
      log.info(
        { number, blocks: number - start, perSecond: rate(number), peer: peer.name },
        "caught up with a peer",
      );
    },
    facts(current) {
      const highestBlock = highest(current);
      if (current >= highestBlock || highestBlock - start < WORTH_TELLING) return undefined;
      return { startingBlock: start, currentBlock: current, highestBlock };
    },
  };
}
