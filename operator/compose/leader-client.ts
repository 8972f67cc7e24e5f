/** Leader election, and an API client that writes only while this process is the leader. */
import { FIELD_MANAGER } from "../api/names.ts";
import type { Access } from "../kube/access.ts";
import { type KubeClient, openKubeClient } from "../kube/client.ts";
import type { TransportOptions } from "../kube/transport.ts";
import { monotonicMs, pause, systemClock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import { becomeLeader, LEASE_REQUEST_MS, type LeaderOptions, type Leadership } from "../runtime/leader.ts";

/** Options of the leader client. */
export interface LeaderClientOptions extends Pick<LeaderOptions, "onFailure" | "onHeld" | "onReach"> {
  readonly access: Access;
  /** Namespace of the Lease. */
  readonly operatorNamespace: string;
  /** Name of the Lease, one for each release. */
  readonly lease: string;
  /** Identity of this process in the election. */
  readonly identity: string;
  readonly onAnswer?: TransportOptions["onAnswer"];
  readonly log: Log;
}

/** A held Lease. Disposing it closes the client and releases the Lease. */
export interface LeaderClient extends AsyncDisposable {
  readonly leadership: Leadership;
  readonly client: KubeClient;
}

/** Waits for the Lease. Its requests have their own connection, so that they never queue behind others. */
export async function openLeaderClient(
  options: LeaderClientOptions,
  signal: AbortSignal,
): Promise<LeaderClient> {
  const { access, operatorNamespace, lease, identity, onAnswer, log, onFailure, onHeld, onReach } = options;
  await using parts = new AsyncDisposableStack();
  const asking = {
    access,
    userAgent: FIELD_MANAGER,
    fieldManager: FIELD_MANAGER,
    ...(onAnswer && { onAnswer }),
  };
  const limits = { connections: 1, requestMs: LEASE_REQUEST_MS };
  const leaseClient = parts.use(openKubeClient({ ...asking, limits }));
  const place = { namespace: operatorNamespace, name: lease };
  const times = { clock: systemClock, monotonicMs, pause };
  const candidate = { identity, ...times, log, onFailure, onHeld, onReach };
  const leadership = parts.use(await becomeLeader({ ...candidate, client: leaseClient, place, signal }));
  const client = parts.use(openKubeClient({ ...asking, mayWrite: () => leadership.holds() }));
  const open = parts.move();
  return { leadership, client, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
