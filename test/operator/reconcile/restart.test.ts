/** A requested restart in memory: the rules are those of a rollout, and nothing restarts without a request. */
import { beforeEach, expect, test } from "@jest/globals";
import { ROLLOUT_MS } from "../../../operator/plan/rollout.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const NAMES = ["core", "endpoint", "proxy"] as const;
const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const set = (name: string): string => JSON.stringify(cluster.get("StatefulSet", name));
const digestOf = (name: string): string => /"knit.dev\/settings":"(\w+)"/.exec(set(name))?.[1] ?? "";

/** The pod is replaced by one of the template that is there now. */
function replace(name: string, more: { readonly ready?: boolean; readonly started?: boolean } = {}): void {
  cluster.putPod(name, { uid: digestOf(name), digest: digestOf(name), ...more });
}

/** Asks for a restart, as `kubectl annotate` does. */
function restart(name: (typeof NAMES)[number]): void {
  cluster.putNode(name, cluster.node(name).spec, { "knit.dev/run": "restart" });
}

/** The Node is restored from a copy without its status, and another operator begins. */
function forgetStatus(name: string): void {
  const { spec } = cluster.node(name);
  cluster.objects.delete(`Node demo/${name}`);
  cluster.putNode(name, spec);
  deps = cluster.deps();
}

let before: readonly string[];

beforeEach(async () => {
  for (const name of NAMES) cluster.putRunning(name, []);
  for (const name of [...NAMES, ...NAMES]) await once(name);
  for (const name of NAMES) replace(name);
  before = NAMES.map(digestOf);
  cluster.events.length = 0;
});

test("recreates the pod by another template, once; the request is recorded and the annotation removed", async () => {
  restart("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  expect(cluster.node("endpoint").meta.annotations["knit.dev/run"]).toBeUndefined();
  expect(cluster.node("endpoint").status.restartedAt).toBe("2026-01-01T00:00:00Z");
  expect(set("endpoint")).toContain('"knit.dev/restart":"2026-01-01T00:00:00Z"');
  expect(digestOf("endpoint")).not.toBe(before[1]);
  replace("endpoint");
  await once("endpoint");
  expect(cluster.events.map((event) => event.split(":")[0])).toEqual([
    "endpoint RestartRequested",
    "endpoint RolloutStarted",
    "endpoint RolloutSucceeded",
  ]);
  for (const name of NAMES) await once(name);
  const { length } = cluster.writes;
  for (const name of NAMES) await once(name);
  expect(cluster.writes.slice(length)).toEqual([]);
});

test("of all Nodes goes one at a time, endpoints first; the others say that they wait, and for what", async () => {
  for (const name of NAMES) restart(name);
  for (const name of [...NAMES, ...NAMES]) await once(name);
  expect(NAMES.map((name, place) => digestOf(name) !== before[place])).toEqual([false, true, false]);
  expect(cluster.node("core").status.outdated).toEqual([
    {
      member: "core",
      reason: "SpecChanged",
      message: "metadata.annotations.knit.dev/restart; endpoint is recreated first",
    },
  ]);
  expect(cluster.node("endpoint").status.outdated?.map(({ reason }) => reason)).toEqual(["BeingRecreated"]);
  for (const name of ["endpoint", "proxy", "core"] as const) {
    replace(name);
    for (const other of ["endpoint", "proxy", "core"] as const) await once(other);
  }
  expect(NAMES.map((name, place) => digestOf(name) !== before[place])).toEqual([true, true, true]);
  expect(NAMES.map((name) => cluster.node(name).status.outdated)).toEqual([undefined, undefined, undefined]);
});

test("waits while the council would lose its quorum", async () => {
  const validators = ["core", "core-2"];
  cluster.putNetwork({ genesis: { create: { chainId: 7, validators } } });
  const council = new Set(["0x01", "0x02"]);
  cluster.tell("core", {
    council: [...council, cluster.node("core").status.address ?? ""],
  });
  restart("core");
  for (const _ of [1, 2, 3]) await once("core");
  expect(digestOf("core")).toBe(before[0]);
  expect(cluster.node("core").status.outdated?.[0]?.message).toContain("validators");
});

test("that does not end well is rolled back, and a lost status restarts no pod", async () => {
  restart("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  replace("endpoint", { ready: false, started: false });
  cluster.now += ROLLOUT_MS;
  await once("endpoint");
  expect(digestOf("endpoint")).toBe(before[1]);
  expect(cluster.conditions("endpoint")).toContain("Degraded True RolledBack");
  replace("endpoint");
  forgetStatus("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  expect(digestOf("endpoint")).toBe(before[1]);
});

test("is remembered by the template when the status is lost", async () => {
  restart("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  replace("endpoint");
  await once("endpoint");
  const written = set("endpoint");
  forgetStatus("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  expect(set("endpoint")).toBe(written);
});

test("takes the template of a new release, which the status names until then", async () => {
  const settings = { ...deps.settings, gatewayImage: "operator:2" };
  deps = { ...cluster.deps(), settings };
  await once("endpoint");
  expect(digestOf("endpoint")).toBe(before[1]);
  expect(cluster.node("endpoint").status.outdated).toEqual([
    {
      member: "endpoint",
      reason: "ReleaseChanged",
      message:
        "spec.initContainers[gateway].image; takes effect when the pod is next recreated, such as by kubectl -n demo annotate kn endpoint knit.dev/run=restart",
    },
  ]);
  restart("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  replace("endpoint");
  await once("endpoint");
  expect(set("endpoint")).toContain('"image":"operator:2"');
  expect(cluster.node("endpoint").status.outdated).toBeUndefined();
});

test("is later than the last one also when the clock was set back since", async () => {
  restart("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  const first = digestOf("endpoint");
  replace("endpoint");
  cluster.now -= 9 * 3_600_000;
  cluster.tell("endpoint", {});
  await once("endpoint");
  restart("endpoint");
  for (const _ of [1, 2]) await once("endpoint");
  expect(cluster.node("endpoint").status.restartedAt).toBe("2026-01-01T00:00:01Z");
  expect(digestOf("endpoint")).not.toBe(first);
});
