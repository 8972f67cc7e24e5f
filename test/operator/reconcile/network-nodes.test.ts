/** Nodes that a Network makes: applied, changed, deleted with their entry, and never taken from others. */
import { expect, test } from "@jest/globals";
import { KubeError } from "../../../operator/kube/error.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const GENESIS = { genesis: { create: { chainId: 7, validators: ["core"] } } };

/** Reconciles the Network with these Nodes. */
async function follow(nodes: readonly object[] | undefined): Promise<void> {
  cluster.putNetwork({ ...GENESIS, ...(nodes === undefined ? {} : { nodes }) });
  await reconcileNetwork(cluster.network(), deps);
}

const ready = () => cluster.network().status.conditions?.find(({ type }) => type === "Ready");
const names = () => [...cluster.objects.keys()].filter((key) => key.startsWith("Node ")).sort();

test("Nodes are made as Nodes of this Network with what was written alone, and go with their entry", async () => {
  await follow([
    { name: "core", type: "core" },
    { name: "endpoint", type: "endpoint", replicas: 2, storage: { size: "20Gi" } },
  ]);
  expect(names()).toEqual(["Node demo/core", "Node demo/endpoint"]);
  const made = cluster.get("Node", "endpoint");
  expect(JSON.parse(JSON.stringify(made?.["spec"]))).toEqual({
    type: "endpoint",
    replicas: 2,
    storage: { size: "20Gi" },
    network: { name: "net" },
  });
  expect(made?.["metadata"]).toMatchObject({
    ownerReferences: [{ kind: "Network", uid: "uid-net", controller: true }],
  });
  const written = cluster.writes.length;
  await follow([{ name: "core", type: "core" }]);
  expect(cluster.writes.slice(written)).toContain("delete Node endpoint");
  expect(names()).toEqual(["Node demo/core"]);
});

test("a Network without the field deletes nothing, as after a return to an earlier definition", async () => {
  await follow([{ name: "core", type: "core" }]);
  await follow(undefined);
  expect(names()).toEqual(["Node demo/core"]);
  await follow([]);
  expect(names()).toEqual([]);
});

test("a Node of the same name that a user made stays as it is, and the Network says so", async () => {
  cluster.putNode("core", { type: "core" });
  await reconcile(cluster.node("core"), deps);
  await follow([{ name: "core", type: "core", suspend: true }]);
  expect(cluster.node("core").spec.suspend).toBe(false);
  expect(ready()).toMatchObject({ status: "False", reason: "NodesRefused" });
  expect(ready()?.message).toContain("core: a Node of this name exists that the Network does not own");
  await follow([]);
  expect(names()).toEqual(["Node demo/core"]);
});

test("a refused Node is named with the words of the API server, and the others are made", async () => {
  cluster.onWrite = (kind) => {
    if (kind !== "Node" || names().length > 0) return;
    cluster.onWrite = () => undefined;
    throw new KubeError("invalid", "a core node has one replica");
  };
  await follow([
    { name: "core", type: "core", replicas: 2 },
    { name: "proxy", type: "proxy" },
  ]);
  expect(names()).toEqual(["Node demo/proxy"]);
  expect(ready()?.message).toBe("core: a core node has one replica");
});

test("a Node whose deletion is refused is named", async () => {
  await follow([{ name: "proxy", type: "proxy" }]);
  cluster.onRemove = () => {
    throw new KubeError("forbidden", "deletion denied");
  };
  await follow([]);
  expect(ready()).toMatchObject({ reason: "NodesRefused", message: "proxy: deletion denied" });
});

test("a Node that a user changes is as its Network says again", async () => {
  await follow([{ name: "proxy", type: "proxy", replicas: 2 }]);
  const made = cluster.get("Node", "proxy") as { metadata: object } & Parameters<FakeCluster["put"]>[0];
  cluster.put({ ...made, spec: { type: "proxy", network: { name: "net" }, replicas: 9 } }, "kubectl");
  await follow([{ name: "proxy", type: "proxy", replicas: 2 }]);
  expect(cluster.node("proxy").spec.replicas).toBe(2);
});
