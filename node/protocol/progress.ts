/** Progress of a catch-up, for the log and `eth_syncing`. */
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Block numbers of a catch-up: its start, the current block and the highest known one. */
export interface SyncProgress {
  readonly startingBlock: number;
  readonly currentBlock: number;
  readonly highestBlock: number;
}

/** Progress of one catch-up. */
export interface CatchUpProgress {
  onBlock(number: number): void;
  finish(number: number): void;
  /** Returns the progress, or undefined when only a few blocks are missing. */
  current(current: number): SyncProgress | undefined;
}

/** Minimum number of missing blocks for a node to be reported as behind. */
const MIN_REPORTED_BLOCKS = 3;

/**
 * Creates the progress of a catch-up with `peer`. It logs a line every `intervalMs`, and one at the end of a
 * longer catch-up.
 */
export function createProgress(options: {
  readonly start: number;
  readonly peer: ChainPeer;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs: number;
}): CatchUpProgress {
  const { start, peer, clock, log, intervalMs } = options;
  const began = clock.now();
  let loggedAt = began;
  const highest = (current: number): number => Math.max(current, peer.claim.number);
  const rate = (number: number): number =>
    Math.round(((number - start) * 1000) / Math.max(1, clock.now() - began));
  return {
    onBlock(number) {
      if (clock.now() - loggedAt < intervalMs) return;
      loggedAt = clock.now();
      log.info(
        { number, highest: highest(number), perSecond: rate(number), peer: peer.name },
        "catching up with the network",
      );
    },
    finish(number) {
      if (number - start < MIN_REPORTED_BLOCKS) return;
      log.info(
        { number, blocks: number - start, perSecond: rate(number), peer: peer.name },
        "caught up with a peer",
      );
    },
    current(current) {
      const highestBlock = highest(current);
      if (current >= highestBlock || highestBlock - start < MIN_REPORTED_BLOCKS) return undefined;
      return { startingBlock: start, currentBlock: current, highestBlock };
    },
  };
}
