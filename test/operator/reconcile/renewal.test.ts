/** Volumes that are given up, in memory: the claim goes with the StatefulSet, and both are made anew. */
import { describe, expect, test } from "@jest/globals";
import { KubeError } from "../../../operator/kube/error.ts";
import { ROLLOUT_MS } from "../../../operator/plan/rollout.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { type FakeCluster, idOf } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const once = (name = "proxy"): Promise<number> => reconcile(cluster.node(name), deps);
const state = (name = "proxy") => cluster.node(name).status.maintenance;

const CLAIM = "PersistentVolumeClaim demo/proxy-data";
const owners = (): unknown =>
  (cluster.objects.get(CLAIM)?.metadata as { ownerReferences?: unknown } | undefined)?.ownerReferences;
const template = (): string => JSON.stringify(cluster.get("StatefulSet", "proxy")?.["spec"]);

/** A proxy beside a core node, both with the chain; then somebody asks for something. */
async function putPair(run: string, spec: object = {}): Promise<void> {
  cluster.putRunning("core", ["proxy"]);
  cluster.putRunning("proxy", ["core"]);
  cluster.putNode("proxy", { ...cluster.node("proxy").spec, ...spec });
  await once("core");
  await once();
  const claim = cluster.objects.get(CLAIM);
  cluster.objects.set(CLAIM, { ...claim, metadata: { ...claim?.metadata, uid: "old" } });
  cluster.putNode("proxy", { ...cluster.node("proxy").spec, ...spec }, { "knit.dev/run": run });
}

/** The garbage collector and the kubelet act once the StatefulSet is deleted. */
function collect(): void {
  cluster.objects.delete("Pod demo/proxy-0");
  cluster.objects.delete(CLAIM);
  cluster.observations.delete("demo/proxy");
  cluster.now += 31_000; // an informer sees it at once
  const core = cluster.observations.get("demo/core");
  if (core !== undefined) cluster.tell("core", {});
}

/** The node of the new pod reports. */
function report(height: number, syncing = false): void {
  cluster.putPod("proxy");
  cluster.now += 10_000;
  const core = cluster.observations.get("demo/core");
  if (core?.ok !== true) throw new Error("the core node does not answer");
  cluster.tell("core", { height: Math.max(core.height, height) });
  const until = cluster.now + 45_000;
  cluster.observations.set("demo/proxy", {
    ...core,
    id: idOf("proxy"),
    at: cluster.now,
    until,
    height,
    syncing,
    peers: new Set([idOf("core")]),
  });
}

test("a volume is replaced: the claim goes with its StatefulSet, and both are made anew", async () => {
  await putPair("replace");
  await once();
  expect(state()).toMatchObject({ operation: "replace", state: "Running", claim: "old" });
  expect(owners()).toEqual([{ apiVersion: "apps/v1", kind: "StatefulSet", name: "proxy", uid: "uid-proxy" }]);
  expect(cluster.get("StatefulSet", "proxy")).toBeUndefined();
  const { length } = cluster.writes;
  await once();
  expect(cluster.writes.slice(length).filter((write) => /StatefulSet|Claim/.test(write))).toEqual([]);
  expect(cluster.conditions("proxy")).toContain("StorageHealthy False Replacing");
  collect();
  await once();
  expect(owners()).toBeUndefined();
  expect(cluster.objects.get(CLAIM)).toBeDefined();
  expect(cluster.get("StatefulSet", "proxy")).toBeDefined();
  report(2, true);
  cluster.tell("core", { height: 100 });
  await once();
  expect(state()).toMatchObject({ state: "Running", percent: 2 });
  for (const height of [100, 101, 102]) {
    report(height);
    await once();
  }
  expect(state()).toMatchObject({ state: "Succeeded" });
});

test("the next operator goes on where one ended between the claim and the StatefulSet", async () => {
  await putPair("replace");
  cluster.onRemove = () => {
    throw new KubeError("unreachable", "the response is lost");
  };
  await expect(once()).rejects.toThrow("the response is lost");
  expect([state()?.state, cluster.get("StatefulSet", "proxy") === undefined]).toEqual(["Starting", false]);
  cluster.onRemove = () => undefined;
  deps = cluster.deps();
  await once();
  expect([state()?.state, cluster.get("StatefulSet", "proxy")]).toEqual(["Running", undefined]);
});

test("a StatefulSet that somebody else deletes, or that is not the Node's, takes no claim with it, and the replica goes on", async () => {
  await putPair("replace");
  cluster.onStatus = () => {
    const set = cluster.objects.get("StatefulSet demo/proxy");
    Object.assign(set?.metadata ?? {}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  };
  await once();
  expect([state()?.state, owners()]).toEqual(["Starting", undefined]);
  cluster.onStatus = () => undefined;
  for (const gone of ["StatefulSet demo/proxy", "Pod demo/proxy-0"]) cluster.objects.delete(gone);
  cluster.now += 31_000; // an informer sees it at once
  for (const _ of [1, 2]) await once();
  expect(state()).toMatchObject({
    state: "Failed",
    message: "the replica has no StatefulSet with which its claim could go",
  });
  expect([owners(), cluster.get("StatefulSet", "proxy") === undefined]).toEqual([undefined, false]);
});

test("a run that fails before the claim is gone keeps it", async () => {
  await putPair("replace");
  await once();
  cluster.putNode("proxy", { ...cluster.node("proxy").spec, suspend: true });
  await once();
  await once();
  expect(state()).toMatchObject({ state: "Failed", message: "the replica was suspended" });
  expect(owners()).toBeUndefined();
});

describe("the new volume", () => {
  const bootstrap = { url: "s3://archive/demo" };

  test("is filled from spec.bootstrap by replace", async () => {
    await putPair("replace", { bootstrap });
    await once();
    collect();
    await once();
    expect(template()).toContain("s3://archive/demo");
  });

  test("is filled by the peers alone by resync, and another spec names the archive again", async () => {
    await putPair("resync", { bootstrap });
    await once();
    collect();
    await once();
    expect(template()).not.toContain("s3://archive/demo");
    for (const height of [100, 101, 102, 103]) {
      report(height);
      await once();
    }
    expect(state()).toMatchObject({ operation: "resync", state: "Succeeded" });
    expect(template()).not.toContain("s3://archive/demo");
    expect(cluster.conditions("proxy")).toContain("Progressing False UpToDate");
  });

  test("has a snapshot as its source by replace alone", async () => {
    for (const [operation, source] of [
      ["replace", "copy"],
      ["resync", undefined],
    ] as const) {
      await putPair(operation, { bootstrap: { volumeSnapshot: "copy" } });
      await once();
      collect();
      await once();
      const spec = cluster.objects.get(CLAIM)?.["spec"] as { dataSource?: { name: string } } | undefined;
      expect([operation, spec?.dataSource?.name]).toEqual([operation, source]);
      for (const height of [100, 101, 102, 103]) {
        report(height);
        await once();
      }
    }
  });
});

describe("is refused or waits:", () => {
  test("the only replica with the chain", async () => {
    cluster.putRunning("core", [], { "knit.dev/run": "replace" });
    await once("core");
    expect(state("core")).toMatchObject({
      state: "Requested",
      message: "no other replica that is ready and synced has the chain",
    });
    expect(cluster.get("StatefulSet", "core")).toBeDefined();
  });

  test("a validator whose council lacks room, or whose loss could begin another chain", async () => {
    cluster.putRunning("core", ["proxy"], { "knit.dev/run": "replace" });
    cluster.putRunning("proxy", ["core"]);
    await once("proxy");
    await once("core");
    expect(state("core")?.state).toBe("Requested");
    expect(state("core")?.message).toMatch(/another block 1|validators may be unavailable/);
    expect(cluster.get("StatefulSet", "core")).toBeDefined();
  });

  test("several replicas without a name, and a name that none has", async () => {
    cluster.putGenesis();
    for (const [run, words] of [
      ["replace", "name one of the replicas, as in replace:reader"],
      ["replace:reader-m7", "there is no such replica; the replicas are reader, reader-m1"],
      ["migrate:core", "there is no such replica"],
      ["replace:reader:", "unknown operation"],
    ] as const) {
      cluster.putNode("reader", { type: "endpoint", replicas: 2 }, { "knit.dev/run": run });
      await once("reader");
      const refusals = cluster.events.filter((event) => event.includes("MaintenanceRefused"));
      expect(refusals.at(-1)).toContain(`knit.dev/run=${run}: ${words}`);
    }
    expect(state("reader")).toBeUndefined();
    cluster.putNode("reader", { type: "endpoint", replicas: 2 }, { "knit.dev/run": "replace:reader-m1" });
    await once("reader");
    expect(state("reader")).toMatchObject({ member: "reader-m1", state: "Requested" });
    expect(cluster.node("reader").status.maintenanceQueue).toBeUndefined();
  });
});

const digest = (): string => /"knit.dev\/settings":"(\w+)"/.exec(template())?.[1] ?? "";
const start = (more: object = {}): void =>
  cluster.putPod("proxy", { uid: digest(), digest: digest(), ...more });

describe("a volume of a replica that does not start with a changed spec is replaced", () => {
  test.each([
    ["while it is being recreated", 0, "Rolling"],
    ["after it was rolled back", ROLLOUT_MS, "RolledBack"],
  ])("%s", async (_name, ms, rollout) => {
    await putPair("");
    start();
    for (const _ of [1, 2]) await once();
    cluster.putNode("proxy", { ...cluster.node("proxy").spec, image: "knit:new" });
    await once();
    start({ ready: false, started: false });
    cluster.now += ms;
    cluster.tell("core", {});
    await once();
    expect(cluster.node("proxy").status.rollout?.state).toBe(rollout);
    cluster.putNode("proxy", cluster.node("proxy").spec, { "knit.dev/run": "replace" });
    start({ ready: false, started: false });
    for (const _ of [1, 2]) await once();
    expect(state()).toMatchObject({ operation: "replace", state: "Running" });
    expect(cluster.get("StatefulSet", "proxy")).toBeUndefined();
  });
});
