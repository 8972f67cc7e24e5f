/** Reconciling in memory: what is made, what is waited for, and what is told to nodes. */
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { identityOf } from "../../../operator/build/identity.ts";
import { type Credentials, createAuthority } from "../../../operator/control/authority.ts";
import { ControlError } from "../../../operator/control/error.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { Surroundings } from "../../../operator/reconcile/surroundings.ts";
import { FakeCluster } from "../../support/fake-cluster.ts";

let authority: Credentials;
let cluster: FakeCluster;
let around: Surroundings;

beforeAll(async () => {
  authority = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
});
beforeEach(() => {
  cluster = new FakeCluster(authority);
  around = cluster.surroundings();
});

function put(name: string, spec: object, annotations: Record<string, string> = {}): void {
  const metadata = { name, namespace: "demo", annotations };
  cluster.put({
    apiVersion: "knit.dev/v1alpha1",
    kind: "Node",
    metadata,
    spec: { network: { name: "net" }, ...spec },
  });
}

const CORE = { type: "core", network: { name: "net", genesis: { create: { chainId: 7 } } } };
const KEYS = { core: "1".repeat(64), proxy: "2".repeat(64), endpoint: "3".repeat(64) } as const;
type Name = keyof typeof KEYS;
const idOf = (name: Name): string => identityOf(KEYS[name])?.id ?? "";

function putSecret(name: string, data: Record<string, string>): void {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  cluster.put(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "demo" },
      data: Object.fromEntries(encoded),
    },
    "kubectl",
  );
}

/** A Node whose pod runs and whose knit answers. */
function putRunning(name: Name, peers: readonly Name[], annotations: Record<string, string> = {}): void {
  putSecret(`${name}-own`, { nodekey: KEYS[name] });
  put(
    name,
    { ...(name === "core" ? CORE : { type: name }), nodeKeySecret: { name: `${name}-own` } },
    annotations,
  );
  const status = { podIP: "10.0.0.1", conditions: [{ type: "Ready", status: "True" }] };
  cluster.put({ apiVersion: "v1", kind: "Pod", metadata: { name: `${name}-0`, namespace: "demo" }, status });
  cluster.observations.set(`demo/${name}`, {
    ok: true,
    at: cluster.now,
    address: "10.0.0.1",
    id: idOf(name),
    version: "Knit",
    height: 5,
    syncing: false,
    peers: new Set(peers.map(idOf)),
  });
}

/** An event without its message. */
const reasonOf = (text: string): string => text.split(":")[0] ?? "";

const once = (name: string): Promise<number> => reconcile(cluster.node(name), around);
const conditions = (name: string): readonly string[] =>
  (cluster.node(name).status.conditions ?? []).map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  );

describe("a new core node", () => {
  beforeEach(async () => {
    put("core", CORE);
    await once("core");
  });

  test("gets a key, a genesis with its address, a certificate and its objects, and waits for its pod", () => {
    expect(cluster.writes).toEqual([
      "create Secret core-nodekey",
      "create ConfigMap net-genesis",
      "apply Secret core-gateway",
      "apply ConfigMap core-settings",
      "apply PersistentVolumeClaim core-data",
      "apply Service core-peer",
      "apply Service core",
      "apply NetworkPolicy core",
      "apply StatefulSet core",
      "status core",
    ]);
    expect(conditions("core")).toEqual(["Ready False PodMissing", "Meshed Unknown NotAsked"]);
    const { address = "none" } = cluster.node("core").status;
    expect(JSON.stringify(cluster.get("ConfigMap", "net-genesis"))).toContain(address.slice(2));
    expect(cluster.events.map(reasonOf)).toEqual(["core NodeKeyMade", "core GenesisMade"]);
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
    put("core", CORE);
    around = cluster.surroundings();
    await once("core");
    const after = [cluster.get("Secret", "core-nodekey"), cluster.get("ConfigMap", "net-genesis")].map(
      (each) => JSON.stringify(each?.["data"]),
    );
    expect(after).toEqual(before);
  });
});

describe("a node waits, and says for what:", () => {
  test("for a genesis that nobody has made yet", async () => {
    put("endpoint", { type: "endpoint" });
    await once("endpoint");
    expect(conditions("endpoint")[0]).toBe("Ready False GenesisMissing");
    put("core", CORE);
    await once("core");
    await once("endpoint");
    expect(conditions("endpoint")[0]).toBe("Ready False PodMissing");
  });

  test("for the Secret that it names, and fails when there is no key in it", async () => {
    put("core", { ...CORE, nodeKeySecret: { name: "own" } });
    await once("core");
    expect(conditions("core")[0]).toBe("Ready False NodeKeyMissing");
    putSecret("own", { nodekey: "no key" });
    await expect(once("core")).rejects.toThrow("holds no private key");
    expect(conditions("core")[0]).toBe("Ready False NodeKeyUnusable");
  });

  test("for its pod, in the pod's words", async () => {
    putRunning("core", []);
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    const status = { podIP: "10.0.0.1", containerStatuses: [{ name: "node", state: { waiting } }] };
    cluster.put({ apiVersion: "v1", kind: "Pod", metadata: { name: "core-0", namespace: "demo" }, status });
    cluster.observations.clear();
    await once("core");
    expect(cluster.node("core").status.conditions?.[0]).toMatchObject({
      reason: "PodNotReady",
      message: "node: ImagePullBackOff: no such image",
    });
  });

  test("for an answer from the pod that there is now", async () => {
    putRunning("core", []);
    const told = cluster.observations.get("demo/core");
    if (told?.ok) cluster.observations.set("demo/core", { ...told, address: "10.0.0.9" });
    await once("core");
    expect(conditions("core")[0]).toBe("Ready False NotAsked");
    cluster.observations.set("demo/core", {
      ok: false,
      at: cluster.now,
      address: "10.0.0.1",
      message: "no way",
    });
    await once("core");
    expect(conditions("core")[0]).toBe("Ready False GatewayUnreachable");
  });
});

test("a node that answers with another key is not believed", async () => {
  putRunning("core", []);
  const told = cluster.observations.get("demo/core");
  if (told?.ok) cluster.observations.set("demo/core", { ...told, id: idOf("proxy") });
  await expect(once("core")).rejects.toThrow("another node answers there");
  expect(conditions("core")[0]).toBe("Ready False WrongNode");
});

test("admin on the cluster's port is shown as a warning", async () => {
  put("core", { ...CORE, api: { privileged: true, http: { modules: ["net", "admin"] } } });
  await once("core");
  expect(conditions("core")).toContain("PrivilegedApi True Allowed");
});

test("a node is told whom to keep, and what the status says becomes true when it has them", async () => {
  putRunning("core", []);
  putRunning("proxy", []);
  await once("core");
  await once("proxy");
  expect(cluster.calls).toEqual([`proxy admin_addPeer kni://${idOf("core").slice(0, 8)}`]);
  expect(conditions("proxy")).toEqual(["Ready True Ready", "Meshed False PeersMissing"]);
  putRunning("proxy", ["core"]);
  await once("proxy");
  expect(cluster.calls).toHaveLength(1);
  expect(conditions("proxy")[1]).toBe("Meshed True Connected");
  cluster.objects.delete("Node demo/core");
  await once("proxy");
  expect(cluster.calls.at(-1)).toBe(`proxy admin_removePeer kni://${idOf("core").slice(0, 8)}`);
  expect(cluster.node("proxy").status.mesh).toEqual([]);
});

const state = (name: string) => cluster.node(name).status.maintenance;

describe("maintenance", () => {
  const WISH = { "knit.dev/run": "migrate" };

  test("is noted before the annotation goes, begun, followed and ended", async () => {
    putRunning("core", [], WISH);
    let running = true;
    cluster.answer = (_node, method) =>
      method === "admin_stateMigrationStatus" ? { isMigration: running, progress: 40, err: "null" } : null;
    await once("core");
    expect(cluster.writes.slice(0, 2)).toEqual(["status core", "merge core"]);
    expect(cluster.node("core").meta.annotations).toEqual({});
    expect(state("core")).toMatchObject({ state: "Running", operation: "migrate" });
    await once("core");
    expect(state("core")).toMatchObject({ state: "Running", percent: 40 });
    running = false;
    await once("core");
    expect(state("core")).toMatchObject({ state: "Succeeded", percent: 100 });
    expect(cluster.events.map(reasonOf).filter((text) => text.includes("Maintenance"))).toEqual([
      "core MaintenanceStarted",
      "core MaintenanceSucceeded",
    ]);
    expect(cluster.calls.filter((call) => call.includes("start"))).toHaveLength(1);
  });

  test("fails with the node's own words", async () => {
    putRunning("core", [], { "knit.dev/run": "save-cache" });
    cluster.answer = () => {
      throw new ControlError("node-error", "the cache is disabled (-32000)");
    };
    await once("core");
    expect(state("core")).toMatchObject({ state: "Failed", message: "the cache is disabled (-32000)" });
    expect(cluster.events).toContain("core MaintenanceFailed: save-cache: the cache is disabled (-32000)");
  });

  test("that the node runs already is followed, and one that cannot be asked for waits", async () => {
    putRunning("core", [], WISH);
    cluster.answer = () => {
      throw new ControlError("unreachable", "no way");
    };
    await once("core");
    expect(state("core")?.state).toBe("Requested");
    cluster.answer = (_node, method) => {
      if (method === "admin_startStateMigration")
        throw new ControlError("node-error", "migration already started");
      return { isMigration: true, progress: 1, err: "null" };
    };
    await once("core");
    expect(state("core")?.state).toBe("Running");
  });

  test("runs on one node of a network at a time", async () => {
    putRunning("core", [], WISH);
    putRunning("proxy", ["core"], WISH);
    cluster.answer = (_node, method) =>
      method.endsWith("Status") ? { isMigration: true, progress: 1, err: "null" } : null;
    await once("core");
    await once("proxy");
    expect([state("core")?.state, state("proxy")?.state]).toEqual(["Running", "Requested"]);
    cluster.answer = (_node, method) =>
      method.endsWith("Status") ? { isMigration: false, progress: 100, err: "null" } : null;
    await once("core");
    await once("proxy");
    expect([state("core")?.state, state("proxy")?.state]).toEqual(["Succeeded", "Running"]);
  });

  test("of an unknown kind is refused, and nothing is asked of the node", async () => {
    putRunning("core", [], { "knit.dev/run": "dance" });
    await once("core");
    expect(state("core")).toBeUndefined();
    expect(cluster.calls).toEqual([]);
    expect(cluster.events[0]).toContain(
      "core MaintenanceRefused: knit.dev/run=dance: there is no such operation",
    );
  });
});
