/** The machine's clock against the newest block: a clock that was reset, as by an empty battery, is said at the start. */
import type { Chain } from "../chain/chain.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";

/** Seconds that a block of others may be ahead of this clock. */
const MAX_BEHIND_S = 5;

/** Logs an error when the clock is behind. */
export function checkClock(chain: Pick<Chain, "head">, clock: Clock, log: Log): void {
  const { number, time } = chain.head().header;
  const behindSeconds = Math.round(time - clock.now() / 1000);
  if (behindSeconds <= MAX_BEHIND_S) return;
  const message =
    "the clock is behind the newest block: set it, no block is made or taken in before it has come so far";
  log.error({ behindSeconds, number, now: new Date(clock.now()).toISOString() }, message);
}
