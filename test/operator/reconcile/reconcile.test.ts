/** Reconciling in memory: what is made, what is waited for, and what is told to nodes. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { KubeError, type KubeErrorCode } from "../../../operator/kube/error.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { minWaitOf, reconcile } from "../../../operator/reconcile/reconcile.ts";
import { CORE, type FakeCluster, idOf } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

/** An event without its message. */
const reasonOf = (text: string): string => text.split(":")[0] ?? "";

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const network = (): Promise<number> => reconcileNetwork(cluster.network(), deps);
const conditions = (name: string): readonly string[] => cluster.conditions(name);

describe("a new core node", () => {
  beforeEach(async () => {
    cluster.putNode("core", CORE);
    for (const step of [() => once("core"), network, () => once("core")]) await step();
  });

  test("gets a key, a genesis with its address, a certificate and its objects, and waits for its pod", () => {
    expect(cluster.writes).toEqual([
      "finalizers core",
      "create Secret core-nodekey",
      "apply PersistentVolumeClaim core-data",
      "status core",
      "status net",
      "create ConfigMap net-genesis",
      "status net",
      "apply Secret core-nodekey",
      "apply ServiceAccount core-node",
      "apply Service core-members",
      "apply Service core",
      "apply NetworkPolicy core",
      "apply Secret core-gateway",
      "apply ConfigMap core-settings",
      "apply Service core-peer",
      "apply StatefulSet core",
      "status core",
    ]);
    expect(conditions("core")).toEqual([
      "Ready False PodMissing",
      "Available False NoneReady",
      "Progressing True PodsStarting",
      "Degraded False AsExpected",
      "PeersReady Unknown NotAsked",
      "Synced Unknown NotAsked",
      "MaintenanceInProgress False Idle",
      "StorageHealthy False Unbound",
    ]);
    const { address = "none" } = cluster.node("core").status;
    expect(JSON.stringify(cluster.get("ConfigMap", "net-genesis"))).toContain(address.slice(2));
    expect(cluster.events.map(reasonOf)).toEqual(["core NodeKeyMade", "net GenesisMade"]);
  });

  test("is not written a second time", async () => {
    await once("core");
    const { length } = cluster.writes;
    await once("core");
    expect(cluster.writes.slice(length)).toEqual([]);
  });

  test("keeps its key and the genesis when it comes again", async () => {
    const before = [cluster.get("Secret", "core-nodekey"), cluster.get("ConfigMap", "net-genesis")].map(
      (each) => JSON.stringify(each?.["data"]),
    );
    cluster.objects.delete("Node demo/core");
    cluster.putNode("core", CORE);
    deps = cluster.deps();
    await once("core");
    await network();
    const after = [cluster.get("Secret", "core-nodekey"), cluster.get("ConfigMap", "net-genesis")].map(
      (each) => JSON.stringify(each?.["data"]),
    );
    expect(after).toEqual(before);
  });
});

const digest = (): string | undefined =>
  /"knit.dev\/settings":"(\w+)"/.exec(JSON.stringify(cluster.get("StatefulSet", "core")))?.[1];

describe("of a node that is there already", () => {
  beforeEach(async () => {
    cluster.putNode("core", CORE);
    cluster.putGenesis();
    for (let round = 0; round < 2; round++) await once("core");
    cluster.writes.length = 0;
  });

  test("the certificate is renewed in time, and nothing else written", async () => {
    const before = JSON.stringify(cluster.get("Secret", "core-gateway")?.["data"]);
    cluster.now += 59 * 86_400_000;
    await once("core");
    expect(cluster.writes).toEqual([]);
    cluster.now += 2 * 86_400_000;
    await once("core");
    expect(cluster.writes).toEqual(["apply Secret core-gateway"]);
    expect(JSON.stringify(cluster.get("Secret", "core-gateway")?.["data"])).not.toBe(before);
  });

  test("the pod starts anew for other settings and another image, and not for a larger volume", async () => {
    const before = digest();
    cluster.putNode("core", { ...CORE, storage: { size: "20Gi" } });
    await once("core");
    expect(cluster.writes).toEqual(["apply PersistentVolumeClaim core-data", "status core"]);
    cluster.putNode("core", { ...CORE, settings: { verbosity: "5" } });
    await once("core");
    expect(digest()).not.toBe(before);
    cluster.putNode("core", { ...CORE, image: "mine:2" });
    await once("core");
    const { meta, status } = cluster.node("core");
    expect([status.observedGeneration, status.conditions?.[0]?.observedGeneration]).toEqual(
      Array(2).fill(meta.generation),
    );
    expect(cluster.node("core").status.conditions?.[0]?.message).toContain(
      "`kubectl -n demo describe statefulset core` has the cause",
    );
    expect(JSON.stringify(cluster.get("StatefulSet", "core"))).toContain('"image":"mine:2"');
  });
});

describe("a node waits, and says for what:", () => {
  test("for a genesis that nobody has made yet", async () => {
    cluster.putNode("endpoint", { type: "endpoint" });
    await once("endpoint");
    expect(conditions("endpoint")[0]).toBe("Ready False GenesisMissing");
    cluster.putNode("core", CORE);
    for (const step of [() => once("core"), network, () => once("endpoint")]) await step();
    expect(conditions("endpoint")[0]).toBe("Ready False PodMissing");
  });

  test("for a pod that the API server refuses, whose newest cause it has from the second look on", async () => {
    cluster.putNode("core", CORE);
    cluster.putGenesis();
    const message = (): string => String(cluster.node("core").status.conditions?.[0]?.message);
    for (const [name, lastTimestamp] of [
      ["policy", "2026-01-01T00:00:02Z"],
      ["quota", "2026-01-01T00:00:01Z"],
    ] as const) {
      const metadata = { name, namespace: "demo" };
      cluster.put({
        apiVersion: "v1",
        kind: "Event",
        metadata,
        lastTimestamp,
        message: `refused by a ${name}`,
      });
    }
    await once("core");
    expect(message()).toContain("`kubectl -n demo describe statefulset core` has the cause");
    await once("core");
    expect(message()).toContain("the API server refuses the pod: refused by a policy");
    expect(conditions("core")[0]).toBe("Ready False PodMissing");
  });

  test("for the Secret that it names, and fails when there is no key in it", async () => {
    cluster.putNode("core", { ...CORE, nodeKeySecret: { name: "own" } });
    await once("core");
    expect(conditions("core")[0]).toBe("Ready False NodeKeyMissing");
    cluster.putSecret("own", { nodekey: "no key" });
    await expect(once("core")).rejects.toThrow("contains no private key");
    expect(conditions("core")[0]).toBe("Ready False NodeKeyUnusable");
  });

  test("for its pod, in the pod's words", async () => {
    cluster.putRunning("core", []);
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    const status = { podIP: "10.0.0.1", containerStatuses: [{ name: "node", state: { waiting } }] };
    cluster.put({ apiVersion: "v1", kind: "Pod", metadata: { name: "core-0", namespace: "demo" }, status });
    cluster.observations.clear();
    await once("core");
    expect(cluster.node("core").status.conditions?.[0]).toMatchObject({
      reason: "ImagePullFailed",
      message: expect.stringContaining("node: ImagePullBackOff: no such image; correct the image"),
    });
  });

  test("for an answer from the pod that there is now", async () => {
    cluster.putRunning("core", []);
    const reported = cluster.observations.get("demo/core");
    if (reported?.ok) cluster.observations.set("demo/core", { ...reported, address: "10.0.0.9" });
    await once("core");
    expect(conditions("core")[0]).toBe("Ready False NotAsked");
    cluster.observations.set("demo/core", {
      ok: false,
      at: cluster.now,
      address: "10.0.0.1",
      reason: "CertificateRefused",
      message: "no way",
    });
    await once("core");
    expect(conditions("core")[0]).toBe("Ready False CertificateRefused");
  });
});

describe("a step that fails", () => {
  test.each<[string, KubeErrorCode, string, number]>([
    ["Service", "invalid", "ObjectRefused", 600_000], // only another spec can help
    ["PersistentVolumeClaim", "invalid", "ObjectRefused", 600_000],
    ["PersistentVolumeClaim", "forbidden", "ObjectRefused", 0],
    ["Service", "not-ours", "ObjectRefused", 0],
    ["Service", "server", "Error", 0],
  ])("says so, and how soon it is worth another try: %s %s", async (failing, code, reason, leastMs) => {
    const name = failing === "PersistentVolumeClaim" ? "proxy" : "core"; // a core node with blocks has its volume
    cluster.putRunning(name, ["endpoint"]);
    cluster.onWrite = (kind) => {
      if (kind === failing) throw new KubeError(code, "no such port");
    };
    const error: unknown = await once(name).catch((thrown: unknown) => thrown);
    expect(minWaitOf(error)).toBe(leastMs);
    expect(conditions(name)[0]).toBe(`Ready False ${reason}`);
    cluster.onWrite = () => undefined;
    await once(name);
    expect(conditions(name)[0]).toBe("Ready True Ready");
  });

  test("by a mistake of the program is told too", async () => {
    cluster.putRunning("core", []);
    const broken = {
      ...deps,
      cache: { ...deps.cache, find: (): never => JSON.parse("no JSON") as never },
    };
    await expect(reconcile(cluster.node("core"), broken)).rejects.toThrow("JSON");
    expect(conditions("core")[0]).toBe("Ready False Error");
  });
});

test("an operator that begins asks a ready node before it judges it anew", async () => {
  cluster.putRunning("core", []);
  await once("core");
  const ready = conditions("core");
  expect(ready[0]).toBe("Ready True Ready");
  cluster.writes.length = 0;
  cluster.observations.clear();
  const asked: string[] = [];
  const idle = cluster.deps();
  const poller = { ...idle.poller, pollSoon: (key: string) => void asked.push(key) };
  const beginning = { ...idle, poller };
  expect(await reconcile(cluster.node("core"), beginning)).toBeLessThanOrEqual(20_000);
  expect([asked, cluster.writes, conditions("core")]).toEqual([["demo/core"], [], ready]);
  cluster.putPod("core", { ready: false });
  await reconcile(cluster.node("core"), beginning);
  expect(conditions("core")[0]).toBe("Ready False PodNotReady");
});

test("figures alone are recorded when it is time for them, once, and with whatever else changes", async () => {
  cluster.putRunning("core", []);
  await once("core");
  const reported = (more: object): void => {
    const known = cluster.observations.get("demo/core");
    if (known?.ok) cluster.observations.set("demo/core", { ...known, ...more });
  };
  const written = async (): Promise<[number, number | undefined]> => {
    cluster.writes.length = 0;
    await once("core");
    return [cluster.writes.length, cluster.node("core").status.height];
  };
  reported({ height: 6 });
  expect(await written()).toEqual([0, 5]);
  deps.memory.markFiguresStale("demo/core");
  expect(await written()).toEqual([1, 6]);
  reported({ height: 7 });
  expect(await written()).toEqual([0, 6]);
  reported({ syncing: true });
  expect(await written()).toEqual([1, 7]);
});

test("nodes with the blocks of a reading show its height, and one behind it shows its own", async () => {
  cluster.putRunning("core", []);
  deps.memory.recordCommonHeight("demo/net", 90);
  const shown = async (height: number): Promise<number | undefined> => {
    cluster.tell("core", { height });
    deps.memory.markFiguresStale("demo/core");
    await once("core");
    return cluster.node("core").status.height;
  };
  expect([await shown(97), await shown(90), await shown(89)]).toEqual([90, 90, 89]);
  deps.memory.recordCommonHeight("demo/net", 0);
  expect(await shown(1)).toBe(1); // a node with blocks is never shown as empty
});

test("a node that answers with another key is not believed", async () => {
  cluster.putRunning("core", []);
  const reported = cluster.observations.get("demo/core");
  if (reported?.ok) cluster.observations.set("demo/core", { ...reported, id: idOf("proxy") });
  await expect(once("core")).rejects.toThrow("another node responds at this address");
  expect(conditions("core")[0]).toBe("Ready False WrongNode");
});

test("admin on the cluster's port is shown as a warning", async () => {
  cluster.putNode("core", { ...CORE, api: { privileged: true, http: { modules: ["net", "admin"] } } });
  await once("core");
  expect(conditions("core")).toContain("PrivilegedApi True Allowed");
});
