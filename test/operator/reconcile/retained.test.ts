/** Objects that outlive their Node. */
import { describe, expect, test } from "@jest/globals";
import { KubeError } from "../../../operator/kube/error.ts";
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

const ownersOf = (kind: string, name: string): unknown =>
  (cluster.get(kind, name)?.["metadata"] as Record<string, unknown> | undefined)?.["ownerReferences"];
const ownersIn = (...members: readonly string[]): readonly unknown[] =>
  members.flatMap((name) => [
    ownersOf("PersistentVolumeClaim", `${name}-data`),
    ownersOf("Secret", `${name}-nodekey`),
  ]);

describe("a Node whose spec says Retain leaves volumes and keys without an owner", () => {
  test("when it said Delete until just before its deletion", async () => {
    cluster.putNode("core", { ...CORE, whenDeleted: "Delete" });
    await once("core", "net", "core");
    expect(ownersIn("core")).toEqual([[expect.anything()], [expect.anything()]]);
    const key = JSON.stringify(cluster.get("Secret", "core-nodekey")?.["data"]);
    cluster.putNode("core", CORE);
    cluster.deleteNode("core");
    await once("core");
    expect(cluster.get("Node", "core")).toBeUndefined();
    expect(ownersIn("core")).toEqual([undefined, undefined]);
    expect(JSON.stringify(cluster.get("Secret", "core-nodekey")?.["data"])).toBe(key);
  });

  test("also those of members that were removed while it said Delete", async () => {
    const spec = { type: "endpoint", replicas: 2, whenDeleted: "Delete" };
    cluster.putGenesis();
    cluster.putNode("r", spec);
    await once("r", "r");
    cluster.putNode("r", { ...spec, replicas: 1 });
    await once("r", "r");
    cluster.putNode("r", { ...spec, replicas: 1, whenDeleted: "Retain" });
    await once("r");
    expect(ownersIn("r-m1")).toEqual([[expect.anything()], [expect.anything()]]);
    cluster.deleteNode("r");
    await once("r");
    expect(cluster.get("Node", "r")).toBeUndefined();
    expect(ownersIn("r", "r-m1")).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("and does not go before they are written, with the class and the access modes that they have", async () => {
    cluster.putNode("core", { ...CORE, whenDeleted: "Delete" });
    await once("core", "net", "core");
    const claim = cluster.objects.get("PersistentVolumeClaim demo/core-data");
    const fixed = { accessModes: ["ReadWriteMany"], storageClassName: "restored" };
    const spec = { ...(claim?.["spec"] as object), ...fixed };
    if (claim !== undefined) cluster.objects.set("PersistentVolumeClaim demo/core-data", { ...claim, spec });
    cluster.putNode("core", CORE);
    cluster.deleteNode("core");
    cluster.onWrite = () => {
      throw new KubeError("forbidden", "a webhook refuses it");
    };
    await once("core");
    expect(cluster.node("core").status.conditions?.[0]?.message).toBe(
      "volumes and keys that are not retained yet: a webhook refuses it",
    );
    cluster.onWrite = () => undefined;
    await once("core");
    expect(cluster.get("Node", "core")).toBeUndefined();
    expect(cluster.get("PersistentVolumeClaim", "core-data")?.["spec"]).toEqual(spec);
  });

  test("but one that says Delete keeps their owner", async () => {
    cluster.putNode("core", { ...CORE, whenDeleted: "Delete" });
    await once("core", "net", "core");
    cluster.deleteNode("core");
    const { length } = cluster.writes;
    await once("core");
    expect(cluster.get("Node", "core")).toBeUndefined();
    expect(cluster.writes.slice(length).filter((write) => write.startsWith("apply"))).toEqual([]);
    expect(ownersIn("core")).toEqual([[expect.anything()], [expect.anything()]]);
  });
});

test("a Network keeps the height of its chain after an empty endpoint, so that the chain is missed", async () => {
  cluster.putRunning("core", []);
  await once("core", "core", "net", "core", "net");
  for (const key of ["Node demo/core", "Pod demo/core-0", "PersistentVolumeClaim demo/core-data"])
    cluster.objects.delete(key);
  cluster.observations.clear();
  cluster.putRunning("endpoint", []);
  cluster.tell("endpoint", { height: 0 });
  await once("endpoint", "endpoint", "net");
  expect([cluster.node("endpoint").status.height, cluster.network().status.height]).toEqual([0, 5]);
  cluster.putNode("core", { ...CORE, nodeKeySecret: { name: "core-own" } });
  await once("core");
  expect(cluster.conditions("core")).toContain("Degraded True ChainLost");
  expect(cluster.get("PersistentVolumeClaim", "core-data")).toBeUndefined();
});
