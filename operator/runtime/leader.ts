/**
 * Leader election with a Lease. The holder renews it. A candidate takes a Lease only after it stayed
 * unchanged for its whole duration by the candidate's own monotonic clock; clocks of other machines are not
 * trusted. A holder counts from before its last renewal was sent, and stops before any candidate may start. A
 * suspended process detects the loss when it resumes.
 */
import { type Lease, type LeaseAccess, readLease, writeLease } from "./lease.ts";

/** Options of an election. */
export interface LeaderOptions extends LeaseAccess {
  /** Identity of this process among the candidates. */
  readonly identity: string;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called with the identity of another holder each time that the Lease is read. */
  readonly onHeld?: ((holder: string) => void) | undefined;
  readonly signal: AbortSignal;
}

/** A held Lease. Disposing it releases the Lease. */
export interface Leadership extends AsyncDisposable {
  /** True while this process is certainly the leader. */
  readonly holds: () => boolean;
  /** Resolves when the Lease is lost. */
  readonly lost: Promise<Error>;
}

/** Maximum duration of a request for the Lease. */
export const LEASE_REQUEST_MS = 3_000;
const RENEW_MS = 5_000;
const RETRY_MS = 1_000;
/** Maximum time without a renewal before the holder stops. */
const GIVE_UP_MS = 14_000;

/** Waits until this process holds the Lease. Rejects when the signal is aborted. */
export async function becomeLeader(options: LeaderOptions): Promise<Leadership> {
  const { identity, log, pause, signal, monotonicMs } = options;
  let seen: { readonly version: string; readonly at: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const lease = await readLease(options);
    if (lease !== undefined && seen?.version !== lease.version)
      seen = { version: lease.version, at: monotonicMs() };
    const stoodStill = seen === undefined ? 0 : monotonicMs() - seen.at;
    if (lease !== undefined && mayTake(lease, identity, stoodStill)) {
      const at = momentOf(options);
      const held = await writeLease(options, lease, identity);
      if (held !== undefined) {
        log.info({ identity }, "leading");
        return keep({ ...options, onFailure: undefined }, held, at);
      }
    } else if (lease?.holder !== undefined) options.onHeld?.(lease.holder);
    await pause(RENEW_MS / 2, signal);
  }
}

function mayTake({ holder, durationMs }: Lease, identity: string, stoodStillMs: number): boolean {
  return holder === undefined || holder === identity || stoodStillMs >= durationMs;
}

function keep(options: LeaderOptions, held: Lease, since: Moment): Leadership {
  const { pause, identity } = options;
  const closing = new AbortController();
  const { promise: lost, resolve } = Promise.withResolvers<Error>();
  let lease = held;
  let renewed = since;
  let isOver = false;
  const holds = (): boolean => !isOver && age(options, renewed) < GIVE_UP_MS;
  const renew = async (): Promise<boolean> => {
    const at = momentOf(options);
    const next = await writeLease(options, lease, identity);
    if (next === undefined) {
      lease = (await readLease(options)) ?? lease;
      if (lease.holder !== identity) isOver = true;
      return false;
    }
    lease = next;
    renewed = at;
    return true;
  };
  const renewing = (async () => {
    let wait = RENEW_MS;
    for (;;) {
      await pause(wait, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      if (!holds()) break; // slept: whoever took over has not been asked yet
      wait = (await renew()) ? RENEW_MS : RETRY_MS;
      if (!holds()) break;
    }
    isOver = true;
    resolve(new Error("the lease was lost"));
  })();
  return {
    lost,
    holds,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await renewing;
      if (holds()) await writeLease(options, lease, undefined);
      isOver = true;
    },
  };
}

/** A time on both clocks: the monotonic clock stops while the machine sleeps, the wall clock can be set. */
interface Moment {
  readonly elapsed: number;
  readonly now: number;
}

function momentOf({ monotonicMs, clock }: LeaderOptions): Moment {
  return { elapsed: monotonicMs(), now: clock.now() };
}

function age({ monotonicMs, clock }: LeaderOptions, moment: Moment): number {
  return Math.max(monotonicMs() - moment.elapsed, clock.now() - moment.now);
}
