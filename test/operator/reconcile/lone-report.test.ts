/**
 * A node that alone reports another height, council or chain, and a pod without its Node: the validators keep their peers
 * and their limits.
 */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { identityOf } from "../../../operator/build/identity.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { CORE, type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

const VALIDATORS = ["a", "b", "c", "d"] as const;
const ALL = [...VALIDATORS, "standby"] as const;
const keyOf = (name: string): string => (1 + ALL.indexOf(name as (typeof ALL)[number])).toString().repeat(64);
const addressOf = (name: string): string => identityOf(keyOf(name))?.address ?? "";
const COUNCIL = VALIDATORS.map(addressOf).sort();

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const network = (): Promise<number> => reconcileNetwork(cluster.network(), deps);
const replicasOf = (name: string): unknown =>
  (cluster.get("StatefulSet", name)?.["spec"] as never)?.["replicas"];

const idOf = (name: string): string => identityOf(keyOf(name))?.id ?? "";
const peersOf = (name: string): ReadonlySet<string> => new Set(ALL.filter((each) => each !== name).map(idOf));

/** Its pod runs and its node answers. */
function answers(name: string): void {
  const digest = /"knit.dev\/settings":"(\w+)"/.exec(JSON.stringify(cluster.get("StatefulSet", name)))?.[1];
  cluster.putPod(name, digest === undefined ? {} : { uid: digest, digest });
  cluster.observations.set(`demo/${name}`, {
    ok: true,
    at: cluster.now,
    until: cluster.now + 45_000,
    address: "10.0.0.1",
    id: idOf(name),
    version: "Knit",
    genesis: `0x${"ab".repeat(32)}`,
    height: 5,
    syncing: false,
    peers: peersOf(name),
    council: COUNCIL,
    disk: undefined,
  });
}

function ask(name: string, spec: object): void {
  cluster.putNode(name, { ...CORE, nodeKeySecret: { name: `${name}-own` }, ...spec });
}

beforeEach(async () => {
  cluster.putGenesis();
  for (const name of ALL) {
    cluster.putSecret(`${name}-own`, { nodekey: keyOf(name) });
    ask(name, {});
    answers(name);
  }
  for (const name of [...ALL, ...ALL]) await once(name);
  for (const name of ALL) answers(name);
  await network();
});

const budget = () => cluster.get("PodDisruptionBudget", "net.validators");
const limit = (): unknown => (budget()?.["spec"] as { minAvailable?: number } | undefined)?.minAvailable;

async function expectUnchanged(replicas: readonly number[]): Promise<void> {
  for (const name of ["e", ...VALIDATORS, ...VALIDATORS]) await once(name).catch(() => undefined);
  await network();
  expect(VALIDATORS.map((name) => cluster.node(name).status.validator)).toEqual([true, true, true, true]);
  expect(VALIDATORS.map((name) => cluster.node(name).status.members?.[0]?.mesh?.length)).toEqual(
    VALIDATORS.map(() => 3),
  );
  expect(cluster.calls.filter((call) => call.includes("removePeer"))).toEqual([]);
  expect(limit()).toBe(3);
  expect(cluster.network().status.council?.map(({ address }) => address)).toEqual(COUNCIL);
  ask("a", { suspend: true });
  await once("a");
  ask("b", { suspend: true });
  await once("b");
  expect([replicasOf("a"), replicasOf("b")]).toEqual(replicas);
}

describe("the report of one node alone", () => {
  const STRANGERS = [`0x${"00".repeat(19)}01`, `0x${"00".repeat(19)}02`];

  beforeEach(async () => {
    cluster.putSecret("e-own", { nodekey: "9".repeat(64) });
    cluster.putNode("e", { type: "endpoint", nodeKeySecret: { name: "e-own" } });
    cluster.putPod("e");
    answers("a");
    const observed = cluster.observations.get("demo/a");
    if (observed?.ok !== true) throw new Error("a does not answer");
    const id = identityOf("9".repeat(64))?.id ?? "";
    cluster.observations.set("demo/e", { ...observed, id, council: STRANGERS });
    cluster.calls.length = 0;
  });

  test("decides on no council, whatever height it claims", async () => {
    cluster.tell("e", { height: 2 ** 52 - 1 });
    await expectUnchanged([1, 1]); // all seem to be behind, so that none may stop
  });

  test("counts for nothing when it is of another chain", async () => {
    cluster.tell("e", {
      height: 190_000_000,
      genesis: `0x${"cd".repeat(32)}`,
      peers: new Set([idOf("standby")]),
    });
    await expectUnchanged([0, 1]);
    expect(cluster.conditions("e")).toContain("Ready False GenesisLost");
    expect(cluster.network().status.height).toBe(5);
    expect(cluster.node("e").status.height).toBeUndefined();
  });
});

test("a core node whose own council has it stays a validator while two others report an earlier one", async () => {
  const silent = {
    ok: false,
    at: cluster.now,
    address: "10.0.0.1",
    reason: "NoAnswer",
    message: "-",
  } as const;
  const observed = cluster.observations.get("demo/a");
  if (observed === undefined) throw new Error("a does not answer");
  for (const name of ["b", "c", "d", "standby"]) cluster.observations.set(`demo/${name}`, silent);
  for (const name of ["e", "f"]) {
    cluster.putSecret(`${name}-own`, { nodekey: (name === "e" ? "8" : "9").repeat(64) });
    cluster.putNode(name, { type: "endpoint", nodeKeySecret: { name: `${name}-own` } });
    cluster.putPod(name);
    cluster.observations.set(`demo/${name}`, observed);
    cluster.tell(name, { height: 1_000, council: [`0x${"00".repeat(19)}01`] });
  }
  await once("a");
  await once("c");
  expect(cluster.node("a").status.validator).toBe(true);
  expect(cluster.node("c").status.validator).toBe(false); // silent: it cannot object
});

test("drains are limited for the pod of a validator whose Node was deleted without it, or cannot be read", async () => {
  cluster.putPod("d", { address: addressOf("d") });
  cluster.objects.delete("Node demo/d"); // as with --cascade=orphan
  const spec = { minAvailable: 3, selector: { matchExpressions: [{ values: [...VALIDATORS] }] } };
  const owners = VALIDATORS.map((name) => ({ name }));
  await network();
  expect(budget()).toMatchObject({ metadata: { ownerReferences: owners.slice(0, -1) }, spec });
  cluster.putNode("d", { type: "strange" });
  await network();
  expect(budget()).toMatchObject({ metadata: { ownerReferences: owners }, spec });
});
