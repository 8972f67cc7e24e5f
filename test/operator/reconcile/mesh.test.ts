/** Peers in memory: from the plan to what nodes are told. */
import { expect, test } from "@jest/globals";
import { ControlError } from "../../../operator/control/error.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { reconcileUnreadable } from "../../../operator/reconcile/unreadable.ts";
import { type FakeCluster, idOf } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
  cluster.putRunning("core", []);
  cluster.putRunning("proxy", []);
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const url = (name: "core" | "proxy"): string => `kni://${idOf(name).slice(0, 8)}`;

test("a node is told whom to keep once it is in the status, and what the status says becomes true", async () => {
  await once("core");
  await once("proxy");
  expect([cluster.calls, cluster.node("proxy").status.members?.[0]?.mesh?.length]).toEqual([[], 1]);
  await once("proxy");
  expect(cluster.calls).toEqual([`proxy admin_addPeer ${url("core")}`]);
  expect(cluster.conditions("proxy")).toContain("PeersReady False PeersMissing");
  expect(cluster.conditions("proxy")).toContain("Ready False NoPeers");
  expect(cluster.conditions("proxy")).toContain("Available True ReplicasReady");
  cluster.putRunning("proxy", ["core"]);
  await once("proxy");
  expect(cluster.calls).toHaveLength(1);
  expect(cluster.conditions("proxy")).toContain("PeersReady True Connected");
  expect(cluster.conditions("proxy")).toContain("Ready True Ready");
  cluster.objects.delete("Node demo/core");
  await once("proxy");
  expect(cluster.calls.at(-1)).toBe(`proxy admin_removePeer ${url("core")}`);
  expect(cluster.node("proxy").status.members?.[0]?.mesh).toEqual([]);
});

test("a node that started anew is told at once, one that only waits for its peer is not", async () => {
  for (const name of ["core", "proxy", "proxy", "proxy"]) await once(name);
  expect(cluster.calls).toHaveLength(1);
  cluster.putPod("proxy", { uid: "another" });
  await once("proxy");
  expect(cluster.calls).toEqual(Array(2).fill(`proxy admin_addPeer ${url("core")}`));
});

test("a peer that could not be told is told the next time, and the reason names the hop", async () => {
  for (const name of ["core", "proxy"]) await once(name);
  cluster.answer = () => {
    throw new ControlError("socket", "nobody listens");
  };
  await once("proxy");
  expect(cluster.node("proxy").status.members?.[0]).toMatchObject({ reason: "NodeSocketClosed" });
  cluster.answer = () => true;
  await once("proxy");
  expect(cluster.calls).toHaveLength(2);
});

test("a node without a peer is neither ready nor synced, unless it is a sole validator", async () => {
  cluster.objects.delete("Node demo/core");
  await once("proxy");
  expect(cluster.conditions("proxy")).toEqual(
    expect.arrayContaining([
      "Ready False NoPeers",
      "Available True ReplicasReady",
      "PeersReady False NoPeers",
      "Synced False Isolated",
    ]),
  );
  cluster.putRunning("core", []);
  cluster.objects.delete("Node demo/proxy");
  await once("core");
  expect(cluster.conditions("core")).toEqual(
    expect.arrayContaining(["Ready True Ready", "PeersReady True Connected", "Synced True Level"]),
  );
});

test("the reasons of the node's own readiness reach the status", async () => {
  cluster.putRunning("proxy", ["core"]);
  cluster.putPod("proxy", { ready: false });
  cluster.tell("proxy", { reasons: ["too-few-peers", "disk-low"], disk: { sizeBytes: 1e9, freeBytes: 1e8 } });
  const metadata = { name: "proxy-data", namespace: "demo" };
  const claimed = { phase: "Bound", capacity: { storage: "1G" } };
  await once("proxy");
  cluster.put({
    ...cluster.get("PersistentVolumeClaim", "proxy-data"),
    metadata,
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    status: claimed,
  });
  await once("proxy");
  expect(cluster.node("proxy").status.conditions?.[0]).toMatchObject({
    reason: "NodeNotReady",
    message: "the node reports too-few-peers, disk-low",
  });
  expect(cluster.conditions("proxy")).toContain("StorageHealthy False Full");
});

const unread = () => reconcileUnreadable(deps.cache.find("node", "demo/core"), deps);

test("a Node that this version cannot read keeps its peers, and says so", async () => {
  for (const name of ["core", "proxy", "proxy"]) await once(name);
  cluster.putRunning("proxy", ["core"]);
  const { spec } = cluster.node("core");
  cluster.putNode("core", { ...spec, replicas: "one" });
  const before = cluster.calls.length;
  await once("proxy");
  expect(cluster.calls).toHaveLength(before);
  expect(cluster.node("proxy").status.members?.[0]?.mesh).toHaveLength(1);
  await unread();
  cluster.putNode("core", { ...spec, replicas: 1 });
  const { conditions, members } = cluster.node("core").status;
  expect(conditions?.[0]).toMatchObject({
    reason: "Unreadable",
    message: expect.stringContaining("replicas"),
  });
  expect([conditions?.length, members?.length]).toEqual([8, 1]);
  expect(cluster.events.at(-1)).toContain("core Unreadable");
});

test("the status of a Node that cannot be read is written once", async () => {
  cluster.putNode("core", { ...cluster.node("core").spec, replicas: "one" });
  await unread();
  const { length } = cluster.writes;
  await unread();
  expect(cluster.writes).toHaveLength(length);
});

test("a node's peers are in its settings volume as well, where it finds them without an operator", async () => {
  const staticNodes = (): readonly string[] => {
    const { data } = cluster.get("ConfigMap", "proxy-settings") as { data?: Record<string, string> };
    expect(data?.["knit.yaml"]).toContain('"p2p.static-nodes-file": "/etc/knit/static-nodes.json"');
    return (JSON.parse(data?.["static-nodes.json"] ?? "") as string[]).map((each) => each.slice(0, 14));
  };
  await once("core");
  await once("proxy");
  expect(staticNodes()).toEqual([url("core").slice(0, 14)]);
  const template = () => JSON.stringify(cluster.get("StatefulSet", "proxy")?.["spec"]);
  const before = template();
  cluster.objects.delete("Node demo/core");
  await once("proxy");
  expect(staticNodes()).toEqual([]);
  expect(template()).toBe(before);
});
