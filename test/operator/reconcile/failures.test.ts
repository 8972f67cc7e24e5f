/** Failures stay where they are: a table of steps that fail, with all other effects still there. */
import { describe, expect, test } from "@jest/globals";
import { KubeError } from "../../../operator/kube/error.ts";
import { Applier } from "../../../operator/reconcile/applier.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { CORE, FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

/** Reconciles, whatever comes of it. */
const once = (name = "core"): Promise<unknown> =>
  reconcile(cluster.node(name), deps).catch((error: unknown) => error);
const change = (name: string, more: object): void =>
  cluster.putNode(name, { ...cluster.node(name).spec, ...more });
const refuse = (refused: string) => (kind: string) => {
  if (kind === refused) throw new KubeError("forbidden", `${kind} denied`);
};

describe("what is refused holds up nothing else", () => {
  const OBJECTS = [
    "ServiceAccount core-node",
    "PersistentVolumeClaim core-data",
    "Service core",
    "NetworkPolicy core",
    "ServiceMonitor core",
    "Secret core-gateway",
    "ConfigMap core-settings",
    "Service core-peer",
    "StatefulSet core",
  ];

  test.each([
    "PersistentVolumeClaim",
    "NetworkPolicy",
    "ServiceMonitor",
    "Service",
    "ConfigMap",
    "StatefulSet",
    "Secret",
    "ServiceAccount",
  ])("a %s of a new Node", async (kind) => {
    cluster.servesMonitors = true;
    cluster.putRunning("core", []);
    cluster.onWrite = refuse(kind);
    await once();
    const wanted = OBJECTS.filter((object) => !object.startsWith(`${kind} `));
    const [refused = ""] = OBJECTS.filter((object) => object.startsWith(`${kind} `));
    const isThere = (object: string): boolean => {
      const [of = "", name = ""] = object.split(" ");
      return cluster.get(of, name) !== undefined;
    };
    expect(wanted.filter((object) => !isThere(object))).toEqual([]);
    expect(isThere(refused)).toBe(false);
    expect(cluster.conditions("core")).toEqual(
      expect.arrayContaining([
        "Ready False ObjectRefused",
        "Available True ReplicasReady",
        "Degraded True StepFailed",
        "Synced True Level",
      ]),
    );
  });

  test("peers are told although an object is refused", async () => {
    cluster.putRunning("core", []);
    cluster.putRunning("proxy", []);
    await once();
    cluster.onWrite = refuse("NetworkPolicy");
    await once("proxy");
    cluster.now += 5_000;
    cluster.tell("proxy", {});
    await once("proxy");
    expect(cluster.calls.some((call) => call.startsWith("proxy admin_addPeer"))).toBe(true);
  });

  test("a Network that was deleted: heights go on, and the Node is available", async () => {
    cluster.putRunning("core", []);
    await once();
    cluster.objects.delete("Network demo/net");
    cluster.tell("core", { height: 77 });
    await once();
    expect(cluster.node("core").status.height).toBe(77);
    expect(cluster.conditions("core")).toEqual(
      expect.arrayContaining(["Ready False NetworkMissing", "Available True ReplicasReady"]),
    );
  });

  test("a Network that was deleted: the certificate of a gateway is renewed all the same", async () => {
    cluster.putRunning("core", []);
    await once();
    cluster.objects.delete("Network demo/net");
    cluster.now += 61 * 86_400_000;
    cluster.writes.length = 0;
    await once();
    expect(cluster.writes).toContain("apply Secret core-gateway");
    cluster.putNode("reader", { type: "endpoint" });
    await once("reader");
    expect(cluster.get("Secret", "reader-gateway")).toBeUndefined(); // it has no pod
  });

  test("the deletion of an object that the spec no longer asks for", async () => {
    cluster.servesMonitors = true;
    cluster.putRunning("core", []);
    await once();
    cluster.onRemove = refuse("ServiceMonitor");
    change("core", { monitoring: { serviceMonitor: false }, settings: { verbosity: "5" } });
    await once();
    expect(cluster.node("core").status.rollout?.member).toBe("core");
    expect(cluster.conditions("core")).toContain("Degraded True StepFailed");
    cluster.onRemove = () => undefined;
    await once();
    expect(cluster.get("ServiceMonitor", "core")).toBeUndefined();
  });

  test("the key of one replica: the others have all that is theirs", async () => {
    cluster.putGenesis();
    let keys = 0;
    cluster.onWrite = (kind) => {
      if (kind === "Secret" && ++keys === 1) throw new KubeError("forbidden", "exceeded quota");
    };
    cluster.putNode("reader", { type: "endpoint", replicas: 2 });
    await once("reader");
    expect(cluster.conditions("reader")).toContain("Ready False ObjectRefused");
    expect(cluster.get("StatefulSet", "reader")).toBeUndefined();
    expect(cluster.get("StatefulSet", "reader-m1")).toBeDefined();
  });

  test("what the API server cannot answer now: the Node is judged by its pod and its gateway", async () => {
    cluster.putRunning("core", []);
    await once();
    change("core", { settings: { verbosity: "5" } });
    cluster.onWrite = (kind) => {
      if (kind === "ConfigMap") throw new KubeError("server", "etcd is away");
    };
    await once();
    expect(cluster.conditions("core")).toEqual(
      expect.arrayContaining(["Ready False Error", "Available True ReplicasReady"]),
    );
  });
});

/** Lets the request at `place` fail, and counts all. Events of the pod and the node do not pass here. */
function failing(place: number): { readonly deps: ReconcileDeps; readonly calls: string[] } {
  const calls: string[] = [];
  const client = new Proxy(deps.client, {
    get(target, name: keyof typeof deps.client) {
      const method = target[name] as unknown as (...given: unknown[]) => unknown;
      return async (...given: unknown[]): Promise<unknown> => {
        calls.push(String(name));
        if (calls.length - 1 === place) throw new KubeError("server", "etcd is away");
        return method.apply(target, given);
      };
    },
  });
  return { deps: { ...deps, client, applier: new Applier(client, deps.clock) }, calls };
}

test("whichever request of a reconciliation fails, the pod is judged, and the next one makes the rest", async () => {
  const { current } = cluster.authorities;
  /** Another operator finds a Node whose objects are gone. */
  const begin = async (): Promise<void> => {
    cluster = new FakeCluster(current);
    cluster.putRunning("core", []);
    deps = cluster.deps();
    await once();
    const owned = [...cluster.objects].filter(
      ([, { metadata }]) => metadata["ownerReferences"] !== undefined,
    );
    for (const [key] of owned) cluster.objects.delete(key);
    deps = cluster.deps();
  };
  await begin();
  const whole = failing(-1);
  await reconcile(cluster.node("core"), whole.deps);
  const made = [...cluster.objects.keys()];
  expect(whole.calls.length).toBeGreaterThan(10);
  for (let place = 0; place < whole.calls.length; place++) {
    await begin();
    const broken = failing(place);
    await reconcile(cluster.node("core"), broken.deps).catch(() => undefined);
    const isStatus = whole.calls[place] === "applyStatus";
    if (!isStatus) expect(cluster.conditions("core")).toContain("Available True ReplicasReady");
    cluster.tell("core", {});
    await once();
    expect([...cluster.objects.keys()].sort()).toEqual(made.toSorted());
    expect(cluster.conditions("core")[0]).toBe("Ready True Ready");
  }
});

const FOUR = ["a", "b", "c", "d"];
const network = (): Promise<number> => reconcileNetwork(cluster.network(), deps);
const condition = (of: string) => cluster.network().status.conditions?.find(({ type }) => type === of);

describe("what is refused of a Network leaves its status true", () => {
  test("the budget of its validators", async () => {
    for (const name of FOUR) cluster.putNode(name, { type: "core" });
    cluster.onWrite = refuse("PodDisruptionBudget");
    cluster.putRunning("core", []);
    cluster.putNetwork({ genesis: { configMap: { name: "net-genesis" } } });
    await network();
    expect(condition("Ready")).toMatchObject({
      reason: "ObjectRefused",
      message: expect.stringContaining("PodDisruptionBudget denied"),
    });
    expect(cluster.network().status).toMatchObject({ nodes: 5, genesisHash: `0x${"ab".repeat(32)}` });
    cluster.onWrite = () => undefined;
    await network();
    expect(condition("Ready")?.reason).toBe("NodesNotReady");
  });

  test("its genesis, which is written as soon as it may be", async () => {
    cluster.onWrite = refuse("ConfigMap");
    cluster.putNode("core", CORE);
    await once();
    await network();
    expect(condition("GenesisReady")).toMatchObject({
      reason: "GenesisMissing",
      message: "the ConfigMap net-genesis cannot be created: ConfigMap denied",
    });
    cluster.onWrite = () => undefined;
    await network();
    expect(condition("GenesisReady")?.reason).toBe("GenesisFound");
  });
});

const replicas = (): unknown =>
  (cluster.get("StatefulSet", "core")?.["spec"] as { replicas: number } | undefined)?.replicas;

describe("suspending acts", () => {
  test.each<[string, () => void]>([
    ["although its Network is gone", () => void cluster.objects.delete("Network demo/net")],
    ["although its key is gone", () => void cluster.objects.delete("Secret demo/core-own")],
    [
      "although its volume cannot grow",
      () => {
        cluster.onWrite = refuse("PersistentVolumeClaim");
        change("core", { storage: { size: "20Gi" } });
      },
    ],
  ])("%s", async (_why, befalls) => {
    cluster.putRunning("core", []);
    await once();
    befalls();
    change("core", { suspend: true });
    await once();
    expect(replicas()).toBe(0);
  });

  test("and is said to be done when no pod is there any more", async () => {
    cluster.putRunning("core", []);
    await once();
    cluster.onWrite = refuse("StatefulSet");
    change("core", { suspend: true });
    await once();
    expect([replicas(), cluster.node("core").status.phase]).toEqual([1, "Degraded"]);
    expect(cluster.conditions("core")).toContain("Available True ReplicasReady");
    cluster.onWrite = () => undefined;
    cluster.tell("core", {});
    await once();
    const phase = (): unknown => cluster.node("core").status.phase;
    expect([replicas(), phase()]).toEqual([0, "Suspending"]);
    cluster.putPod("core", { deleted: true });
    await once();
    expect([phase(), cluster.conditions("core")[1]]).toEqual(["Suspending", "Available False NoneReady"]);
    cluster.objects.delete("Pod demo/core-0");
    await once();
    expect([phase(), cluster.conditions("core")[0]]).toEqual(["Suspended", "Ready False Suspended"]);
  });
});
