/** The key of a member whose record the operator's cache does not have yet. */
import { expect, test } from "@jest/globals";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  cluster.putGenesis();
  deps = cluster.deps();
});

test("no second key is made by an operator whose cache lacks the record of the first", async () => {
  cluster.putNode("reader", { type: "endpoint", network: { name: "net" } });
  const stale = cluster.node("reader");
  await reconcile(stale, deps);
  expect(cluster.node("reader").status.members?.[0]?.address).toBeDefined();
  cluster.objects.delete("Secret demo/reader-nodekey");
  await reconcile(stale, cluster.deps());
  expect(cluster.get("Secret", "reader-nodekey")).toBeUndefined();
});
