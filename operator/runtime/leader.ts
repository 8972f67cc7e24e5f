/**
 * Which of several operators works: whoever holds a Lease. It is renewed while it is held; a holder that cannot
 * renew it stops before another may take it, and a Lease is taken only after it stood still for its whole time as
 * seen by this process's own clock.
 */
import type { Draft } from "../api/resource.ts";
import type { KubeClient, Place } from "../kube/client.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";

/** What an election needs. */
export interface LeaderOptions {
  readonly client: KubeClient;
  readonly place: Place;
  /** This process's name among the candidates. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** A Lease that is held. Disposing it gives it back. */
export interface Leadership extends AsyncDisposable {
  /** Resolves when it is lost. */
  readonly lost: Promise<Error>;
}

const LEASE_MS = 20_000;
const RENEW_MS = 5_000;
/** Without a renewal for this long the holder stops. */
const GIVE_UP_MS = 14_000;

interface Held {
  readonly object: Record<string, unknown> | undefined;
  readonly holder: string | undefined;
  /** Changes with every renewal. */
  readonly mark: string;
}

/** Waits until the Lease is held. Rejects when the signal is aborted. */
export async function becomeLeader(options: LeaderOptions): Promise<Leadership> {
  const { identity, clock, log, pause, signal } = options;
  let seen: { mark: string; at: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const held = await readLease(options).catch((error: unknown) => {
      log.warn({ error: String(error) }, "lease cannot be read");
      return undefined;
    });
    if (held !== undefined) {
      if (seen?.mark !== held.mark) seen = { mark: held.mark, at: clock.now() };
      const free = held.holder === undefined || held.holder === identity || clock.now() - seen.at >= LEASE_MS;
      if (free && (await write(options, held, identity))) break;
    }
    await pause(RENEW_MS / 2, signal);
  }
  log.info({ identity }, "leading");
  return keep(options);
}

function keep(options: LeaderOptions): Leadership {
  const { clock, pause, identity } = options;
  const closing = new AbortController();
  const { promise: lost, resolve } = Promise.withResolvers<Error>();
  const renewing = (async () => {
    let renewed = clock.now();
    while (!closing.signal.aborted) {
      await pause(RENEW_MS, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      const held = await readLease(options).catch(() => undefined);
      if (held?.holder === identity && (await write(options, held, identity))) renewed = clock.now();
      const taken = held !== undefined && held.holder !== identity;
      if (taken || clock.now() - renewed >= GIVE_UP_MS) return resolve(new Error("the lease is lost"));
    }
  })();
  return {
    lost,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await renewing;
      const held = await readLease(options).catch(() => undefined);
      if (held?.holder === identity) await write(options, held, "");
    },
  };
}

async function readLease({ client, place }: LeaderOptions): Promise<Held> {
  const object = (await client.get(kinds.lease, place)) as Record<string, unknown> | undefined; // an object or none
  const spec = (object?.["spec"] ?? {}) as Readonly<Record<string, unknown>>;
  const { holderIdentity, renewTime } = spec;
  const holder = typeof holderIdentity === "string" && holderIdentity !== "" ? holderIdentity : undefined;
  return { object, holder, mark: `${String(holder)} ${typeof renewTime === "string" ? renewTime : ""}` };
}

/** True when this write went through; another's that came between makes it fail. */
async function write(options: LeaderOptions, held: Held, holder: string): Promise<boolean> {
  const { client, place, clock, log } = options;
  const now = new Date(clock.now()).toISOString().replace(/Z$/, "000Z");
  const version = (held.object?.["metadata"] as { resourceVersion?: string } | undefined)?.resourceVersion;
  const draft: Draft = {
    apiVersion: kinds.lease.apiVersion,
    kind: kinds.lease.kind,
    metadata: { ...place, ...(version === undefined ? {} : { resourceVersion: version }) },
    spec: { holderIdentity: holder, leaseDurationSeconds: LEASE_MS / 1000, renewTime: now },
  };
  try {
    await (held.object === undefined ? client.create(draft) : client.replace(draft));
    return true;
  } catch (error) {
    if (!isKubeError(error, "conflict") && !isKubeError(error, "already-exists")) {
      log.warn({ error: String(error) }, "lease cannot be written");
    }
    return false;
  }
}
