/** Networks in memory: block 0 from the keys of core nodes, limits to drains, and sums over the nodes. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { CORE, type FakeCluster, NETWORK } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const FOUR = ["a", "b", "c", "d"];
const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const network = (): Promise<number> => reconcileNetwork(cluster.network(), deps);
const conditions = (): readonly string[] =>
  (cluster.network().status.conditions ?? []).map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  );
const messageOf = (type: string): string =>
  cluster.network().status.conditions?.find((each) => each.type === type)?.message ?? "";
const genesis = (): string => JSON.stringify(cluster.get("ConfigMap", "net-genesis")?.["data"] ?? null);

describe("a network of four validators", () => {
  beforeEach(() => cluster.putNetwork({ genesis: { create: { chainId: 7, validators: FOUR } } }));

  test("waits until all of them have their keys, and then has one genesis with all addresses", async () => {
    await network();
    expect(conditions()).toEqual([
      "Ready False GenesisMissing",
      "GenesisReady False GenesisMissing",
      "Producing Unknown NotReported",
      "FaultTolerant Unknown CouncilUnknown",
    ]);
    expect(messageOf("GenesisReady")).toContain("the Node a does not exist in this network");
    for (const name of FOUR.slice(0, 3)) {
      cluster.putNode(name, CORE);
      await once(name);
    }
    cluster.putNode("d", CORE);
    await network();
    expect(messageOf("GenesisReady")).toBe("the Node d has no key yet");
    expect(genesis()).toBe("null");
    await once("d");
    await network();
    const addresses = FOUR.map((name) => cluster.node(name).status.address ?? "none");
    expect(new Set(addresses).size).toBe(4);
    expect(genesis()).toContain(addresses.map((address) => `94${address.slice(2)}`).join(""));
    expect(cluster.network().status).toMatchObject({
      genesisConfigMap: "net-genesis",
      validators: FOUR.map((name, index) => ({ name, address: addresses[index] })),
      nodes: 4,
      readyNodes: 0,
    });
    expect(conditions().slice(0, 2)).toEqual(["Ready False NodesNotReady", "GenesisReady True GenesisFound"]);
    expect(conditions()).toContain("FaultTolerant False BelowQuorum");
  });

  test("has a limit to drains as soon as there are four core nodes, and none when there are fewer", async () => {
    for (const name of FOUR) cluster.putNode(name, CORE);
    await network();
    expect(cluster.get("PodDisruptionBudget", "net.validators")).toMatchObject({
      spec: { minAvailable: 3 },
    });
    cluster.objects.delete("Node demo/d");
    await network();
    expect(cluster.get("PodDisruptionBudget", "net.validators")).toBeUndefined();
  });

  test("does not take a proxy for a validator", async () => {
    cluster.putNode("a", { type: "proxy" });
    await network();
    expect(messageOf("GenesisReady")).toContain("the Node a is not a core node");
  });
});

describe("a network whose genesis is there", () => {
  test("is ready with its nodes, tells the hash of block 0 and how high it is", async () => {
    cluster.putNetwork({ genesis: { configMap: { name: "net-genesis" } } });
    cluster.putRunning("core", []);
    cluster.putRunning("proxy", ["core"]);
    await once("core");
    await network();
    expect(conditions()[0]).toBe("Ready False NodesNotReady");
    await once("proxy");
    await network();
    expect(conditions()[0]).toBe("Ready True Ready");
    expect(cluster.network().status).toMatchObject({
      genesisHash: `0x${"ab".repeat(32)}`,
      nodes: 2,
      readyNodes: 2,
      height: 5,
    });
  });

  test("is written once and not again", async () => {
    cluster.putRunning("core", []);
    await once("core");
    await network();
    cluster.writes.length = 0;
    await network();
    expect(cluster.writes).toEqual([]);
  });

  test("says that a node began another chain", async () => {
    for (const name of ["core", "proxy"] as const) cluster.putRunning(name, []);
    const reported = cluster.observations.get("demo/proxy");
    if (reported?.ok)
      cluster.observations.set("demo/proxy", { ...reported, genesis: `0x${"cd".repeat(32)}` });
    await network();
    expect(conditions()[0]).toBe("Ready False GenesisDiffers");
  });

  test("says that a validator's key is another than the one in block 0", async () => {
    cluster.putRunning("core", []);
    await once("core");
    await network();
    expect(conditions()[0]).toBe("Ready False ValidatorsMissing");
  });

  test("waits for the ConfigMap that is named, and for its member", async () => {
    cluster.putNetwork({ genesis: { configMap: { name: "own", key: "k" } } });
    await network();
    expect(messageOf("GenesisReady")).toBe("the ConfigMap own does not exist");
    const metadata = { name: "own", namespace: "demo" };
    cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { other: "" } });
    await network();
    expect(messageOf("GenesisReady")).toBe("the ConfigMap own has no key k");
  });
});

test("without its Network a Node is left as it is, and says so; a genesis of its own will do", async () => {
  cluster.objects.delete("Network demo/net");
  cluster.putNode("reader", { type: "endpoint" });
  await once("reader");
  expect(cluster.node("reader").status.conditions?.[0]).toMatchObject({ reason: "NetworkMissing" });
  expect(cluster.writes).toEqual(["finalizers reader", "status reader"]);
  cluster.putGenesis();
  cluster.putNode("reader", {
    type: "endpoint",
    network: { name: "net", genesis: { configMap: { name: "net-genesis" } } },
  });
  await once("reader");
  expect(cluster.writes).toContain("apply StatefulSet reader");
});

test("what a Network's defaults say reaches the pods of its Nodes", async () => {
  cluster.putNetwork({ ...NETWORK, defaults: { image: "theirs:1", settings: { verbosity: "5" } } });
  cluster.putGenesis();
  cluster.putNode("core", CORE);
  await once("core");
  expect(JSON.stringify(cluster.get("StatefulSet", "core"))).toContain('"image":"theirs:1"');
  expect(JSON.stringify(cluster.get("ConfigMap", "core-settings"))).toContain('\\"verbosity\\": \\"5\\"');
});

test("a chain that stood still before the operator came is looked at again before a minute is over", async () => {
  cluster.putNetwork({ genesis: { configMap: { name: "net-genesis" } } });
  cluster.putGenesis();
  const whenSilent = await network();
  cluster.putRunning("core", []);
  await once("core");
  const whenReported = await network();
  expect(conditions()).toContain("Producing Unknown NotReported");
  expect([whenSilent, whenReported]).toEqual([300_000, 20_000]);
});

test("a chain without a new block for a minute is answered by condition, event and Ready, and so is its return", async () => {
  cluster.putNetwork({ genesis: { configMap: { name: "net-genesis" } } });
  cluster.putRunning("core", []);
  await once("core");
  await network();
  const answered = async (height: number, seconds: number): Promise<readonly string[]> => {
    cluster.now += seconds * 1_000;
    cluster.tell("core", { height });
    await once("core");
    await network();
    return conditions().slice(0, 3);
  };
  expect(await answered(6, 10)).toEqual([
    "Ready True Ready",
    "GenesisReady True GenesisFound",
    "Producing True NewBlocks",
  ]);
  expect(await answered(6, 60)).toEqual(
    expect.arrayContaining(["Ready False ChainStalled", "Producing False ChainStalled"]),
  );
  await answered(6, 20);
  expect(await answered(7, 10)).toEqual(
    expect.arrayContaining(["Ready True Ready", "Producing True NewBlocks"]),
  );
  expect(cluster.events.filter((event) => event.startsWith("net Chain"))).toEqual([
    expect.stringContaining("net ChainStalled: no block after 6 for 60 s"),
    "net ChainResumed: block 7 is reported",
  ]);
});
