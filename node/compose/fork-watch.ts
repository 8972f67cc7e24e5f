/**
 * Watches for scheduled forks that this version has no rules for: members such as `nextCompatibleBlock` of the chain
 * configuration. Warns at the start and every day while the block is near.
 */
import type { Chain } from "../chain/chain.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

/** Parts that the watch reads and writes. */
export interface ForkWatchDeps {
  readonly chain: Pick<Chain, "config" | "head">;
  readonly log: Log;
}

/** Distance in blocks from which on a node warns. */
export const WARNED_BLOCKS = 1_000_000;
/** Distance in blocks from which on `/readyz` reports the fork; a day on the public networks. */
export const SOON_BLOCKS = 86_400;
const DAY_MS = 86_400_000;

/** Declares the metric of scheduled forks that this version has no rules for. */
export function declareForkMetrics(metrics: Metrics, chain: ForkWatchDeps["chain"]): void {
  metrics.values("gauge", {
    name: "knit_unknown_fork_blocks",
    help: "Blocks until a scheduled fork that this version has no rules for.",
    labels: ["fork"],
    read: () => [...chain.config.unknownForks].map(([fork, block]) => [[fork], block - nextNumber(chain)]),
  });
}

/** Opens the watch. `everyMs` is the time between two warnings. */
export function openForkWatch({ chain, log }: ForkWatchDeps, everyMs = DAY_MS): Disposable {
  const { unknownForks } = chain.config;
  if (unknownForks.size === 0) return { [Symbol.dispose]: () => undefined };
  warn(chain, log);
  const timer = setInterval(() => warn(chain, log), everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function warn(chain: ForkWatchDeps["chain"], log: Log): void {
  for (const [fork, block] of chain.config.unknownForks) {
    const blocks = block - nextNumber(chain);
    if (blocks > WARNED_BLOCKS) continue;
    log.warn(
      { fork, block, blocks },
      "this version has no rules for a scheduled fork; install a newer one before its block",
    );
  }
}

/** Returns the blocks until the first unknown fork: 0 when the next block has it, infinite when none is scheduled. */
export function blocksToUnknownFork(chain: ForkWatchDeps["chain"]): number {
  const { unknownForks } = chain.config;
  return unknownForks.size === 0
    ? Number.POSITIVE_INFINITY
    : Math.min(...unknownForks.values()) - nextNumber(chain);
}

/** True of a fork that is near and not reached. */
export function isSoon(blocks: number): boolean {
  return blocks > 0 && blocks <= SOON_BLOCKS;
}

function nextNumber({ head }: ForkWatchDeps["chain"]): number {
  return head().header.number + 1;
}
