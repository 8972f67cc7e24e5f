/** A Network that joins a public one: no file is waited for, and a node of another chain is stopped. */
import { expect, test } from "@jest/globals";
import { publicNetworks } from "../../../operator/api/public-networks.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
  cluster.putNetwork({ genesis: { public: "kairos" } });
});

const { genesisHash } = publicNetworks.kairos;

/** An endpoint with a pod, and what its node reports. */
async function runEndpoint(genesis: string): Promise<void> {
  cluster.putRunning("endpoint", []);
  cluster.objects.delete("ConfigMap demo/net-genesis");
  cluster.tell("endpoint", { genesis, peers: new Set(["ab".repeat(64)]) });
  await reconcileNetwork(cluster.network(), deps);
  await reconcile(cluster.node("endpoint"), deps).catch((error: unknown) => error);
  await reconcileNetwork(cluster.network(), deps);
}

const networkConditions = () =>
  (cluster.network().status.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);

test("its genesis is that of knit, and its Nodes run without a ConfigMap", async () => {
  await runEndpoint(genesisHash);
  expect(cluster.network().status).toMatchObject({ genesisHash, genesisConfigMap: undefined });
  expect(networkConditions()).toEqual(expect.arrayContaining(["Ready Ready", "GenesisReady GenesisFound"]));
  expect(cluster.conditions("endpoint")[0]).toBe("Ready True Ready");
  expect(JSON.stringify(cluster.get("ConfigMap", "endpoint-settings"))).toContain('kairos\\": true');
});

test("a node of another chain is stopped, and recorded nowhere", async () => {
  await runEndpoint(`0x${"cd".repeat(32)}`);
  expect(cluster.network().status.genesisHash).toBe(genesisHash);
  expect(networkConditions()).toContain("Ready GenesisDiffers");
  expect(cluster.conditions("endpoint")[0]).toBe("Ready False GenesisLost");
});

test("an external address makes the URL for peers outside, with the port for discovery", async () => {
  cluster.putRunning("endpoint", []);
  const { spec } = cluster.node("endpoint");
  cluster.putNode("endpoint", { ...spec, p2p: { externalAddress: "203.0.113.7" } });
  await reconcile(cluster.node("endpoint"), deps);
  const url = cluster.node("endpoint").status.members?.[0]?.externalUrl;
  expect(url).toMatch(/@203\.0\.113\.7:32323\?discport=32323&ntype=en$/);
});

test("the volume of a core node is given up while others have the chain, whose first validators are not known", async () => {
  for (const name of ["core", "endpoint"] as const) {
    cluster.putRunning(name, [name === "core" ? "endpoint" : "core"]);
    cluster.tell(name, { genesis: genesisHash });
  }
  const once = (name: string) => reconcile(cluster.node(name), deps).catch(() => undefined);
  await reconcileNetwork(cluster.network(), deps);
  for (const name of ["core", "endpoint", "core"]) await once(name);
  const noted = { "knit.dev/run": "replace", "knit.dev/allow-chain-stop": "yes" };
  cluster.putNode("core", cluster.node("core").spec, noted);
  await once("core");
  expect(cluster.node("core").status.maintenance).toMatchObject({ state: "Running", operation: "replace" });
  for (const key of ["PersistentVolumeClaim demo/core-data", "Pod demo/core-0"]) cluster.objects.delete(key);
  cluster.observations.delete("demo/core");
  cluster.now += 31_000; // an informer sees it at once
  cluster.tell("endpoint", {});
  await once("core");
  expect(cluster.conditions("core")).toContain("Degraded False AsExpected");
  expect(cluster.get("PersistentVolumeClaim", "core-data")).toBeDefined();
});
