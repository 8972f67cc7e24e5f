/** The right to write: the Lease, and a client that writes only while it is held. */
import { FIELD_MANAGER } from "../api/names.ts";
import type { Access } from "../kube/access.ts";
import { type KubeClient, openKubeClient } from "../kube/client.ts";
import type { TransportOptions } from "../kube/transport.ts";
import { elapsed, pause, systemClock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import { becomeLeader, LEASE_REQUEST_MS, type LeaderOptions, type Leadership } from "../runtime/leader.ts";

/** What it is opened with. */
export interface LeaderClientOptions extends Pick<LeaderOptions, "onFailure" | "onHeld"> {
  readonly access: Access;
  /** Where the Lease is. */
  readonly operatorNamespace: string;
  /** This process's name among the candidates for it. */
  readonly identity: string;
  readonly sent?: TransportOptions["sent"];
  readonly log: Log;
}

/** A Lease that is held. Disposing it closes the client and gives the Lease back. */
export interface LeaderClient extends AsyncDisposable {
  readonly leadership: Leadership;
  readonly client: KubeClient;
}

/** Waits for the Lease, which has a connection of its own: it waits behind nothing. */
export async function openLeaderClient(
  options: LeaderClientOptions,
  signal: AbortSignal,
): Promise<LeaderClient> {
  const { access, operatorNamespace, identity, sent, log, onFailure, onHeld } = options;
  await using parts = new AsyncDisposableStack();
  const asking = { access, userAgent: FIELD_MANAGER, fieldManager: FIELD_MANAGER, ...(sent && { sent }) };
  const limits = { connections: 1, requestMs: LEASE_REQUEST_MS };
  const leaseClient = parts.use(openKubeClient({ ...asking, limits }));
  const place = { namespace: operatorNamespace, name: FIELD_MANAGER };
  const candidate = { identity, clock: systemClock, elapsed, pause, log, onFailure, onHeld };
  const leadership = parts.use(await becomeLeader({ ...candidate, client: leaseClient, place, signal }));
  const client = parts.use(openKubeClient({ ...asking, mayWrite: () => leadership.holds() }));
  const open = parts.move();
  return { leadership, client, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
