/** Identities in memory: keys, genesis and volumes that are lost or changed are asked for, and heal when they come back. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { readMeta } from "../../../operator/api/resource.ts";
import { genesisRecord } from "../../../operator/build/genesis-record.ts";
import { identityOf } from "../../../operator/build/identity.ts";
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
const dataOf = (kind: string, name: string): string => JSON.stringify(cluster.get(kind, name)?.["data"]);
const specOf = (name: string): { readonly replicas?: number; readonly template?: object } | undefined =>
  cluster.get("StatefulSet", name)?.["spec"] as never;
const replicasOf = (name: string): unknown => specOf(name)?.replicas;
const template = (name: string): string => JSON.stringify(specOf(name)?.template);
const reasonOf = (): string | undefined => cluster.network().status.conditions?.[0]?.reason;

/** Puts the Node there again with an annotation. */
function allow(name: string, permission: string, value: string): void {
  const { spec } = cluster.node(name);
  cluster.putNode(name, spec, { [`knit.dev/allow-new-${permission}`]: value });
}

/** Deletes an object, which the operator sees. */
function remove(kind: string, name: string): void {
  const object = cluster.get(kind, name);
  cluster.objects.delete(`${kind} demo/${name}`);
  if (object !== undefined) deps.applier.forget(kind, { meta: readMeta(object), object });
}

/** A person puts an object back from a copy. */
const restore = (object: Stored): void => cluster.put(object, "kubectl");

/** An object as somebody may keep it. */
function copyOf(kind: string, name: string): Stored {
  const object = cluster.objects.get(`${kind} demo/${name}`) as Stored | undefined;
  if (object === undefined) throw new Error(`no ${kind} ${name}`);
  return object;
}

/** The pod runs, and the node tells of the key that it has. */
function run(name: string, height = 5): void {
  const secret = cluster.get("Secret", `${name}-nodekey`) as { data: { nodekey: string } };
  const id = identityOf(Buffer.from(secret.data.nodekey, "base64").toString())?.id ?? "";
  cluster.putRunning("core", []);
  const reported = cluster.observations.get("demo/core");
  cluster.objects.delete("Secret demo/core-own");
  cluster.putNode("core", CORE);
  if (reported?.ok !== true) throw new Error("core-0 does not answer");
  cluster.observations.delete("demo/core");
  cluster.observations.set(`demo/${name}`, { ...reported, id, height });
}

/** Binds the claim of the core node to a volume. */
function bind(volumeName: string, manager?: string): void {
  const claim = cluster.get("PersistentVolumeClaim", "core-data");
  const metadata = { name: "core-data", namespace: "demo" };
  const spec = { ...(claim?.["spec"] as object | undefined), volumeName };
  const status = { phase: "Bound", capacity: { storage: "100Gi" } };
  cluster.put({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec, status }, manager);
}

/** A network of one core node that made blocks. */
async function aChain(): Promise<void> {
  cluster.putNode("core", CORE);
  await once("core", "net", "core");
  const genesis = cluster.objects.get("ConfigMap demo/net-genesis");
  run("core");
  if (genesis !== undefined) cluster.objects.set("ConfigMap demo/net-genesis", genesis);
  bind("pv-1");
  await once("core", "net", "core");
  expect(cluster.conditions("core")[0]).toBe("Ready True Ready");
  cluster.writes.length = 0;
  cluster.events.length = 0;
}

describe("a validator's key", () => {
  beforeEach(aChain);

  test("is not replaced when its Secret is deleted: nothing is made or rolled, and the old one heals it", async () => {
    const secret = copyOf("Secret", "core-nodekey");
    const [address, before] = [addressOf("core"), template("core")];
    remove("Secret", "core-nodekey");
    await once("core", "core");
    expect(cluster.conditions("core").slice(0, 2)).toEqual([
      "Ready False NodeKeyLost",
      "Available True ReplicasReady",
    ]);
    expect(degradedReason("core")).toBe("Degraded True NodeKeyLost");
    expect(cluster.get("Secret", "core-nodekey")).toBeUndefined();
    expect([addressOf("core"), template("core"), replicasOf("core")]).toEqual([address, before, 1]);
    expect(cluster.writes.filter((each) => each !== "status core")).toEqual([]);
    expect(cluster.events[0]).toMatch(/^core NodeKeyLost: the Secret core-nodekey with the key of 0x/);
    restore(secret);
    await once("core");
    expect([cluster.conditions("core")[0], degradedReason("core")]).toEqual([
      "Ready True Ready",
      "Degraded False AsExpected",
    ]);
  });

  test("is not followed when its Secret holds another one: no pod begins with that", async () => {
    const secret = copyOf("Secret", "core-nodekey");
    const address = addressOf("core");
    cluster.putSecret("core-nodekey", { nodekey: "7".repeat(64) });
    await once("core");
    expect(degradedReason("core")).toBe("Degraded True NodeKeyChanged");
    expect([addressOf("core"), replicasOf("core")]).toEqual([address, 1]);
    cluster.objects.delete("Pod demo/core-0"); // a drain
    await once("core");
    expect([addressOf("core"), replicasOf("core")]).toEqual([address, 0]);
    restore(secret);
    cluster.putPod("core");
    await once("core");
    expect([cluster.conditions("core")[0], replicasOf("core")]).toEqual(["Ready True Ready", 1]);
  });

  test("is read again by a pod that started while its Secret held another one", async () => {
    const { id } = identityOf("7".repeat(64)) ?? { id: "" };
    cluster.putPod("core", { address: addressOf("core") ?? "" });
    cluster.tell("core", { id });
    await once("core");
    expect([degradedReason("core"), replicasOf("core")]).toEqual(["Degraded True NodeKeyChanged", 0]);
    cluster.objects.delete("Pod demo/core-0");
    await once("core");
    expect([degradedReason("core"), replicasOf("core")]).toEqual(["Degraded False AsExpected", 1]);
  });

  test("is given up for a new one once, when that is allowed", async () => {
    const address = addressOf("core");
    cluster.objects.delete("Secret demo/core-nodekey");
    allow("core", "key", "true");
    await once("core");
    const second = addressOf("core");
    expect(second).not.toBe(address);
    expect(cluster.node("core").status.allowed).toEqual({ newKey: "true", newChain: undefined });
    cluster.objects.delete("Secret demo/core-nodekey");
    await once("core");
    expect([degradedReason("core"), addressOf("core")]).toEqual(["Degraded True NodeKeyLost", second]);
    allow("core", "key", "again");
    await once("core");
    expect(addressOf("core")).not.toBe(second);
  });

  test("cannot be given up ahead: a permission that came when all was well counts no more", async () => {
    allow("core", "key", "true");
    await once("core");
    cluster.objects.delete("Secret demo/core-nodekey");
    await once("core");
    expect(degradedReason("core")).toBe("Degraded True NodeKeyLost");
  });

  test("is known to its Network when its Node is made again without it", async () => {
    cluster.objects.delete("Node demo/core");
    cluster.objects.delete("Secret demo/core-nodekey");
    cluster.putNode("core", CORE);
    await once("core");
    expect(degradedReason("core")).toBe("Degraded True NodeKeyLost");
    expect(cluster.get("Secret", "core-nodekey")).toBeUndefined();
  });

  test("is another one by the spec too: a Secret with another key is not taken", async () => {
    cluster.putSecret("other", { nodekey: "7".repeat(64) });
    cluster.putNode("core", { ...CORE, nodeKeySecret: { name: "other" } });
    const before = template("core");
    await once("core");
    expect([degradedReason("core"), template("core")]).toEqual(["Degraded True NodeKeyChanged", before]);
    cluster.putNode("core", { ...CORE, nodeKeySecret: { name: "none" } });
    await once("core");
    expect(degradedReason("core")).toBe("Degraded True NodeKeyLost");
  });
});

describe("a genesis", () => {
  beforeEach(aChain);

  test("that was made here and is deleted is made again byte for byte", async () => {
    const before = dataOf("ConfigMap", "net-genesis");
    cluster.objects.delete("ConfigMap demo/net-genesis");
    cluster.now += 86_400_000;
    await once("core", "net", "core");
    expect(dataOf("ConfigMap", "net-genesis")).toBe(before);
    expect(cluster.events).toEqual([
      "net GenesisRebuilt: created the ConfigMap net-genesis with 1 validators",
    ]);
    expect(degradedReason("core")).toBe("Degraded False AsExpected");
  });

  test("that is another one stops its Nodes where they are, and the old one heals them", async () => {
    const genesis = copyOf("ConfigMap", "net-genesis");
    cluster.putGenesis(); // {}
    await once("net", "core");
    expect([reasonOf(), degradedReason("core")]).toEqual(["GenesisLost", "Degraded True GenesisLost"]);
    expect(cluster.conditions("core")).toContain("Available True ReplicasReady");
    expect(cluster.events[0]).toContain(
      "net GenesisLost: the ConfigMap net-genesis contains another genesis",
    );
    restore(genesis);
    await once("net", "core");
    expect(cluster.conditions("core")[0]).toBe("Ready True Ready");
  });

  test("is not made anew for a Network that is made again, whose Nodes have one", async () => {
    cluster.objects.delete("ConfigMap demo/net-genesis");
    cluster.objects.delete("Network demo/net");
    cluster.putNetwork(NETWORK);
    await once("net");
    expect([reasonOf(), cluster.get("ConfigMap", "net-genesis")]).toEqual(["GenesisLost", undefined]);
  });

  test("is recorded by its hash: a node that tells another one is stopped where it is", async () => {
    const other = `0x${"cd".repeat(32)}`;
    cluster.tell("core", { genesis: other });
    await once("net", "core");
    expect(cluster.network().status.genesisHash).toBe(`0x${"ab".repeat(32)}`);
    expect([reasonOf(), degradedReason("core")]).toEqual(["GenesisDiffers", "Degraded True GenesisLost"]);
  });
});

const claim = (): unknown => cluster.get("PersistentVolumeClaim", "core-data");

/** The core node's claim and pod are gone. */
function lose(): void {
  remove("PersistentVolumeClaim", "core-data");
  cluster.objects.delete("Pod demo/core-0");
  cluster.observations.clear();
}

/** The minimum height that the node finds beside its settings. */
const minHeight = (): unknown => (copyOf("ConfigMap", "core-settings")["data"] as never)["min-height"];

describe("a volume with the chain", () => {
  beforeEach(aChain);

  test("that a sole validator lost is asked for: no claim, no pod, and the old volume heals it", async () => {
    lose();
    await once("core", "core");
    expect([degradedReason("core"), claim(), replicasOf("core")]).toEqual([
      "Degraded True ChainLost",
      undefined,
      0,
    ]);
    bind("pv-2"); // somebody's, and empty for all that is known
    await once("core");
    expect([degradedReason("core"), replicasOf("core")]).toEqual(["Degraded True ChainLost", 0]);
    remove("PersistentVolumeClaim", "core-data");
    bind("pv-1", "kubectl");
    await once("core");
    expect([degradedReason("core"), replicasOf("core")]).toEqual(["Degraded False AsExpected", 1]);
  });

  test("that was emptied in place makes its node wait for the chain, unless a new one is allowed", async () => {
    await once("core");
    expect(minHeight()).toBe("1\n");
    const seen = cluster.observations.get("demo/core");
    if (seen?.ok === true) cluster.observations.set("demo/core", { ...seen, height: 0 });
    await once("core", "core");
    expect(minHeight()).toBe("1\n");
    allow("core", "chain", "true");
    await once("core", "core", "core");
    expect(minHeight()).toBeUndefined();
  });

  test("may be an empty one when that is allowed, once", async () => {
    lose();
    allow("core", "chain", "true");
    await once("core");
    expect([degradedReason("core"), replicasOf("core")]).toEqual(["Degraded False AsExpected", 1]);
    expect(claim()).toBeDefined();
    lose();
    await once("core");
    expect(degradedReason("core")).toBe("Degraded True ChainLost");
  });

  test("is not written while its claim is being deleted: an apply after its end would make an empty one", async () => {
    const metadata = { name: "core-data", namespace: "demo", deletionTimestamp: "2026-01-01T00:00:00Z" };
    cluster.put({ ...copyOf("PersistentVolumeClaim", "core-data"), metadata });
    cluster.putNode("core", { ...CORE, storage: { size: "200Gi" } });
    await once("core");
    expect(cluster.writes.filter((each) => each.includes("PersistentVolumeClaim"))).toEqual([]);
  });

  test("is missed by a Node that is made again too", async () => {
    lose();
    cluster.objects.delete("Node demo/core");
    cluster.putNode("core", CORE);
    await once("core");
    expect([degradedReason("core"), claim()]).toEqual(["Degraded True ChainLost", undefined]);
  });

  test("is asked for when the only other validator loses it: its Node is new, its claim goes, or its node has no block", async () => {
    const address = `0x${"ef".repeat(20)}`;
    const { status } = cluster.network();
    const genesis = { ...status.genesis, validators: [addressOf("core"), address] };
    const validators = [...(status.validators ?? []), { name: "other", address }];
    cluster.put({ ...copyOf("Network", "net"), status: { ...status, genesis, validators } });
    cluster.putNode("other", CORE);
    const reported = cluster.observations.get("demo/core");
    const volume = { ...copyOf("PersistentVolumeClaim", "core-data"), spec: { volumeName: "pv-9" } };
    lose();
    await once("core");
    expect([degradedReason("core"), claim()]).toEqual(["Degraded True ChainLost", undefined]);
    const members = [{ name: "other", ready: true, height: 9, volume: "pv-9", address }];
    cluster.put({ ...copyOf("Node", "other"), status: { members } });
    const other = (leaving: object): void =>
      cluster.put({ ...volume, metadata: { name: "other-data", namespace: "demo", ...leaving } });
    other({ deletionTimestamp: "2026-01-01T00:00:00Z" });
    await once("core");
    expect(claim()).toBeUndefined();
    other({});
    if (reported?.ok === true) cluster.observations.set("demo/other", { ...reported, height: 0 }); // emptied in place
    await once("core");
    expect(claim()).toBeUndefined();
    cluster.observations.delete("demo/other");
    const { get } = deps.client;
    const gone = new Set(["other-data"]); // and not seen to be yet
    deps.client.get = async (kind, place) => (gone.delete(place.name) ? undefined : get(kind, place));
    await once("core");
    expect(claim()).toBeUndefined();
    await once("core");
    expect(claim()).toBeDefined();
  });

  test.each<[string, object, boolean]>([
    [
      "the validators of a created genesis",
      { create: { ...NETWORK.genesis.create, consensus: { committeeSize: 1 } } },
      true,
    ],
    ["the validators of a file", { configMap: { name: "own" } }, true],
    ["a file that is missing", { configMap: { name: "none" } }, true],
    ["both validators", NETWORK.genesis, false],
  ])(
    "is asked for when another validator keeps it, but %s agree one by one on a block",
    async (_who, genesis, asks) => {
      const address = `0x${"ef".repeat(20)}`;
      const { status } = cluster.network();
      const recorded = { ...status.genesis, validators: [addressOf("core"), address] };
      const metadata = { name: "own", namespace: "demo" };
      const data = { "genesis.json": '{"config":{"istanbul":{"sub":1}}}' };
      cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, "kubectl");
      cluster.put({
        ...copyOf("Network", "net"),
        spec: { genesis },
        status: { ...status, genesis: recorded },
      });
      cluster.putNode("other", CORE);
      const members = [{ name: "other", ready: true, height: 9, volume: "pv-9", address }];
      cluster.put({ ...copyOf("Node", "other"), status: { members } });
      const volume = { ...copyOf("PersistentVolumeClaim", "core-data"), spec: { volumeName: "pv-9" } };
      cluster.put({ ...volume, metadata: { name: "other-data", namespace: "demo" } });
      lose();
      await once("core");
      expect([degradedReason("core") === "Degraded True ChainLost", claim() === undefined]).toEqual([
        asks,
        asks,
      ]);
    },
  );

  test("is asked for by all validators whose Nodes are created again in one moment, with keys that people keep", async () => {
    const keys = "2345".split("").map((digit) => digit.repeat(64));
    const names = keys.map((_key, index) => `validator${index}`);
    const text = '{"config":{}}';
    const validators = keys.map((key) => identityOf(key)?.address ?? "");
    const genesis = { ...genesisRecord(text, false), validators };
    const metadata = { name: "own", namespace: "demo" };
    const data = { "genesis.json": text };
    cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, "kubectl");
    const spec = { genesis: { configMap: { name: "own" } } };
    cluster.put({ ...copyOf("Network", "net"), spec, status: { genesis, height: 9 } });
    for (const [index, name] of names.entries()) {
      cluster.putSecret(`${name}-own`, { nodekey: keys[index] ?? "" });
      cluster.putNode(name, { ...CORE, nodeKeySecret: { name: `${name}-own` } });
    }
    await Promise.all(names.map((name) => once(name)));
    expect(
      names.map((name) => [degradedReason(name), cluster.get("PersistentVolumeClaim", `${name}-data`)]),
    ).toEqual(names.map(() => ["Degraded True ChainLost", undefined]));
  });

  test("is missed by another Node with its key while no Network has its height", async () => {
    const { height: _height, ...status } = cluster.network().status;
    cluster.put({ ...copyOf("Network", "net"), status });
    cluster.objects.delete("Pod demo/core-0");
    remove("StatefulSet", "core");
    cluster.observations.clear();
    cluster.deleteNode("core", "orphan");
    cluster.putNode("twin", { ...CORE, nodeKeySecret: { name: "core-nodekey" } });
    deps = cluster.deps(); // another operator
    await once("twin", "twin");
    expect([degradedReason("twin"), cluster.get("PersistentVolumeClaim", "twin-data")]).toEqual([
      "Degraded True ChainLost",
      undefined,
    ]);
  });

  test("of a standby core node is replaced by an empty one", async () => {
    cluster.putNode("standby", CORE);
    await once("standby");
    const metadata = { name: "standby", namespace: "demo" };
    const members = [
      { name: "standby", ready: true, height: 9, volume: "pv-9", address: addressOf("standby") },
    ];
    const node = cluster.objects.get("Node demo/standby");
    cluster.put({ apiVersion: "knit.dev/v1alpha1", kind: "Node", ...node, metadata, status: { members } });
    remove("PersistentVolumeClaim", "standby-data");
    await once("standby");
    expect(cluster.get("PersistentVolumeClaim", "standby-data")).toBeDefined();
    expect(cluster.events.at(-1)).toContain("standby VolumeReplaced");
  });
});
