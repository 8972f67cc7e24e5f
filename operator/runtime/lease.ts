/** Reads and writes a Lease with its version as precondition, so that of two concurrent writers one fails. */
import type { V1LeaseSpec } from "@kubernetes/client-node";
import type { Draft } from "../api/resource.ts";
import { type KubeClient, type Place } from "../kube/client.ts";
import { isRace } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";

/** A Lease as read. */
export interface Lease {
  /** Undefined when it does not exist. */
  readonly object: Readonly<Record<string, unknown>> | undefined;
  /** Undefined when it is not held. */
  readonly holder: string | undefined;
  /** Resource version, which changes with every write. */
  readonly version: string;
  /** Duration after which an unchanged Lease may be taken over. */
  readonly durationMs: number;
}

/** Location of a Lease, and the client for it. */
export interface LeaseAccess {
  readonly client: Pick<KubeClient, "get" | "create" | "replace">;
  readonly place: Place;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each failed request, which is retried unless this throws. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Called after each request: false when the API server gave no usable response. */
  readonly onReach?: ((isReached: boolean) => void) | undefined;
}

/** Duration of a Lease of this program. */
export const LEASE_MS = 20_000;
/** Maximum duration of a foreign Lease. */
const MAX_LEASE_MS = 120_000;

/** Reads the Lease; undefined when the request fails. */
export async function readLease(access: LeaseAccess): Promise<Lease | undefined> {
  const { client, place, log, onFailure, onReach } = access;
  try {
    const lease = leaseOf(await client.get(kinds.lease, place));
    onReach?.(true);
    return lease;
  } catch (error) {
    onReach?.(false);
    onFailure?.(error);
    log.warn({ error: String(error) }, "lease cannot be read");
    return undefined;
  }
}

/**
 * Writes the holder or releases the Lease. Returns the written Lease; undefined after a conflict or a
 * failure.
 */
export async function writeLease(
  { client, place, clock, log, onFailure, onReach }: LeaseAccess,
  before: Lease,
  holder: string | undefined,
): Promise<Lease | undefined> {
  const draft = draftOf(before, holder, { ...place, now: clock.now() });
  try {
    const lease = leaseOf(await (before.object === undefined ? client.create(draft) : client.replace(draft)));
    onReach?.(true);
    return lease;
  } catch (error) {
    onReach?.(isRace(error));
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
  const given = typeof leaseDurationSeconds === "number" ? leaseDurationSeconds * 1_000 : 0;
  return {
    object,
    holder: typeof holderIdentity === "string" && holderIdentity !== "" ? holderIdentity : undefined,
    version: typeof resourceVersion === "string" ? resourceVersion : "",
    durationMs: Math.min(MAX_LEASE_MS, Math.max(LEASE_MS, given)),
  };
}
