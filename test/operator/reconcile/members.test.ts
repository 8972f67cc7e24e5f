/** Replicas in memory: each a node of its own, those that are no longer asked for go, and what is shared is shared. */
import { describe, expect, test } from "@jest/globals";
import { identityOf } from "../../../operator/build/identity.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { type FakeCluster, NETWORK } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  cluster.putGenesis();
  deps = cluster.deps();
});

const once = (): Promise<number> => reconcile(cluster.node("reader"), deps);

/** Reconciles a Node of this spec and gives what there is then of some kinds. */
async function createdKinds(spec: object, ...kinds: string[]): Promise<readonly string[]> {
  cluster.putNode("reader", { type: "endpoint", ...spec });
  await once();
  const keys = [...cluster.objects.keys()].map((key) => key.replace(" demo/", " "));
  return keys.filter((key) => kinds.some((kind) => key.startsWith(`${kind} `))).sort();
}

test("each replica has an address of its own in the status, and its own objects", async () => {
  const sets = await createdKinds({ replicas: 3 }, "StatefulSet", "PersistentVolumeClaim");
  expect(sets).toEqual([
    "PersistentVolumeClaim reader-data",
    "PersistentVolumeClaim reader-m1-data",
    "PersistentVolumeClaim reader-m2-data",
    "StatefulSet reader",
    "StatefulSet reader-m1",
    "StatefulSet reader-m2",
  ]);
  const { members = [] } = cluster.node("reader").status;
  expect(members.map(({ name }) => name)).toEqual(["reader", "reader-m1", "reader-m2"]);
  expect(new Set(members.map(({ address }) => address)).size).toBe(3);
});

test("the peers of a Node are those of the replica with the fewest, and no sum", async () => {
  await createdKinds({ replicas: 2 });
  for (const [name, count] of [
    ["reader", 3],
    ["reader-m1", 1],
  ] as const) {
    const { data } = cluster.get("Secret", `${name}-nodekey`) as { data: { nodekey: string } };
    const id = identityOf(Buffer.from(data.nodekey, "base64").toString())?.id ?? "";
    cluster.putRunning("endpoint", []);
    const report = cluster.observations.get("demo/endpoint");
    if (report?.ok !== true) throw new Error("the endpoint does not answer");
    cluster.putPod(name);
    const peers = new Set(Array.from({ length: count }, (_, place) => `${place}`));
    cluster.observations.set(`demo/${name}`, { ...report, id, peers });
  }
  await once();
  const { peers, members = [] } = cluster.node("reader").status;
  expect([peers, members.map((each) => each.peers)]).toEqual([1, [3, 1]]);
});

test("replicas that are no longer asked for go, their volumes and keys stay, and serve again", async () => {
  await createdKinds({ replicas: 3, whenDeleted: "Delete" });
  const key = JSON.stringify(cluster.get("Secret", "reader-m2-nodekey")?.["data"]);
  await createdKinds({ replicas: 1, whenDeleted: "Delete" });
  const left = await createdKinds(
    { replicas: 1, whenDeleted: "Delete" },
    "StatefulSet",
    "Service",
    "Secret",
    "ConfigMap",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
  );
  expect(left).toEqual([
    "ConfigMap net-genesis",
    "ConfigMap reader-settings",
    "PersistentVolumeClaim reader-data",
    "PersistentVolumeClaim reader-m1-data",
    "PersistentVolumeClaim reader-m2-data",
    "Secret reader-gateway",
    "Secret reader-m1-nodekey",
    "Secret reader-m2-nodekey",
    "Secret reader-nodekey",
    "Service reader",
    "Service reader-members",
    "Service reader-peer",
    "StatefulSet reader",
  ]);
  await createdKinds({ replicas: 3, whenDeleted: "Delete" });
  expect(JSON.stringify(cluster.get("Secret", "reader-m2-nodekey")?.["data"])).toBe(key);
});

const ownersOf = (claim: string): unknown => cluster.get("PersistentVolumeClaim", claim)?.["metadata"];

test("volumes of replicas that are no longer asked for go with their StatefulSets where the spec says so", async () => {
  const storage = { whenScaled: "Delete" };
  await createdKinds({ replicas: 3, storage });
  cluster.putPod("reader-m2");
  const sizeBefore = JSON.stringify(cluster.get("PersistentVolumeClaim", "reader-m2-data")?.["spec"]);
  await createdKinds({ replicas: 2, storage });
  expect(ownersOf("reader-m2-data")).toMatchObject({
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "StatefulSet", name: "reader-m2", uid: "uid-reader-m2" },
    ],
  });
  expect(JSON.stringify(cluster.get("PersistentVolumeClaim", "reader-m2-data")?.["spec"])).toBe(sizeBefore);
  expect(cluster.writes).toContain("delete StatefulSet reader-m2");
  for (const claim of ["reader-data", "reader-m1-data"])
    expect(ownersOf(claim)).not.toHaveProperty("ownerReferences");
  expect(cluster.get("Secret", "reader-m2-nodekey")).toBeDefined();
  await createdKinds({ replicas: 3, storage }); // back before the garbage collector has come
  expect(ownersOf("reader-m2-data")).not.toHaveProperty("ownerReferences");
});

test("a volume whose deletion was begun stays when the spec retains it before its StatefulSet has gone", async () => {
  const storage = { whenScaled: "Delete" };
  await createdKinds({ replicas: 2, storage });
  cluster.onRemove = (kind) => {
    if (kind === "StatefulSet") throw new KubeError("unreachable", "the API server is away");
  };
  cluster.putNode("reader", { type: "endpoint", replicas: 1, storage });
  await expect(once()).rejects.toThrow("the API server is away");
  expect(ownersOf("reader-m1-data")).toHaveProperty("ownerReferences");
  cluster.onRemove = () => undefined;
  await createdKinds({ replicas: 1 });
  expect(cluster.get("StatefulSet", "reader-m1")).toBeUndefined();
  expect(ownersOf("reader-m1-data")).not.toHaveProperty("ownerReferences");
});

test("a volume that a replica left behind under another spec stays", async () => {
  await createdKinds({ replicas: 2 });
  await createdKinds({ replicas: 1 });
  const { length } = cluster.writes;
  await createdKinds({ replicas: 1, storage: { whenScaled: "Delete" } });
  expect(cluster.writes.slice(length).filter((write) => write.includes("PersistentVolumeClaim"))).toEqual([]);
  expect(ownersOf("reader-m1-data")).not.toHaveProperty("ownerReferences");
});

test("no default of the Network deletes the volumes of replicas, also one that an earlier release has stored", async () => {
  const defaults = { storage: { size: "20Gi", whenScaled: "Delete" } };
  cluster.putNetwork({ ...NETWORK, defaults });
  for (const storage of [{ whenScaled: "Retain" }, {}]) {
    await createdKinds({ replicas: 2, storage });
    await createdKinds({ replicas: 1, storage });
    expect(cluster.get("StatefulSet", "reader-m1")).toBeUndefined();
    expect(ownersOf("reader-m1-data")).not.toHaveProperty("ownerReferences");
    expect(JSON.stringify(cluster.get("PersistentVolumeClaim", "reader-m1-data"))).toContain("20Gi");
  }
});

test("a claim that is bound to its StatefulSet keeps its class and its access modes", async () => {
  const storage = { whenScaled: "Delete" };
  await createdKinds({ replicas: 2, storage });
  const key = "PersistentVolumeClaim demo/reader-m1-data";
  const claim = cluster.objects.get(key);
  const fixed = { accessModes: ["ReadWriteOncePod"], storageClassName: "restored" };
  if (claim !== undefined)
    cluster.objects.set(key, { ...claim, spec: { ...(claim["spec"] as object), ...fixed } });
  await createdKinds({ replicas: 1, storage });
  expect(ownersOf("reader-m1-data")).toMatchObject({ ownerReferences: [{ kind: "StatefulSet" }] });
  expect(cluster.get("PersistentVolumeClaim", "reader-m1-data")?.["spec"]).toMatchObject(fixed);
});

test("a StatefulSet stays while its claim cannot be bound to it", async () => {
  const storage = { whenScaled: "Delete" };
  await createdKinds({ replicas: 2, storage });
  cluster.onWrite = (kind) => {
    if (kind === "PersistentVolumeClaim") throw new KubeError("forbidden", "a webhook refuses it");
  };
  cluster.putNode("reader", { type: "endpoint", replicas: 1, storage });
  await expect(once()).rejects.toThrow("a webhook refuses it");
  expect(cluster.get("StatefulSet", "reader-m1")).toBeDefined();
});

test("of replicas that are no longer asked for one goes at a time, the last one first", async () => {
  await createdKinds({ replicas: 5 });
  for (const place of [1, 2, 3, 4]) cluster.putPod(`reader-m${place}`);
  const sets = (): Promise<readonly string[]> => createdKinds({ replicas: 2 }, "StatefulSet");
  const first = ["StatefulSet reader", "StatefulSet reader-m1"];
  expect(await sets()).toEqual([...first, "StatefulSet reader-m2", "StatefulSet reader-m3"]);
  expect(await sets()).toEqual([...first, "StatefulSet reader-m2", "StatefulSet reader-m3"]); // its pod has not ended
  cluster.objects.delete("Pod demo/reader-m4-0");
  expect(await sets()).toEqual([...first, "StatefulSet reader-m2"]);
  cluster.objects.delete("Pod demo/reader-m3-0");
  expect(await sets()).toEqual(first);
});

test("what the spec no longer asks for goes: RPC, the way from outside, the monitor", async () => {
  cluster.servesMonitors = true;
  const p2p = { external: "LoadBalancer" };
  const before = await createdKinds({ p2p }, "Service", "ServiceMonitor");
  expect(before).toEqual(
    expect.arrayContaining(["Service reader", "Service reader-external", "ServiceMonitor reader"]),
  );
  const spec = { api: { http: { enabled: false } }, monitoring: { serviceMonitor: false } };
  expect(await createdKinds(spec, "Service", "ServiceMonitor")).toEqual([
    "Service reader-members",
    "Service reader-peer",
  ]);
});

test("an object of such a name that is another's stays", async () => {
  const metadata = { name: "reader-m1-peer", namespace: "demo" };
  cluster.put({ apiVersion: "v1", kind: "Service", metadata, spec: {} }, "kubectl");
  expect(await createdKinds({}, "Service")).toContain("Service reader-m1-peer");
});

test("without the kind ServiceMonitor none is written, and when it comes one is", async () => {
  expect(await createdKinds({}, "ServiceMonitor")).toEqual([]);
  cluster.servesMonitors = true;
  await once();
  expect(cluster.get("ServiceMonitor", "reader")).toBeDefined();
});

const ROUTE = { hosts: ["rpc.example"], wsHost: "ws.example", parents: [{ name: "public" }] };
const EXPOSED = {
  api: { ws: { enabled: true } },
  ingress: { hosts: ["rpc.example"] },
  route: ROUTE,
};

const ways = (spec: object) => createdKinds(spec, "Ingress", "HTTPRoute");

test("an Ingress and routes come with their fields and go with them", async () => {
  cluster.servesRoutes = true;
  expect(await ways(EXPOSED)).toEqual(["HTTPRoute reader", "HTTPRoute reader.ws", "Ingress reader"]);
  const { wsHost: _wsHost, ...route } = ROUTE;
  expect(await ways({ ...EXPOSED, route })).toEqual(["HTTPRoute reader", "Ingress reader"]);
  expect(await ways({})).toEqual([]);
});

test("without the kind HTTPRoute a Node with a route says so, and goes on", async () => {
  await expect(createdKinds(EXPOSED)).rejects.toThrow("does not serve HTTPRoute");
  for (const [kind, isThere] of [
    ["Ingress", true],
    ["StatefulSet", true],
    ["HTTPRoute", false],
  ] as const)
    expect([kind, cluster.get(kind, "reader") !== undefined]).toEqual([kind, isThere]);
  const refused = cluster.node("reader").status.conditions?.find(({ type }) => type === "Degraded");
  expect([refused?.status, refused?.message]).toEqual([
    "True",
    expect.stringContaining("the cluster does not serve HTTPRoute of gateway.networking.k8s.io/v1"),
  ]);
  cluster.servesRoutes = true;
  await once();
  expect(cluster.get("HTTPRoute", "reader")).toBeDefined();
  expect(cluster.conditions("reader").filter((line) => line.includes("ObjectRefused"))).toEqual([]);
});

describe("suspended", () => {
  test("a Node has no pods, and says that it is so", async () => {
    await createdKinds({ suspend: true });
    expect(cluster.get("StatefulSet", "reader")).toMatchObject({ spec: { replicas: 0 } });
    const { phase, conditions } = cluster.node("reader").status;
    expect([phase, conditions?.[0]?.reason]).toEqual(["Suspended", "Suspended"]);
  });
});

test("another release of the operator starts no pod anew, another spec does and brings all that is new", async () => {
  await createdKinds({});
  const template = (): string =>
    JSON.stringify((cluster.get("StatefulSet", "reader") as { spec: { template: object } }).spec.template);
  const before = template();
  const next = cluster.deps();
  deps = { ...next, settings: { ...next.settings, gatewayImage: "operator:2", nodeImage: "knit:2" } };
  await once();
  expect(template()).toBe(before);
  await createdKinds({ settings: { verbosity: "5" } });
  expect(template()).toContain('"image":"operator:2"');
  expect(template()).toContain('"image":"knit:2"');
});

/** Fills in the defaults of the API server, which are no drift. */
function fillService(more: object): void {
  Object.assign(cluster.get("Service", "reader-external") ?? {}, more);
}

describe("the way from outside", () => {
  test("is the balancer's address", async () => {
    const spec = { p2p: { external: "LoadBalancer" } };
    await createdKinds(spec);
    expect(cluster.node("reader").status.members?.[0]?.externalUrl).toBeUndefined();
    fillService({ status: { loadBalancer: { ingress: [{ ip: "9.8.7.6" }] } } });
    await once();
    const url = cluster.node("reader").status.members?.[0]?.externalUrl;
    expect(url).toMatch(/^kni:\/\/[0-9a-f]{128}@9\.8\.7\.6:32323\?discport=0&ntype=en$/);
  });

  test("is the machine's address and the port that was opened there", async () => {
    await createdKinds({ p2p: { external: "NodePort" } });
    fillService({ spec: { type: "NodePort", ports: [{ nodePort: 30_123 }] } });
    const status = { podIP: "10.0.0.1", hostIP: "192.168.7.1" };
    const metadata = { name: "reader-0", namespace: "demo" };
    cluster.put({ apiVersion: "v1", kind: "Pod", metadata, status });
    await once();
    const url = cluster.node("reader").status.members?.[0]?.externalUrl;
    expect(url).toMatch(/@192\.168\.7\.1:30123\?/);
  });

  test("with a host port: from the machine and the port for peers, without a Service", async () => {
    await createdKinds({ p2p: { external: "NodePort" } });
    const status = { podIP: "10.0.0.1", hostIP: "192.168.7.1" };
    cluster.put({ apiVersion: "v1", kind: "Pod", metadata: { name: "reader-0", namespace: "demo" }, status });
    cluster.putNode("reader", { ...cluster.node("reader").spec, p2p: { external: "HostPort" } });
    await once();
    expect(cluster.node("reader").status.members?.[0]?.externalUrl).toMatch(/@192\.168\.7\.1:32323\?/);
    expect(cluster.get("Service", "reader-external")).toBeUndefined();
  });
});

/** A container that ended and runs again. */
const terminatedState = (finishedAt: string, exitCode: number) => ({
  lastState: { terminated: { reason: "OOMKilled", exitCode, finishedAt } },
});

test("how a pod ended last is told, and stays told when the pod is replaced", async () => {
  await createdKinds({});
  const containerStatuses = [
    { name: "node", ...terminatedState("2026-01-01T00:00:02Z", 137) },
    { name: "other", ...terminatedState("2026-01-01T00:00:01Z", 1) },
  ];
  const metadata = { name: "reader-0", namespace: "demo" };
  cluster.put({ apiVersion: "v1", kind: "Pod", metadata, status: { containerStatuses } });
  await once();
  const reported = {
    container: "node",
    reason: "OOMKilled",
    exitCode: 137,
    finishedAt: "2026-01-01T00:00:02Z",
  };
  expect(cluster.node("reader").status.members?.[0]?.lastExit).toEqual(reported);
  cluster.objects.delete("Pod demo/reader-0");
  await once();
  expect(cluster.node("reader").status.members?.[0]?.lastExit).toEqual(reported);
});
