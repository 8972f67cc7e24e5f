/** A genesis in a file of its user: another content stops the Nodes, until it returns or a permission replaces the chain. */
import { beforeEach, expect, test } from "@jest/globals";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster, reconcileEach } from "../../support/fresh-cluster.ts";

const SPEC = { genesis: { configMap: { name: "own" } } };
let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

beforeEach(() => {
  cluster.putNetwork(SPEC);
  cluster.putRunning("core", []);
  own("0x1");
});

/** The user writes the file. */
function own(timestamp: string): void {
  const metadata = { name: "own", namespace: "demo" };
  const data = { "genesis.json": `{"timestamp":"${timestamp}"}` };
  cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, "kubectl");
}

const once = (...names: readonly ("core" | "net")[]): Promise<void> => reconcileEach(cluster, deps, names);

const degradedReason = (): string | undefined =>
  cluster.conditions("core").find((each) => each.startsWith("Degraded"));
const reasonOf = (): string | undefined => cluster.network().status.conditions?.[0]?.reason;

test("a changed genesis stops its Nodes where they are, until it is as it was", async () => {
  await once("net", "core", "net");
  own("0x2");
  await once("net", "core");
  expect([reasonOf(), degradedReason()]).toEqual(["GenesisLost", "Degraded True GenesisLost"]);
  expect(cluster.conditions("core")).toContain("Available True ReplicasReady");
  own("0x1");
  await once("net", "core", "net");
  expect([reasonOf(), cluster.conditions("core")[0]]).toEqual(["Ready", "Ready True Ready"]);
});

const permit = (value: string): void => cluster.putNetwork(SPEC, { "knit.dev/allow-new-chain": value });

test("a permitted genesis has the hash of the new chain, once all nodes report it", async () => {
  await once("net", "core", "net");
  const former = cluster.network().status.genesisHash;
  own("0x2");
  permit("once");
  await once("net", "core", "net");
  expect([reasonOf(), cluster.network().status.genesisHash]).toEqual(["GenesisDiffers", undefined]);
  expect(cluster.network().status.height).toBeUndefined(); // the height of the former chain
  const genesis = `0x${"cd".repeat(32)}`;
  cluster.tell("core", { genesis });
  await once("net", "core", "net");
  expect(cluster.network().status).toMatchObject({ genesisHash: genesis });
  expect([reasonOf(), cluster.conditions("core")[0]]).toEqual(["Ready", "Ready True Ready"]);
  cluster.tell("core", { genesis: former });
  await once("net", "core");
  expect([reasonOf(), degradedReason()]).toEqual(["GenesisDiffers", "Degraded True GenesisLost"]);
  own("0x3");
  await once("net");
  expect(reasonOf()).toBe("GenesisLost");
});

test("the former genesis has its hash again when it returns before any node left its chain", async () => {
  await once("net", "core", "net");
  own("0x2");
  permit("once");
  await once("net", "core", "net");
  own("0x1");
  permit("again");
  await once("net", "core", "net");
  expect([reasonOf(), cluster.conditions("core")[0]]).toEqual(["Ready", "Ready True Ready"]);
});

test("a genesis that a Node names itself stops that Node when it changes, unless that is permitted, once", async () => {
  cluster.objects.delete("Network demo/net");
  const spec = { ...cluster.node("core").spec, network: { name: "net", genesis: SPEC.genesis } };
  cluster.putNode("core", spec);
  await once("core");
  own("0x2");
  await once("core");
  expect(degradedReason()).toBe("Degraded True GenesisLost");
  cluster.putNode("core", spec, { "knit.dev/allow-new-chain": "true" });
  await once("core");
  expect(degradedReason()).toBe("Degraded False AsExpected");
  own("0x3");
  await once("core");
  expect(degradedReason()).toBe("Degraded True GenesisLost");
});
