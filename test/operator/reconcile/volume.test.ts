/** Volumes in memory: from the disk's use to the claim. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { KubeError } from "../../../operator/kube/error.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { CORE, type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const once = (): Promise<number> => reconcile(cluster.node("core"), deps);
const G = 2 ** 30;

/** The claim as Kubernetes has it: bound, of a size. */
function bind(capacity: string, more: object = {}): void {
  const claim = cluster.get("PersistentVolumeClaim", "core-data");
  const metadata = { name: "core-data", namespace: "demo" };
  const status = { phase: "Bound", capacity: { storage: capacity }, ...more };
  cluster.put({ apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim, metadata, status });
}

test("a claim that is being deleted keeps its pod, whatever the spec asks for", async () => {
  cluster.putRunning("core", []);
  await once();
  const template = (): string => JSON.stringify(cluster.get("StatefulSet", "core")?.["spec"]);
  const before = template();
  const { spec } = cluster.node("core");
  cluster.putNode("core", { ...spec, image: "knit:new" });
  const claim = { name: "core-data", namespace: "demo", deletionTimestamp: "2026-01-01T00:00:00Z" };
  cluster.put({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    ...cluster.get("PersistentVolumeClaim", "core-data"),
    metadata: claim,
  });
  await once();
  expect(template()).toBe(before);
  expect(cluster.conditions("core")).toEqual(
    expect.arrayContaining(["Degraded True StorageTrouble", "StorageHealthy False Terminating"]),
  );
});

const storageCondition = () =>
  cluster.node("core").status.conditions?.find(({ type }) => type === "StorageHealthy");

const requestedSize = (): unknown =>
  (
    cluster.get("PersistentVolumeClaim", "core-data") as {
      spec: { resources: { requests: { storage: string } } };
    }
  ).spec.resources.requests.storage;

test("a node that does not report its disk any more keeps the capacity of its file system, which its claim is a part of", async () => {
  const disk = () => cluster.node("core").status.members?.[0]?.disk;
  cluster.putRunning("core", []);
  await once();
  bind("10Gi");
  await once();
  expect(disk()).toMatchObject({ capacityBytes: 10 * G });
  cluster.tell("core", { disk: { sizeBytes: 250 * G, freeBytes: 20 * G } });
  await once();
  cluster.tell("core", { disk: undefined });
  await once();
  expect(disk()).toMatchObject({ usedBytes: 230 * G, capacityBytes: 250 * G });
});

test("a volume that fills up grows by a step at a time up to its limit, and says so", async () => {
  cluster.putRunning("core", []);
  const { spec } = cluster.node("core");
  const storage = { size: "10Gi", autoGrow: { atPercent: 80, step: "5Gi", limit: "18Gi" } };
  cluster.putNode("core", { ...spec, storage });
  await once();
  bind("10Gi");
  cluster.tell("core", { disk: { sizeBytes: 10 * G, freeBytes: 3 * G } });
  await once();
  expect([requestedSize(), cluster.node("core").status.members?.[0]?.disk]).toMatchObject([
    "10Gi",
    { usedBytes: 7 * G, capacityBytes: 10 * G },
  ]);
  expect(cluster.conditions("core")).toContain("StorageHealthy True Healthy");
  cluster.tell("core", { disk: { sizeBytes: 10 * G, freeBytes: 1.5 * G } });
  await once();
  expect(requestedSize()).toBe("15Gi");
  expect(cluster.events.at(-1)).toBe("core VolumeGrown: the volume of core is being expanded to 15Gi");
  expect(cluster.conditions("core")).toContain("StorageHealthy False Growing");
  deps = cluster.deps(); // another operator
  await once();
  expect(requestedSize()).toBe("15Gi");
  bind("15Gi");
  cluster.now += 600_000;
  cluster.tell("core", { disk: { sizeBytes: 15 * G, freeBytes: 1 * G } });
  await once();
  bind("18Gi");
  await once();
  expect(requestedSize()).toBe("18Gi");
});

test("a volume grows although its pod waits for it", async () => {
  cluster.putNode("core", CORE);
  await once();
  bind("10Gi");
  cluster.putNode("core", { ...CORE, storage: { size: "20Gi" } });
  await once();
  expect(requestedSize()).toBe("20Gi");
});

test.each([
  [{ conditions: [{ type: "ControllerResizeError", status: "True", message: "no room" }] }, "no room"],
  [
    { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } },
    "the expansion is NodeResizeInfeasible",
  ],
])("a volume that cannot grow is told, with what to do: %j", async (more, words) => {
  cluster.putNode("core", { ...CORE, storage: { size: "20Gi" } });
  await once();
  bind("10Gi", more);
  await once();
  const advice =
    "allow the expansion in the StorageClass and the quota, or set spec.storage.size back to 10Gi";
  expect(storageCondition()).toMatchObject({ reason: "GrowthFailed", message: `core: ${words}; ${advice}` });
  expect(cluster.node("core").status.members?.[0]?.disk?.claimBytes).toBe(10 * G);
});

const resize = (size: string, more: object = {}): void =>
  cluster.putNode("core", { ...cluster.node("core").spec, ...more, storage: { size } });

describe("a size that the class or a quota refuses", () => {
  const WORDS = "only dynamically provisioned pvc can be resized";

  /** A core node that serves, whose volume of 10Gi is asked to become larger. */
  beforeEach(async () => {
    cluster.putRunning("core", []);
    await once();
    bind("10Gi");
    cluster.onWrite = (kind) => {
      if (kind === "PersistentVolumeClaim") throw new KubeError("forbidden", WORDS);
    };
    resize("20Gi");
    cluster.writes.length = 0;
    await once();
  });

  test("leaves the Node available and says why, and what to do", () => {
    const conditions = ["Ready True Ready", "Available True ReplicasReady", "Degraded True StorageTrouble"];
    expect(cluster.conditions("core")).toEqual(
      expect.arrayContaining([...conditions, "StorageHealthy False GrowthFailed"]),
    );
    expect(storageCondition()?.message).toBe(
      `core: the claim demo/core-data cannot be changed from 10Gi to 20Gi: ${WORDS}; ` +
        "allow the expansion in the StorageClass and the quota, or set spec.storage.size back to 10Gi",
    );
    expect(cluster.node("core").status.members?.[0]?.disk?.claimBytes).toBe(10 * G);
  });

  test("holds up no other change", async () => {
    resize("20Gi", { settings: { verbosity: "5" } });
    await once();
    expect(cluster.writes).toContain("apply ConfigMap core-settings");
  });

  test("is asked for again after a minute, not each time", async () => {
    let asked = 0;
    cluster.onWrite = (kind) => {
      if (kind !== "PersistentVolumeClaim") return;
      asked++;
      throw new KubeError("forbidden", WORDS);
    };
    for (let times = 0; times < 5; times++) expect(await once()).toBeLessThanOrEqual(60_000);
    expect(asked).toBe(0);
    cluster.now += 60_000;
    cluster.tell("core", {});
    await once();
    expect(asked).toBe(1);
    cluster.onWrite = () => undefined;
    cluster.now += 60_000;
    cluster.tell("core", {});
    await once();
    expect(requestedSize()).toBe("20Gi");
  });

  test("is taken back", async () => {
    resize("10Gi");
    cluster.onWrite = () => undefined; // a size that it has is refused by nobody
    await once();
    expect(cluster.conditions("core")).toEqual(
      expect.arrayContaining(["Degraded False AsExpected", "StorageHealthy True Healthy"]),
    );
  });
});

test("a claim whose owner the API server guards says so, without advice on its size", async () => {
  cluster.putRunning("core", []);
  await once();
  bind("10Gi");
  cluster.onWrite = (kind) => {
    if (kind === "PersistentVolumeClaim") throw new KubeError("forbidden", "cannot set an ownerRef");
  };
  cluster.putNode("core", { ...cluster.node("core").spec, whenDeleted: "Delete" });
  await once();
  expect(storageCondition()?.message).toBe(
    "core: the claim demo/core-data cannot be changed: cannot set an ownerRef",
  );
});

const snapshot = (name: string) => ({ apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name });

test("a new volume is created from the snapshot of spec.bootstrap, and a claim keeps its own source", async () => {
  const source = (): unknown => {
    const claim = cluster.get("PersistentVolumeClaim", "core-data") as { spec: { dataSource?: unknown } };
    return claim.spec.dataSource;
  };
  cluster.putRunning("core", []);
  const { spec } = cluster.node("core");
  cluster.putNode("core", { ...spec, bootstrap: { volumeSnapshot: "monday" } });
  await once();
  expect(source()).toEqual(snapshot("monday"));
  cluster.putNode("core", { ...spec, bootstrap: { volumeSnapshot: "tuesday" } });
  await once();
  expect(source()).toEqual(snapshot("monday"));
  cluster.putNode("core", { ...spec, bootstrap: undefined });
  await once();
  expect(source()).toEqual(snapshot("monday"));
});
