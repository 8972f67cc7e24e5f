/** A line a minute about a node that runs: its height, the age of its newest block, and its peers. */
import type { Chain } from "../chain/chain.ts";
import type { Log } from "../observe/log.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { Clock } from "../runtime/clock.ts";

/** Parts that the line reports about. */
export interface StatusLogDeps {
  readonly chain: Pick<Chain, "head">;
  readonly p2p: Pick<P2p, "connectedPeers">;
  readonly clock: Clock;
  readonly log: Log;
}

const EVERY_MS = 60_000;

/** Logs every minute, until it is disposed. `everyMs` is for tests. */
export function openStatusLog(deps: StatusLogDeps, everyMs = EVERY_MS): Disposable {
  const timer = setInterval(() => logStatus(deps), everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function logStatus({ chain, p2p, clock, log }: StatusLogDeps): void {
  const { number, time } = chain.head().header;
  const ageSeconds = Math.max(0, Math.round(clock.now() / 1000 - time));
  log.info({ number, ageSeconds, peers: p2p.connectedPeers().length }, "node status");
}
