/** A paused Node in memory: it is observed, and nothing of it is changed. */
import { beforeEach, expect, test } from "@jest/globals";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReturnType<FakeCluster["deps"]>;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const PAUSED = { "knit.dev/paused": "true" };
const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);

beforeEach(async () => {
  for (const name of ["core", "proxy"] as const) cluster.putRunning(name, []);
  for (const name of ["core", "proxy", "core", "proxy"]) await once(name);
  cluster.writes.length = 0;
  cluster.calls.length = 0;
  cluster.events.length = 0;
});

test("gets a status and one event, and no other write or call, whatever its spec says", async () => {
  const { observedGeneration } = cluster.node("proxy").status;
  cluster.putNode(
    "proxy",
    { ...cluster.node("proxy").spec, image: "mine:2", suspend: true, storage: { size: "90Gi" } },
    { ...PAUSED, "knit.dev/run": "migrate" },
  );
  cluster.tell("proxy", { height: 9, peers: new Set() });
  cluster.objects.delete("Service demo/proxy");
  for (const _ of [1, 2]) await once("proxy");
  expect([cluster.writes, cluster.calls]).toEqual([["status proxy"], []]);
  expect(cluster.events).toEqual([
    "proxy Paused: the operator observes the Node and changes nothing; to continue: kubectl -n demo annotate kn proxy knit.dev/paused-",
  ]);
  const { status, meta } = cluster.node("proxy");
  expect(status).toMatchObject({ phase: "Paused", height: 9, observedGeneration });
  expect(meta.annotations["knit.dev/run"]).toBe("migrate");
  expect(cluster.conditions("proxy")).toContain("Paused True ByAnnotation");
});

test("tells the truth about its pod", async () => {
  cluster.putNode("proxy", cluster.node("proxy").spec, PAUSED);
  cluster.putPod("proxy", { ready: false });
  await once("proxy");
  expect(cluster.conditions("proxy")).toEqual(
    expect.arrayContaining(["Ready False PodNotReady", "Available False NoneReady"]),
  );
});

test("goes on where it was when the annotation is removed or false", async () => {
  const { spec } = cluster.node("proxy");
  cluster.putNode("proxy", { ...spec, image: "mine:2" }, PAUSED);
  await once("proxy");
  cluster.putNode("proxy", { ...spec, image: "mine:2" }, { "knit.dev/paused": "false" });
  await once("proxy");
  expect(JSON.stringify(cluster.get("StatefulSet", "proxy"))).toContain('"image":"mine:2"');
  expect(cluster.conditions("proxy").join()).not.toContain("Paused");
});

test("with a change of its own holds up no rollout of another type", async () => {
  cluster.putNode("proxy", { ...cluster.node("proxy").spec, image: "mine:2" }, PAUSED);
  await once("proxy");
  cluster.putNode("core", { ...cluster.node("core").spec, image: "mine:2" });
  await once("core");
  expect(JSON.stringify(cluster.get("StatefulSet", "core"))).toContain('"image":"mine:2"');
});

test("is deleted as any other", async () => {
  cluster.putNode("proxy", cluster.node("proxy").spec, PAUSED);
  cluster.deleteNode("proxy");
  await once("proxy");
  cluster.objects.delete("Pod demo/proxy-0");
  await once("proxy");
  expect(cluster.get("Node", "proxy")).toBeUndefined();
});
