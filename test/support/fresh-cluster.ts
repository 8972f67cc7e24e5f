/** A cluster in memory for each test of reconciling. */
import { beforeAll, beforeEach } from "@jest/globals";
import { type Credentials, createAuthority } from "../../operator/control/authority.ts";
import type { ReconcileDeps } from "../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../operator/reconcile/network.ts";
import { reconcile } from "../../operator/reconcile/reconcile.ts";
import { FakeCluster } from "./fake-cluster.ts";

/** Before each test of the file or block `take` is given a new cluster; its authority is made once, for that is slow. */
export function freshCluster(take: (cluster: FakeCluster) => void): void {
  let authority: Credentials;
  beforeAll(async () => {
    authority = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
  });
  beforeEach(() => take(new FakeCluster(authority)));
}

/** Reconciles Nodes, or the Network `net`, one after another; what fails says so in the status. */
export async function reconcileEach(
  cluster: FakeCluster,
  deps: ReconcileDeps,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const work =
      name === "net" ? reconcileNetwork(cluster.network(), deps) : reconcile(cluster.node(name), deps);
    await work.catch((error: unknown) => {
      if (!(error instanceof Error && error.name === "ReconcileError")) throw error;
    });
  }
}
