/** A later fork in memory: from the spec of a Network to the pods of its Nodes, and what refuses it. */
import { beforeEach, expect, test } from "@jest/globals";
import { KubeError } from "../../../operator/kube/error.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { type FakeCluster, NETWORK } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const VERSION = "Knit/core/v0.1.0/linux";
const once = (): Promise<number> => reconcile(cluster.node("core"), deps);
const network = (): Promise<number> => reconcileNetwork(cluster.network(), deps);
const text = (kind: string, name: string): string => JSON.stringify(cluster.get(kind, name) ?? null);
const condition = (from: readonly { type: string; reason: string; message: string }[] | undefined) => {
  const found = from?.find(({ type }) => type === "ForksReady");
  return found && `${found.reason}: ${found.message}`;
};

function schedule(osaka: number): void {
  const { create } = NETWORK.genesis;
  cluster.putNetwork({ genesis: { create: { ...create, forks: { osaka } } } });
}

beforeEach(async () => {
  cluster.putRunning("core", []);
  cluster.objects.delete("ConfigMap demo/net-genesis"); // the operator makes it
  for (const _ of [1, 2]) {
    await once();
    await network();
  }
  cluster.tell("core", { version: VERSION, height: 100, forks: { pragueCompatibleBlock: 0 } });
  await once();
  await network();
  cluster.writes.length = 0;
});

test("an accepted fork gets a file of its own, which the nodes are recreated with; block 0 stays", async () => {
  const { digest } = cluster.network().status.genesis ?? {};
  const base = text("ConfigMap", "net-genesis");
  schedule(5_000);
  await network();
  expect(cluster.writes.slice(0, 2)).toEqual(["create ConfigMap net-genesis-osaka-5000", "status net"]);
  expect(text("ConfigMap", "net-genesis-osaka-5000")).toContain(String.raw`\"osakaCompatibleBlock\": 5000`);
  expect(text("ConfigMap", "net-genesis")).toBe(base);
  expect(cluster.network().status.genesis).toMatchObject({ digest, forks: { osaka: 5_000 } });
  expect(condition(cluster.network().status.conditions)).toBe(
    "ForkMissing: core: osaka at block 5000 is not configured yet, 4900 blocks are left (0.1 days)",
  );
  await once();
  expect(text("StatefulSet", "core")).toContain('"name":"net-genesis-osaka-5000"');
  expect(cluster.node("core").status.rollout?.state).toBe("Rolling");
  expect(condition(cluster.node("core").status.conditions)).toContain(
    "ForkMissing: core: osaka at block 5000",
  );
  cluster.tell("core", { forks: { osakaCompatibleBlock: 5_000 } });
  await once();
  await network();
  expect(condition(cluster.node("core").status.conditions)).toBe("Scheduled: osaka at block 5000");
  expect(condition(cluster.network().status.conditions)).toBe("Scheduled: osaka at block 5000");
  expect(cluster.node("core").status.conditions?.some(({ reason }) => reason === "GenesisLost")).toBe(false);
});

test("a deleted file of a schedule is made again", async () => {
  schedule(5_000);
  await network();
  const file = text("ConfigMap", "net-genesis-osaka-5000");
  cluster.objects.delete("ConfigMap demo/net-genesis-osaka-5000");
  await network();
  expect(JSON.parse(text("ConfigMap", "net-genesis-osaka-5000"))).toMatchObject({
    data: (JSON.parse(file) as { data: object }).data,
  });
});

/** The Network is created again, as from a repository: its status is gone. */
function recreateNetwork(forks: object = { osaka: 5_000 }): void {
  cluster.objects.delete("Network demo/net");
  cluster.putNetwork({ genesis: { create: { ...NETWORK.genesis.create, forks } } });
}

test("a Network that is created again keeps its forks: its Nodes wait for the record and are not recreated", async () => {
  schedule(4_000);
  await network();
  schedule(5_000);
  await network();
  await once();
  cluster.tell("core", { height: 6_000, forks: { osakaCompatibleBlock: 5_000 } });
  await once();
  const template = text("StatefulSet", "core");
  recreateNetwork();
  await once();
  expect(text("StatefulSet", "core")).toBe(template);
  await network();
  expect(cluster.network().status.genesis?.forks).toEqual({ osaka: 5_000 });
  await once();
  expect(text("StatefulSet", "core")).toBe(template);
  expect(condition(cluster.network().status.conditions)).toBe("Scheduled: osaka at block 5000");
  recreateNetwork({ osaka: 9_000 });
  await network();
  await network();
  expect(condition(cluster.network().status.conditions)).toBe("ForkRefused: osaka has begun at block 5000");
  await once();
  expect(text("StatefulSet", "core")).toBe(template);
});

test("a file of a former chain is not taken for that of a schedule", async () => {
  schedule(5_000);
  await network();
  const name = "net-genesis-osaka-5000";
  const former = (cluster.get("ConfigMap", name)?.["data"] ?? {}) as Record<string, string>;
  const data = { "genesis.json": former["genesis.json"]?.replace(/"timestamp": "0x/, '"timestamp": "0x1') };
  const { status } = cluster.network();
  const metadata = { name: "net", namespace: "demo" };
  const genesis = { ...status.genesis, forks: undefined };
  cluster.put({
    ...cluster.objects.get("Network demo/net"),
    metadata,
    status: { ...status, genesis },
  } as never);
  cluster.put({
    ...cluster.objects.get(`ConfigMap demo/${name}`),
    metadata: { name, namespace: "demo" },
    data,
  } as never);
  await network();
  expect(condition(cluster.network().status.conditions)).toBe(
    `ForkRefused: the ConfigMap ${name} contains another genesis or other forks: delete it`,
  );
  expect(cluster.network().status.genesis?.forks).toBeUndefined();
  cluster.objects.delete(`ConfigMap demo/${name}`);
  await network();
  expect(cluster.network().status.genesis?.forks).toEqual({ osaka: 5_000 });
});

test("a file of a schedule that the API server refuses is told, and the schedule waits for it", async () => {
  cluster.onWrite = (kind) => {
    if (kind === "ConfigMap") throw new KubeError("forbidden", "exceeded quota");
  };
  schedule(5_000);
  await network();
  expect(condition(cluster.network().status.conditions)).toBe(
    "ForkRefused: the ConfigMap net-genesis-osaka-5000 cannot be created: exceeded quota",
  );
  expect(cluster.network().status.genesis?.forks).toBeUndefined();
  cluster.onWrite = () => undefined;
  await network();
  expect(cluster.network().status.genesis?.forks).toEqual({ osaka: 5_000 });
});

test("a fork that a node does not know changes nothing, and both say so", async () => {
  cluster.tell("core", { version: "Knit/core/v0.0.9/linux" });
  schedule(900_000);
  await network();
  await once();
  expect(cluster.network().status.genesis?.forks).toBeUndefined();
  expect(condition(cluster.network().status.conditions)).toBe(
    "ForkRefused: osaka is unknown to core (Knit/core/v0.0.9/linux)",
  );
  expect(condition(cluster.node("core").status.conditions)).toContain(
    "osaka at block 900000 is unknown to Knit/core/v0.0.9/linux",
  );
  expect(text("StatefulSet", "core")).not.toContain("osaka");
});

test("a fork that users write into their own file is missed by a node that runs, and nothing is recreated", async () => {
  const data = (cluster.get("ConfigMap", "net-genesis")?.["data"] ?? {}) as Record<string, string>;
  const write = (fork: string) => {
    const own = data["genesis.json"]?.replace('"chainId"', `${fork}"chainId"`) ?? "";
    const metadata = { name: "own", namespace: "demo" };
    cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "genesis.json": own } });
  };
  cluster.objects.clear();
  cluster.putRunning("core", []);
  cluster.tell("core", { version: VERSION, height: 0, forks: {} });
  cluster.putNetwork({ genesis: { configMap: { name: "own" } } });
  write("");
  await network();
  await once();
  expect(condition(cluster.network().status.conditions)).toBeUndefined();
  const template = text("StatefulSet", "core");
  write('"osakaCompatibleBlock": 5000, ');
  await network();
  await once();
  for (const { conditions } of [cluster.network().status, cluster.node("core").status])
    expect(condition(conditions)).toContain("ForkMissing: core: osaka at block 5000 is not configured yet");
  expect(cluster.network().status.conditions?.some(({ reason }) => reason === "GenesisLost")).toBe(false);
  expect(text("StatefulSet", "core")).toBe(template);
  cluster.tell("core", { forks: { osakaCompatibleBlock: 5_000 } });
  await network();
  expect(condition(cluster.network().status.conditions)).toBe("Scheduled: osaka at block 5000");
});
