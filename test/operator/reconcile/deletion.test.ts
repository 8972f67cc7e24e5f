/** Deletion in memory: what a Node waits for, what it does not wait for, and that it always goes. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { FINALIZER } from "../../../operator/api/names.ts";
import { ControlError } from "../../../operator/control/error.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import { deletionMs, endUnread } from "../../../operator/reconcile/deletion.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { reconcileUnreadable } from "../../../operator/reconcile/unreadable.ts";
import { CORE, type FakeCluster, NETWORK } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const refuse = (): never => {
  throw new KubeError("forbidden", "no");
};
const conflict = (): never => {
  throw new KubeError("conflict", "changed");
};
/** Without the warning that the only validator goes. */
const otherEvents = (): readonly string[] =>
  cluster.events.filter((each) => !each.startsWith("core ChainStops"));
const isThere = (name: string): boolean => cluster.get("Node", name) !== undefined;

test("a Node is held before anything is made for it, once", async () => {
  cluster.putGenesis();
  cluster.putNode("core", CORE);
  await once("core");
  expect(cluster.writes[0]).toBe("finalizers core");
  expect(cluster.node("core").meta.finalizers).toEqual([FINALIZER]);
  await once("core");
  expect(cluster.writes.filter((each) => each.startsWith("finalizers"))).toHaveLength(1);
});

test("a Node in the operator's own namespace is not held: that may go as a whole, the operator first", async () => {
  deps = { ...deps, settings: { ...deps.settings, operatorNamespace: "demo" } };
  cluster.putGenesis();
  cluster.putNode("core", CORE);
  await once("core");
  expect(cluster.node("core").meta.finalizers).toEqual([]);
});

test("a Node is released once its namespace is being deleted, and not held again", async () => {
  cluster.putRunning("core", []);
  await once("core");
  cluster.isEnding = true;
  cluster.writes.length = 0;
  for (let pass = 0; pass < 2; pass++) await once("core");
  expect(cluster.node("core").meta.finalizers).toEqual([]);
  expect(cluster.writes).toEqual(["finalizers core"]);
});

test("a Node that cannot be read is released once its namespace is being deleted", async () => {
  cluster.putNode("core", { type: "strange" });
  const seen = deps.cache.find("node", "demo/core");
  const held = seen && { ...seen, meta: { ...seen.meta, finalizers: [FINALIZER] } };
  cluster.isEnding = true;
  await reconcileUnreadable(held, {
    ...deps,
    client: {
      ...deps.client,
      merge: async (...[, , patch]) => void cluster.writes.push(JSON.stringify(patch)),
    },
  });
  expect(cluster.writes).toEqual([expect.stringContaining('"finalizers":[]')]);
});

describe("a proxy that runs and keeps a core node as a peer:", () => {
  beforeEach(async () => {
    cluster.putRunning("core", []);
    cluster.putRunning("proxy", ["core"]);
    for (const name of ["core", "proxy", "proxy"]) await once(name);
    cluster.writes.length = 0;
    cluster.calls.length = 0;
    cluster.events.length = 0;
  });

  test("the core node waits for its pod and for the proxy, and does nothing else meanwhile", async () => {
    cluster.putNode("core", CORE, { "knit.dev/run": "save-cache" }); // a wish that comes too late
    cluster.deleteNode("core");
    await once("core");
    expect(cluster.node("core").status.phase).toBe("Deleting");
    expect(cluster.node("core").status.conditions?.[0]).toMatchObject({
      status: "False",
      reason: "Deleting",
      message: "pods that have not terminated: core; nodes that still have it as a peer: proxy",
    });
    expect(cluster.conditions("core")).toContain("Progressing True Deleting");
    expect(cluster.conditions("core")).toContain("Synced True Level");
    await once("core");
    expect(cluster.writes).toEqual(["status core", "delete StatefulSet core"]);
    await once("proxy");
    expect(cluster.calls).toEqual([expect.stringContaining("proxy admin_removePeer")]);
    await once("core");
    expect(cluster.node("core").status.conditions?.[0]?.message).toBe("pods that have not terminated: core");
    cluster.objects.delete("Pod demo/core-0");
    await once("core");
    expect([isThere("core"), otherEvents()]).toEqual([false, []]);
  });

  test("after its time it goes, with a warning that names what is left", async () => {
    cluster.answer = () => {
      throw new ControlError("node-error", "no");
    };
    cluster.deleteNode("core");
    await once("core");
    cluster.now += deletionMs(cluster.node("core")) - 1;
    cluster.tell("proxy", {});
    await once("proxy");
    await once("core");
    expect(isThere("core")).toBe(true);
    cluster.now += 1;
    await once("core");
    expect(isThere("core")).toBe(false);
    expect(otherEvents().filter((each) => each.startsWith("core "))).toEqual([
      "core DeletionUnfinished: deleted after 360 s with unmet conditions: pods that have not terminated: core; nodes that still have it as a peer: proxy",
    ]);
  });

  test.each<[string, () => void]>([
    ["does not answer", () => cluster.observations.delete("demo/proxy")],
    ["is being deleted as well", () => cluster.deleteNode("proxy")],
    ["is gone", () => cluster.objects.delete("Node demo/proxy")],
    [
      "was given its URL by its own spec",
      () => {
        const [url = ""] = cluster.node("proxy").status.members?.[0]?.mesh ?? [];
        cluster.putNode("proxy", { type: "proxy", peers: { urls: [url] } });
      },
    ],
  ])("a peer that %s is not waited for", async (_name, happen) => {
    cluster.objects.delete("Pod demo/core-0");
    happen();
    cluster.deleteNode("core");
    await once("core");
    expect([isThere("core"), otherEvents()]).toEqual([false, []]);
  });

  test("without its Network it ends as it would with it", async () => {
    cluster.objects.delete("Network demo/net");
    cluster.deleteNode("proxy");
    await once("proxy");
    cluster.objects.delete("Pod demo/proxy-0");
    await once("proxy");
    expect(isThere("proxy")).toBe(false);
  });

  test("a clock that is ahead, or jumps ahead, does not end the wait", async () => {
    let aheadMs = 2_340_000;
    deps = { ...deps, clock: { now: () => cluster.now + aheadMs } };
    cluster.deleteNode("core");
    await once("core");
    aheadMs *= 2;
    await once("core");
    expect(isThere("core")).toBe(true);
  });

  test("an operator that may not delete or write its status lets it go in the end", async () => {
    deps = { ...deps, client: { ...deps.client, remove: refuse, applyStatus: refuse } };
    cluster.deleteNode("core");
    await expect(once("core")).rejects.toThrow("no");
    cluster.now += deletionMs(cluster.node("core"));
    await once("core");
    expect(isThere("core")).toBe(false);
  });

  test("what is orphaned is left alone, and another's finalizer stays", async () => {
    cluster.deleteNode("core", "orphan");
    await once("core");
    expect(cluster.writes).toEqual(["status net", "finalizers core"]);
    expect(cluster.node("core").meta.finalizers).toEqual(["orphan"]);
    await once("core");
    expect(cluster.writes).toHaveLength(2);
  });

  test("the Network has the height of a core node that goes before it was reconciled, or the Node does not go", async () => {
    expect(cluster.network().status.height).toBeUndefined();
    const { height } = cluster.node("core").status;
    cluster.deleteNode("core", "orphan");
    const busy = { ...deps, client: { ...deps.client, applyStatus: conflict } };
    await expect(reconcile(cluster.node("core"), busy)).rejects.toThrow("changed");
    expect(cluster.node("core").meta.finalizers).toContain(FINALIZER);
    await once("core");
    expect([height, cluster.network().status.height]).toEqual([height ?? 0, height]);
    expect(height).toBeGreaterThan(0);
  });

  test("a pod of a StatefulSet that is another's is neither waited for nor ended", async () => {
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "proxy", uid: "another" };
    const metadata = { name: "proxy", namespace: "demo", ownerReferences: [owner] };
    cluster.put({ apiVersion: "apps/v1", kind: "StatefulSet", metadata });
    cluster.deleteNode("proxy");
    await once("proxy");
    expect([isThere("proxy"), cluster.writes]).toEqual([false, ["finalizers proxy"]]);
  });
});

test("a grace period from the Network's defaults is waited for", async () => {
  cluster.putNetwork({ ...NETWORK, defaults: { terminationGracePeriodSeconds: 3_600 } });
  cluster.putRunning("proxy", []);
  await once("proxy");
  cluster.deleteNode("proxy");
  await once("proxy");
  cluster.now += 3_659_000;
  await once("proxy");
  expect(isThere("proxy")).toBe(true);
  cluster.now += 1_000;
  await once("proxy");
  expect([isThere("proxy"), otherEvents().at(-1)]).toEqual([
    false,
    "proxy DeletionUnfinished: deleted after 3660 s with unmet conditions: pods that have not terminated: proxy",
  ]);
});

test.each<[string, object]>([
  ["was suspended", { ...CORE, suspend: true }],
  ["waits for a key", { ...CORE, nodeKeySecret: { name: "none" } }],
])("a Node that %s goes at once", async (_name, spec) => {
  cluster.putGenesis();
  cluster.putNode("core", spec);
  await once("core");
  cluster.deleteNode("core");
  await once("core");
  expect(isThere("core")).toBe(false);
});

test("a Node that cannot be read is let go when it is deleted, and not before", async () => {
  cluster.putNode("core", CORE);
  await once("core");
  const seen = () => {
    const { meta } = cluster.node("core");
    return { meta, object: undefined };
  };
  expect(await endUnread(seen(), deps)).toBeUndefined();
  expect(isThere("core")).toBe(true);
  cluster.deleteNode("core");
  await endUnread(seen(), deps);
  expect(isThere("core")).toBe(false);
});

/** Replaces the core node when its status is about to be written. */
function replaceCore(): void {
  cluster.onStatus = () => {
    cluster.onStatus = () => undefined;
    cluster.objects.delete("Node demo/core");
    const metadata = { name: "core", namespace: "demo", uid: "another" };
    cluster.put({ apiVersion: "knit.dev/v1alpha1", kind: "Node", metadata, spec: CORE });
  };
}

describe("a status that was computed for a deleted Node is not written to another one of its name:", () => {
  test("of one that is reconciled", async () => {
    cluster.putRunning("core", []);
    replaceCore();
    await expect(once("core")).rejects.toMatchObject({ code: "conflict" });
    expect(cluster.get("Node", "core")?.["status"]).toBeUndefined();
  });

  test("of one that cannot be read", async () => {
    cluster.putNode("core", { type: "strange" });
    replaceCore();
    const seen = deps.cache.find("node", "demo/core");
    await expect(reconcileUnreadable(seen, deps)).rejects.toMatchObject({ code: "conflict" });
    expect(cluster.get("Node", "core")?.["status"]).toBeUndefined();
  });
});
