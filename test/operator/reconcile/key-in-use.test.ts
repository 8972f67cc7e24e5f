/** One key of two Nodes, in memory: one of them signs, whatever becomes of their objects. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { CORE, type FakeCluster, NETWORK } from "../../support/fake-cluster.ts";
import { freshCluster, reconcileEach } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

type Stored = Parameters<FakeCluster["put"]>[0];

const once = (...names: readonly string[]): Promise<void> => reconcileEach(cluster, deps, names);

const degradedReason = (name: string): string | undefined =>
  cluster.conditions(name).find((each) => each.startsWith("Degraded"));
const addressOf = (name: string): string | undefined => cluster.node(name).status.address;
const specOf = (name: string): { readonly replicas?: number; readonly template?: object } | undefined =>
  cluster.get("StatefulSet", name)?.["spec"] as never;
const replicasOf = (name: string): unknown => specOf(name)?.replicas;
const template = (name: string): string => JSON.stringify(specOf(name)?.template);

/** An object as somebody may keep it. */
function copyOf(kind: string, name: string): Stored {
  const object = cluster.objects.get(`${kind} demo/${name}`) as Stored | undefined;
  if (object === undefined) throw new Error(`no ${kind} ${name}`);
  return object;
}

describe("one key of two Nodes", () => {
  const KEY = { nodekey: "7".repeat(64) };
  const WITH_KEY = { ...CORE, nodeKeySecret: { name: "shared" } };

  beforeEach(() => {
    cluster.putGenesis();
    cluster.putSecret("shared", KEY);
    for (const name of ["one", "two"]) cluster.putNode(name, WITH_KEY);
  });

  test("stays with the first while its namespace cannot be read, and the second one starts once that is over", async () => {
    await once("one", "two");
    cluster.missingNamespaces = ["elsewhere"];
    cluster.objects.delete("StatefulSet demo/one");
    cluster.objects.delete("Node demo/one");
    deps = cluster.deps(); // an operator that has just started
    await once("two");
    expect([degradedReason("two"), replicasOf("two")]).toEqual(["Degraded True KeyInUse", undefined]);
    expect(cluster.events.at(-1)).toContain(
      "may be in the namespace elsewhere, which the operator cannot read",
    );
    cluster.missingNamespaces = [];
    await once("two");
    expect(replicasOf("two")).toBe(1);
  });

  test("is signed with by the first alone, and by the second when the first has ended", async () => {
    await once("one", "two");
    expect([replicasOf("one"), replicasOf("two")]).toEqual([1, undefined]);
    expect(degradedReason("two")).toBe("Degraded True KeyInUse");
    expect(cluster.get("PersistentVolumeClaim", "two-data")).toBeUndefined(); // it would be empty when the key is free
    expect(cluster.events.at(-1)).toContain("two KeyInUse: the Node of demo/one also has the key of 0x");
    cluster.putPod("one");
    cluster.putNode("one", { ...WITH_KEY, suspend: true });
    await once("one", "two");
    expect([replicasOf("one"), replicasOf("two")]).toEqual([0, undefined]);
    cluster.objects.delete("Pod demo/one-0");
    await once("one", "two");
    expect([replicasOf("one"), replicasOf("two")]).toEqual([0, 1]);
    cluster.putNode("one", WITH_KEY);
    await once("one");
    expect([degradedReason("one"), replicasOf("one")]).toEqual(["Degraded True KeyInUse", 0]);
  });

  test("starts once when both are looked at in one moment", async () => {
    await Promise.all([once("one"), once("two")]);
    expect([replicasOf("one"), replicasOf("two")].filter((each) => each === 1)).toHaveLength(1);
  });

  test("starts once when another operator takes over", async () => {
    await once("two");
    deps = cluster.deps();
    for (const name of ["one", "two"])
      for (const { name: member, address } of cluster.node(name).status.members ?? [])
        if (address !== undefined) deps.memory.addresses.note(address, `demo/${member}`);
    await once("one", "two");
    expect([replicasOf("one"), replicasOf("two")]).toEqual([undefined, 1]);
  });

  test("is waited for while a pod of a Node that is gone has not ended", async () => {
    await once("one");
    const { address = "" } = cluster.node("one").status;
    cluster.putPod("one");
    const pod = cluster.objects.get("Pod demo/one-0");
    Object.assign(pod?.metadata["annotations"] ?? {}, { "knit.dev/address": address });
    cluster.objects.delete("Node demo/one");
    cluster.objects.delete("StatefulSet demo/one");
    await once("two");
    expect(degradedReason("two")).toBe("Degraded True KeyInUse");
    expect(cluster.events.at(-1)).toContain("kubectl -n demo delete pod one-0 --force");
    cluster.objects.delete("Pod demo/one-0");
    await once("two");
    expect(replicasOf("two")).toBe(1);
  });

  test.each<[string, () => void]>([
    ["of a Node that was deleted without its objects", () => cluster.objects.delete("Node demo/one")],
    [
      "of a Node with another key by now",
      () => {
        cluster.putSecret("other", { nodekey: "6".repeat(64) });
        const other = { ...WITH_KEY, nodeKeySecret: { name: "other" } };
        cluster.putNode("one", other, { "knit.dev/allow-new-key": "true" });
      },
    ],
  ])("waits while a StatefulSet %s would create its pod again", async (_which, change) => {
    await once("one");
    const set = copyOf("StatefulSet", "one");
    change();
    if (cluster.get("Node", "one") !== undefined) await once("one");
    cluster.put(set); // as it was: its rollout waits
    deps = cluster.deps();
    await once("two");
    expect([degradedReason("two"), replicasOf("two")]).toEqual(["Degraded True KeyInUse", undefined]);
    expect(cluster.events.at(-1)).toContain("two KeyInUse: the StatefulSet demo/one still has the key of 0x");
    cluster.objects.delete("StatefulSet demo/one");
    await once("two");
    expect(replicasOf("two")).toBe(1);
  });

  test("is not that of two validators in a new genesis, which waits for keys of their own", async () => {
    cluster.objects.delete("ConfigMap demo/net-genesis");
    cluster.putNetwork({ genesis: { create: { ...NETWORK.genesis.create, validators: ["one", "two"] } } });
    await once("one", "two", "net");
    expect(cluster.get("ConfigMap", "net-genesis")).toBeUndefined();
    expect(cluster.network().status.conditions?.[0]).toMatchObject({
      reason: "GenesisMissing",
      message: "the Nodes one, two have one key",
    });
    cluster.putSecret("own", { nodekey: "6".repeat(64) });
    const own = { ...WITH_KEY, nodeKeySecret: { name: "own" } };
    cluster.putNode("two", own, { "knit.dev/allow-new-key": "true" });
    await once("two", "net");
    expect(cluster.network().status.genesis?.validators).toEqual(["one", "two"].map(addressOf));
  });

  test("is not used again by a Node with another one by now, which starts while another replica is recreated", async () => {
    await once("one");
    cluster.putNode("one", { ...WITH_KEY, suspend: true }, { "knit.dev/allow-chain-stop": "now" });
    await once("one", "two");
    cluster.putNode("one", WITH_KEY);
    await once("one");
    expect([degradedReason("one"), replicasOf("one"), replicasOf("two")]).toEqual([
      "Degraded True KeyInUse",
      0,
      1,
    ]);
    const rollout = {
      member: "three",
      revision: "new",
      state: "Rolling",
      startedAt: "2026-01-01T00:00:00Z",
      message: "three is being recreated",
    };
    cluster.putNode("three", CORE);
    cluster.put({ ...copyOf("Node", "three"), status: { rollout } });
    cluster.putSecret("own", { nodekey: "6".repeat(64) });
    const own = { ...WITH_KEY, nodeKeySecret: { name: "own" } };
    cluster.putNode("one", own, { "knit.dev/allow-new-key": "true" });
    await once("one");
    expect(replicasOf("one")).toBe(1);
    expect(template("one")).toContain(addressOf("one"));
    expect(template("one")).not.toContain(addressOf("two"));
  });

  test("is not taken from the Node that signs with it by an older one, whose pod goes on with its former key", async () => {
    cluster.putSecret("own", { nodekey: "6".repeat(64) });
    const own = { ...WITH_KEY, nodeKeySecret: { name: "own" } };
    cluster.putNode("one", own);
    await once("one", "two");
    for (const name of ["one", "two"]) cluster.putPod(name, { address: addressOf(name) ?? "" });
    const [before, address] = [template("one"), addressOf("one")];
    cluster.putNode("one", WITH_KEY, { "knit.dev/allow-new-key": "true" });
    await once("one", "two", "one");
    expect([degradedReason("one"), replicasOf("one"), template("one")]).toEqual([
      "Degraded True KeyInUse",
      1,
      before,
    ]);
    expect(before).toContain(address);
    expect([degradedReason("two"), replicasOf("two")]).toEqual(["Degraded False AsExpected", 1]);
  });

  test("ends the younger of two that run already", async () => {
    await once("one");
    for (const kind of ["Node", "StatefulSet"]) cluster.objects.delete(`${kind} demo/one`);
    deps = cluster.deps();
    await once("two");
    cluster.putNode("one", WITH_KEY);
    for (const name of ["one", "two"]) cluster.putPod(name);
    deps = cluster.deps();
    await once("one", "two");
    expect([replicasOf("one"), replicasOf("two")]).toEqual([1, 0]);
  });
});
