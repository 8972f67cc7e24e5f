/** Objects that outlive their Node. */
import { expect, test } from "@jest/globals";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { CORE, type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

/** Reconciles the Network `net`, or the Nodes of other names, one after the other. */
async function once(...names: string[]): Promise<void> {
  for (const name of names)
    await (name === "net"
      ? reconcileNetwork(cluster.network(), deps)
      : reconcile(cluster.node(name), deps)
    ).catch(() => undefined);
}

test("what outlives its Node carries nothing that makes tools delete it", async () => {
  cluster.putNode("core", CORE);
  await once("core", "net", "core");
  const kept = ["Secret core-nodekey", "PersistentVolumeClaim core-data", "ConfigMap net-genesis"];
  for (const [kind = "", name = ""] of kept.map((each) => each.split(" "))) {
    const { labels, annotations } = (cluster.get(kind, name)?.["metadata"] ?? {}) as Record<string, object>;
    expect(annotations).toMatchObject({
      "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
      "kustomize.toolkit.fluxcd.io/prune": "disabled",
    });
    expect(labels).not.toHaveProperty(["app.kubernetes.io/instance"]);
  }
  cluster.putNode("core", { ...CORE, whenDeleted: "Delete" });
  await once("core");
  expect(JSON.stringify(cluster.get("Secret", "core-nodekey"))).toContain(
    '"app.kubernetes.io/instance":"core"',
  );
});
