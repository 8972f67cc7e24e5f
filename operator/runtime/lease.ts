/** A Lease: who holds it, and how it is written so that two writers never both succeed. */
import type { V1LeaseSpec } from "@kubernetes/client-node";
import type { Draft } from "../api/resource.ts";
import { type KubeClient, type Place } from "../kube/client.ts";
import { isRace } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";

/** A Lease as it was read. */
export interface Lease {
  /** Undefined while there is none. */
  readonly object: Readonly<Record<string, unknown>> | undefined;
  /** Undefined when nobody holds it. */
  readonly holder: string | undefined;
  /** Changes with every write, whoever's. */
  readonly version: string;
  /** How long its holder may stand still. */
  readonly durationMs: number;
}

/** Where a Lease is, and the way there. */
export interface LeaseAccess {
  readonly client: Pick<KubeClient, "get" | "create" | "replace">;
  readonly place: Place;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each request that failed, which is tried again unless this throws. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** How long a holder of ours may stand still before another takes over. */
export const LEASE_MS = 20_000;
/** No Lease is waited for longer, whatever it says. */
const MAX_LEASE_MS = 120_000;

/** Reads it; undefined when it cannot be read. */
export async function readLease({ client, place, log, onFailure }: LeaseAccess): Promise<Lease | undefined> {
  try {
    return leaseOf(await client.get(kinds.lease, place));
  } catch (error) {
    onFailure?.(error);
    log.warn({ error: String(error) }, "lease cannot be read");
    return undefined;
  }
}

/** Writes the holder, or nobody; gives the Lease as it is then, or undefined when another was quicker or it failed. */
export async function writeLease(
  { client, place, clock, log, onFailure }: LeaseAccess,
  before: Lease,
  holder: string | undefined,
): Promise<Lease | undefined> {
  const draft = draftOf(before, holder, { ...place, now: clock.now() });
  try {
    return leaseOf(await (before.object === undefined ? client.create(draft) : client.replace(draft)));
  } catch (error) {
    if (isRace(error)) return undefined;
    onFailure?.(error);
    log.warn({ error: String(error) }, "lease cannot be written");
    return undefined;
  }
}

/** A Lease as it is written; times are text on the wire. */
interface LeaseDraft extends Draft {
  readonly spec: Omit<V1LeaseSpec, "renewTime" | "acquireTime"> & {
    readonly renewTime: string;
    readonly acquireTime?: string;
  };
}

function draftOf(
  { object, holder: before }: Lease,
  holder: string | undefined,
  { now, ...place }: Place & { readonly now: number },
): LeaseDraft {
  const time = new Date(now).toISOString().replace(/Z$/, "000Z"); // microseconds
  const spec = (object?.["spec"] ?? {}) as Readonly<Record<string, unknown>>;
  const transitions = Number(spec["leaseTransitions"] ?? 0) || 0;
  const isTaken = holder !== undefined && holder !== before;
  return {
    ...object,
    apiVersion: kinds.lease.apiVersion,
    kind: kinds.lease.kind,
    metadata: { ...(object?.["metadata"] as object | undefined), ...place },
    spec: {
      ...spec,
      holderIdentity: holder ?? "",
      leaseDurationSeconds: LEASE_MS / 1_000,
      renewTime: time,
      ...(isTaken ? { acquireTime: time, leaseTransitions: object === undefined ? 0 : transitions + 1 } : {}),
    },
  };
}

function leaseOf(read: unknown): Lease {
  const object = read as Readonly<Record<string, unknown>> | undefined; // an object or none
  const { holderIdentity, leaseDurationSeconds } = (object?.["spec"] ?? {}) as Record<string, unknown>;
  const { resourceVersion } = (object?.["metadata"] ?? {}) as Record<string, unknown>;
  const told = typeof leaseDurationSeconds === "number" ? leaseDurationSeconds * 1_000 : 0;
  return {
    object,
    holder: typeof holderIdentity === "string" && holderIdentity !== "" ? holderIdentity : undefined,
    version: typeof resourceVersion === "string" ? resourceVersion : "",
    durationMs: Math.min(MAX_LEASE_MS, Math.max(LEASE_MS, told)),
  };
}
