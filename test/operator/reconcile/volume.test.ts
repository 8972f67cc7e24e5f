/** Volumes in memory: from the disk's use to the claim. */
import { expect, test } from "@jest/globals";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { Surroundings } from "../../../operator/reconcile/surroundings.ts";
import { CORE, type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let around: Surroundings;

freshCluster((fresh) => {
  cluster = fresh;
  around = cluster.surroundings();
});

const once = (): Promise<number> => reconcile(cluster.node("core"), around);
const G = 2 ** 30;

/** The claim as Kubernetes has it: bound, of a size. */
function bind(capacity: string, more: object = {}): void {
  const claim = cluster.get("PersistentVolumeClaim", "core-data");
  const metadata = { name: "core-data", namespace: "demo" };
  const status = { phase: "Bound", capacity: { storage: capacity }, ...more };
  cluster.put({ apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim, metadata, status });
}

const requested = (): unknown =>
  (
    cluster.get("PersistentVolumeClaim", "core-data") as {
      spec: { resources: { requests: { storage: string } } };
    }
  ).spec.resources.requests.storage;

test("a volume that fills up grows by a step at a time up to its limit, and says so", async () => {
  cluster.putRunning("core", []);
  const { spec } = cluster.node("core");
  const storage = { size: "10Gi", autoGrow: { atPercent: 80, step: "5Gi", limit: "18Gi" } };
  cluster.putNode("core", { ...spec, storage });
  await once();
  bind("10Gi");
  cluster.tell("core", { disk: { sizeBytes: 10 * G, freeBytes: 3 * G } });
  await once();
  expect([requested(), cluster.node("core").status.members?.[0]?.disk]).toMatchObject([
    "10Gi",
    { usedBytes: 7 * G, capacityBytes: 10 * G },
  ]);
  expect(cluster.conditions("core")).toContain("StorageHealthy True Healthy");
  cluster.tell("core", { disk: { sizeBytes: 10 * G, freeBytes: 1.5 * G } });
  await once();
  expect(requested()).toBe("15Gi");
  expect(cluster.events.at(-1)).toBe("core VolumeGrown: the volume of core grows to 15Gi");
  expect(cluster.conditions("core")).toContain("StorageHealthy False Growing");
  around = cluster.surroundings(); // another operator
  await once();
  expect(requested()).toBe("15Gi");
  bind("15Gi");
  cluster.now += 600_000;
  cluster.tell("core", { disk: { sizeBytes: 15 * G, freeBytes: 1 * G } });
  await once();
  bind("18Gi");
  await once();
  expect(requested()).toBe("18Gi");
});

test("a volume grows although its pod waits for it", async () => {
  cluster.putNode("core", CORE);
  await once();
  bind("10Gi");
  cluster.putNode("core", { ...CORE, storage: { size: "20Gi" } });
  await once();
  expect(requested()).toBe("20Gi");
});

test.each([
  [{ conditions: [{ type: "ControllerResizeError", status: "True", message: "no room" }] }, "core: no room"],
  [
    { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } },
    "core: growing is NodeResizeInfeasible",
  ],
])("a volume that cannot grow is told: %j", async (more, message) => {
  cluster.putNode("core", CORE);
  await once();
  bind("10Gi", more);
  await once();
  const condition = cluster.node("core").status.conditions?.find(({ type }) => type === "StorageHealthy");
  expect(condition).toMatchObject({ reason: "GrowthFailed", message });
});
