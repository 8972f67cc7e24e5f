/** The council in memory: four validators and a standby core node, restarts, suspensions, deletions and drains. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { identityOf } from "../../../operator/build/identity.ts";
import { ControlError } from "../../../operator/control/error.ts";
import { stopTrouble } from "../../../operator/plan/council.ts";
import { councilsOf } from "../../../operator/reconcile/council.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { aPod } from "../../support/a-pod.ts";
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
const messageOf = (name: string, type: string): string | undefined =>
  cluster.node(name).status.conditions?.find((each) => each.type === type)?.message;

const idOf = (name: string): string => identityOf(keyOf(name))?.id ?? "";
const peersOf = (name: string, away?: string): ReadonlySet<string> =>
  new Set(ALL.filter((each) => each !== name && each !== away).map(idOf));

/** Its pod runs and its node answers. */
function answers(name: string, council: readonly string[] | undefined = COUNCIL): void {
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
    council,
    disk: undefined,
  });
}

/** Neither its pod nor its node are there. */
function fail(name: string): void {
  cluster.objects.delete(`Pod demo/${name}-0`);
  cluster.observations.delete(`demo/${name}`);
  for (const key of cluster.observations.keys()) {
    const other = key.slice("demo/".length);
    cluster.tell(other, { peers: peersOf(other, name) });
  }
}

function ask(name: string, spec: object, noted: Record<string, string> = {}): void {
  cluster.putNode(name, { ...CORE, nodeKeySecret: { name: `${name}-own` }, ...spec }, noted);
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
  cluster.writes.length = 0;
  cluster.events.length = 0;
});

test("a status says which core nodes are validators, and the Network who the council is", async () => {
  expect(ALL.map((name) => cluster.node(name).status.validator)).toEqual([true, true, true, true, false]);
  const council = cluster.network().status.council ?? [];
  expect(council.map(({ address }) => address)).toEqual(COUNCIL);
  expect(new Set(council.map(({ member }) => member))).toEqual(
    new Set(VALIDATORS.map((name) => `demo/${name}`)),
  );
  for (const name of ALL) answers(name, undefined); // gateways of an earlier release
  for (const name of ALL) await once(name);
  expect(cluster.node("standby").status.validator).toBe(false);
});

test("another key waits while another validator is away, and so does the end of a pod with the former one", async () => {
  cluster.putSecret("new", { nodekey: "9".repeat(64) });
  const address = identityOf("9".repeat(64))?.address ?? "";
  const spec = { nodeKeySecret: { name: "new" } };
  cluster.putPod("a", { address: addressOf("a") });
  fail("d");
  ask("a", spec, { "knit.dev/allow-new-key": "now" });
  for (const _ of [1, 2]) await once("a").catch(() => undefined); // its node is another one for now
  expect(cluster.node("a").status.address).toBe(address);
  expect(JSON.stringify(cluster.get("StatefulSet", "a"))).not.toContain(address);
  expect(messageOf("a", "Progressing")).toContain(
    "at most 1 of 4 validators may be unavailable, and demo/d already is",
  );
  const nodes = ALL.map((name) => cluster.node(name));
  const [council = []] = councilsOf({ network: cluster.network(), nodes, deps });
  expect(council.find((seat) => seat.address === addressOf("a"))).toMatchObject({
    member: "demo/a", // its budget counts the pod
    isMissing: false,
  });
  ask("a", { ...spec, suspend: true });
  await once("a").catch(() => undefined);
  expect([replicasOf("a"), messageOf("a", "Progressing")]).toEqual([
    1,
    expect.stringContaining("the suspension would stop the chain"),
  ]);
  answers("d");
  for (const name of VALIDATORS) if (name !== "d") cluster.tell(name, { peers: peersOf(name) });
  ask("a", spec);
  await once("a").catch(() => undefined);
  expect(JSON.stringify(cluster.get("StatefulSet", "a"))).toContain(address);
});

/** Core nodes whose pods are to have the new image. */
const argumentsOf = (): readonly string[] =>
  ALL.filter((name) => JSON.stringify(cluster.get("StatefulSet", name)).includes("knit:new"));

describe("another image", () => {
  test("waits while a validator is away, though three core nodes more would be enough by number", async () => {
    fail("d");
    ask("a", { image: "knit:new" });
    await once("a");
    expect(argumentsOf()).toEqual([]);
    expect(messageOf("a", "Progressing")).toContain(
      "at most 1 of 4 validators may be unavailable, and demo/d already is",
    );
  });

  test("waits while a deleted Node's address is still in the council", async () => {
    cluster.objects.delete("Node demo/d");
    fail("d");
    ask("a", { image: "knit:new" });
    await once("a");
    expect(messageOf("a", "Progressing")).toContain(`and ${addressOf("d")} already is`);
  });

  test("goes to a validator while a standby core node is away, and to that while a validator is", async () => {
    fail("standby");
    ask("a", { image: "knit:new" });
    await once("a");
    expect(argumentsOf()).toEqual(["a"]);
  });

  test("goes on with a permission, once", async () => {
    fail("d");
    ask("a", { image: "knit:new" }, { "knit.dev/allow-chain-stop": "now" });
    await once("a");
    expect(argumentsOf()).toEqual(["a"]);
    answers("a");
    answers("d");
    for (const name of ["d", "a", "a"]) await once(name);
    expect(cluster.node("a").status.allowed?.chainStop).toBe("now");
    fail("d");
    ask("a", { image: "knit:newer" }, { "knit.dev/allow-chain-stop": "now" });
    await once("a");
    expect(messageOf("a", "Progressing")).toContain("demo/d already is");
  });
});

describe("a suspension", () => {
  test("of one of four is carried out, of a second is refused with the figures", async () => {
    ask("a", { suspend: true });
    await once("a");
    expect(replicasOf("a")).toBe(0);
    ask("b", { suspend: true });
    await once("b");
    expect(replicasOf("b")).toBe(1);
    expect(cluster.conditions("b")).toContain("Progressing True ChainStopRefused");
    expect(cluster.conditions("b")).toContain("Ready True Ready");
    expect(cluster.events.at(-1)).toContain(
      "b ChainStopRefused: the suspension would stop the chain: at most 1 of 4 validators may be unavailable, and demo/a already is",
    );
  });

  test("is carried out with a permission", async () => {
    fail("a");
    ask("b", { suspend: true }, { "knit.dev/allow-chain-stop": "now" });
    await once("b");
    expect(replicasOf("b")).toBe(0);
    expect(cluster.events.at(-1)).toContain("b ChainStops");
  });

  test("of all is carried out: nobody is left to make blocks", async () => {
    for (const name of VALIDATORS) ask(name, { suspend: true });
    for (const name of VALIDATORS) await once(name);
    expect(VALIDATORS.map(replicasOf)).toEqual([0, 0, 0, 0]);
  });

  test("of a core node beside the council is carried out whoever is away", async () => {
    fail("a");
    ask("standby", { suspend: true });
    await once("standby");
    expect(replicasOf("standby")).toBe(0);
  });

  test("is refused while nobody reports the council and the last known one has no room", async () => {
    for (const name of ALL) answers(name, undefined);
    fail("a");
    ask("b", { suspend: true });
    await once("b");
    expect(replicasOf("b")).toBe(1);
  });
});

describe("a deletion", () => {
  test("that would stop the chain waits: the node stays a peer and is looked after", async () => {
    fail("a");
    cluster.deleteNode("b");
    await once("b");
    expect(replicasOf("b")).toBe(1);
    expect(cluster.conditions("b")).toContain("Progressing True ChainStopRefused");
    expect(cluster.events.at(-1)).toContain("b ChainStopRefused: the deletion would stop the chain");
    await once("c");
    expect(JSON.stringify(cluster.node("c").status.members?.[0]?.mesh)).toContain("b-peer.demo.svc");
    expect(cluster.calls.filter((call) => call.includes("removePeer"))).toEqual([]);
  });

  test("goes on when the missing validator is back, and then has its whole time", async () => {
    fail("a");
    cluster.deleteNode("b");
    await once("b");
    cluster.now += 3_600_000;
    for (const name of ["a", "c", "d"]) answers(name);
    await once("b");
    expect(cluster.node("b").status.phase).toBe("Deleting");
    expect(cluster.get("StatefulSet", "b")).toBeUndefined();
    await once("b");
    expect(cluster.get("Node", "b")).toBeDefined(); // its pod has not ended
  });
});

const budget = () => cluster.get("PodDisruptionBudget", "net.validators");

describe("drains", () => {
  test("are limited for the validators alone", () => {
    expect(budget()).toMatchObject({
      spec: { minAvailable: 3, selector: { matchExpressions: [{ values: [...VALIDATORS] }] } },
    });
    expect(cluster.network().status.conditions).toContainEqual(
      expect.objectContaining({ type: "FaultTolerant", status: "True", reason: "Tolerant" }),
    );
  });

  test("are limited for every Node with the key of a validator: of several another one may run", async () => {
    ask("twin", { nodeKeySecret: { name: "a-own" }, suspend: true });
    await expect(once("twin")).rejects.toThrow("ChainLost"); // the genesis of these tests names no validators
    await network();
    expect(budget()).toMatchObject({
      spec: { minAvailable: 3, selector: { matchExpressions: [{ values: [...VALIDATORS, "twin"] }] } },
    });
  });

  test("evict none while an address of the council is away, unless the Network permits it", async () => {
    cluster.objects.delete("Node demo/d");
    fail("d");
    await network();
    expect(budget()).toMatchObject({
      spec: { minAvailable: 3, selector: { matchExpressions: [{ values: ["a", "b", "c"] }] } },
    });
    expect(cluster.network().status.conditions).toContainEqual(
      expect.objectContaining({ type: "FaultTolerant", status: "False", reason: "AtLimit" }),
    );
    cluster.putNetwork(cluster.network().spec, { "knit.dev/allow-chain-stop": "drain" });
    await network();
    expect(budget()).toBeUndefined();
  });
});

const runOf = (name: string) => cluster.node(name).status.maintenance;
const votes = (): readonly string[] => cluster.calls.filter((call) => call.includes("governance_vote"));

describe("a change of the council", () => {
  test("is voted for by every validator, and ends when the chain reports it", async () => {
    ask("standby", {}, { "knit.dev/run": "join-council" });
    await once("standby");
    expect(votes()).toEqual(
      COUNCIL.map((address) => VALIDATORS.find((name) => addressOf(name) === address)).map(
        (name) => `${name} governance_vote governance.add ${addressOf("standby").slice(0, 14)}`,
      ),
    );
    expect(runOf("standby")).toMatchObject({
      state: "Running",
      message: "4 of 4 validators have voted",
    });
    cluster.now += 10_000;
    const larger = [...COUNCIL, addressOf("standby")];
    for (const name of ALL) answers(name, larger);
    await once("standby");
    expect(runOf("standby")).toMatchObject({ state: "Verifying", message: "it is one of 5 validators" });
    for (const height of [6, 7]) {
      cluster.now += 5_000;
      for (const name of ALL) cluster.tell(name, { height });
      await once("standby");
    }
    expect(runOf("standby")?.state).toBe("Succeeded");
    expect(cluster.node("standby").status.validator).toBe(true);
  });

  test("is cast again after five minutes, because a validator that restarts forgets its vote", async () => {
    ask("standby", {}, { "knit.dev/run": "join-council" });
    await once("standby");
    cluster.now += 300_000;
    for (const name of ALL) answers(name);
    await once("standby");
    expect(votes()).toHaveLength(8);
    cluster.now += 3_600_000;
    for (const name of ALL) answers(name);
    await once("standby");
    expect(runOf("standby")).toMatchObject({
      state: "Failed",
      message: "the council has not changed within an hour: 4 of 4 validators have voted",
    });
  });

  test("fails with the answer of the validators when none may vote", async () => {
    cluster.answer = () => {
      throw new ControlError("node-error", "You don't have the right to vote");
    };
    ask("standby", {}, { "knit.dev/run": "join-council" });
    await once("standby");
    expect(runOf("standby")).toMatchObject({
      state: "Failed",
      message: expect.stringContaining("0 of 4 validators have voted; another answers: demo/"),
    });
  });

  test("removes a validator that is away, and not one whose loss the others cannot bear", async () => {
    fail("d");
    ask("a", {}, { "knit.dev/run": "leave-council" });
    await once("a");
    expect(runOf("a")).toMatchObject({
      state: "Requested",
      message: "without it at most 0 of 3 validators may be unavailable, and demo/d already is",
    });
    ask("d", {}, { "knit.dev/run": "leave-council" });
    await once("d");
    expect(runOf("d")).toMatchObject({ state: "Running", message: "3 of 4 validators have voted" });
    const smaller = COUNCIL.filter((address) => address !== addressOf("d"));
    for (const name of ["a", "b", "c"]) answers(name, smaller);
    cluster.now += 5_000;
    await once("d");
    expect(runOf("d")).toMatchObject({
      state: "Succeeded",
      message: "it has left the council; 3 validators remain",
    });
    expect(cluster.node("d").status.validator).toBe(false);
  });

  test("is refused for a node that cannot be a validator", async () => {
    cluster.putNode("reader", { type: "endpoint" }, { "knit.dev/run": "join-council" });
    await once("reader");
    expect(cluster.events.join()).toContain(
      "reader MaintenanceRefused: knit.dev/run=join-council: only a core node",
    );
  });
});

const limit = (): unknown => (budget()?.["spec"] as { minAvailable?: number } | undefined)?.minAvailable;

describe("validators in two namespaces", () => {
  /** The Node of `d` moves to another namespace, with its key. */
  beforeEach(() => {
    const { spec, status } = cluster.node("d");
    const observed = cluster.observations.get("demo/d");
    fail("d");
    cluster.objects.delete("Node demo/d");
    const metadata = { name: "d", namespace: "other" };
    cluster.put({ apiVersion: "knit.dev/v1alpha1", kind: "Node", metadata, spec, status });
    const pod = aPod("d", {});
    cluster.put({ ...pod, metadata: { ...pod.metadata, namespace: "other" } });
    deps.memory.addresses.note(addressOf("d"), "other/d");
    if (observed !== undefined) cluster.observations.set("other/d", observed);
  });

  test("are one council: one that is away elsewhere holds up a restart here", async () => {
    cluster.observations.delete("other/d");
    ask("a", { image: "knit:new" });
    await once("a");
    expect(messageOf("a", "Progressing")).toContain("and other/d already is");
  });

  test("count a node that has read another key as missing", () => {
    cluster.tell("c", { id: idOf("standby") });
    const node = deps.cache.node("demo/a");
    const [council = []] = councilsOf({ network: undefined, nodes: node === undefined ? [] : [node], deps });
    expect(council.filter(({ isMissing }) => isMissing).map(({ member }) => member)).toEqual(["demo/c"]);
  });

  test("are counted by their genesis while no council is known", () => {
    cluster.observations.clear();
    const node = deps.cache.node("other/d");
    const councils = councilsOf({ network: undefined, nodes: node === undefined ? [] : [node], deps });
    expect(councils.map((council) => council.map(({ member = "" }) => member).sort())).toEqual([
      ["demo/a", "demo/b", "demo/c", "demo/standby", "other/d"],
    ]);
    expect(stopTrouble({ key: "other/d", address: addressOf("d") }, councils)).toMatchObject({
      isRefused: true,
    });
  });

  test("are drained in one namespace at a time, when the budget of the other is closed", async () => {
    cluster.now = Math.ceil(cluster.now / 120_000) * 120_000 + 20_000; // the turn of the first
    for (const name of ["a", "b", "c"]) answers(name);
    const other = (minAvailable: number, disruptionsAllowed: number) => {
      const metadata = { name: "net.validators", namespace: "other" };
      const status = { observedGeneration: 100, disruptionsAllowed };
      cluster.put({
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata,
        spec: { minAvailable },
        status,
      });
    };
    const observed = cluster.observations.get("other/d");
    if (observed?.ok === true)
      cluster.observations.set("other/d", { ...observed, at: cluster.now, until: cluster.now + 45_000 });
    for (const [spec, status, wanted] of [
      [0, 1, 3],
      [1, 1, 3],
      [1, 0, 2],
    ] as const) {
      other(spec, status);
      await network();
      expect(limit()).toBe(wanted);
    }
    cluster.now += 60_000; // the turn of the other
    await network();
    expect(limit()).toBe(3);
  });
});
