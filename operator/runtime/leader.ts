/**
 * Which of several operators works: whoever holds a Lease. It is renewed while it is held. A Lease is taken only
 * after it stood still for its whole time as this process itself saw it; no clock of another machine is believed.
 * A holder counts the time from before its last renewal was sent, and no longer holds, whatever it knows of the
 * others, before any of them may begin: one that was frozen finds that out at its first step.
 */
import { type Lease, type LeaseAccess, readLease, writeLease } from "./lease.ts";

/** What an election needs. */
export interface LeaderOptions extends LeaseAccess {
  /** This process's name among the candidates. */
  readonly identity: string;
  /** Milliseconds that only go forward, however the clock is set. */
  readonly elapsed: () => number;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called with another's name each time that the Lease is found in its hands. */
  readonly onHeld?: ((holder: string) => void) | undefined;
  readonly signal: AbortSignal;
}

/** A Lease that is held. Disposing it gives it back. */
export interface Leadership extends AsyncDisposable {
  /** Whether it is held beyond doubt at this moment. */
  readonly holds: () => boolean;
  /** Resolves when it is lost. */
  readonly lost: Promise<Error>;
}

/** The longest a request for the Lease may take. */
export const LEASE_REQUEST_MS = 3_000;
const RENEW_MS = 5_000;
const RETRY_MS = 1_000;
/** Without a renewal for this long the holder stops. */
const GIVE_UP_MS = 14_000;

/** Waits until the Lease is held. Rejects when the signal is aborted. */
export async function becomeLeader(options: LeaderOptions): Promise<Leadership> {
  const { identity, log, pause, signal, elapsed } = options;
  let seen: { readonly version: string; readonly at: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const lease = await readLease(options);
    if (lease !== undefined && seen?.version !== lease.version)
      seen = { version: lease.version, at: elapsed() };
    const stoodStill = seen === undefined ? 0 : elapsed() - seen.at;
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
    resolve(new Error("the lease is lost"));
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

/** A moment on both clocks: one stands still while the machine sleeps, the other may be set. */
interface Moment {
  readonly elapsed: number;
  readonly now: number;
}

function momentOf({ elapsed, clock }: LeaderOptions): Moment {
  return { elapsed: elapsed(), now: clock.now() };
}

function age({ elapsed, clock }: LeaderOptions, moment: Moment): number {
  return Math.max(elapsed() - moment.elapsed, clock.now() - moment.now);
}
