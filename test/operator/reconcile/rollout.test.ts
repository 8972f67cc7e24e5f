/** Rollouts in memory: from another image to the StatefulSets that take it. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { identityOf } from "../../../operator/build/identity.ts";
import { ROLLOUT_MS } from "../../../operator/plan/rollout.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const text = (kind: string, name: string): string => JSON.stringify(cluster.get(kind, name));
const imageOf = (name: string): string | undefined =>
  /"image":"(knit:\w+)"/.exec(text("StatefulSet", name))?.[1];
const digestOf = (name: string): string =>
  /"knit.dev\/settings":"(\w+)"/.exec(text("StatefulSet", name))?.[1] ?? "";
const NAMES = ["core", "endpoint", "proxy"] as const;

/** Asks for other settings and another image, as `kubectl apply` does. */
function change(name: (typeof NAMES)[number], image: string): void {
  const { spec } = cluster.node(name);
  cluster.putNode(name, { ...spec, image, settings: { verbosity: image } });
}

/** The pod is replaced by one of the template that is there now. */
function replace(name: string, more: { readonly ready?: boolean; readonly started?: boolean } = {}): void {
  cluster.putPod(name, { uid: digestOf(name), digest: digestOf(name), ...more });
}

beforeEach(async () => {
  for (const name of NAMES) cluster.putRunning(name, []);
  for (const name of [...NAMES, ...NAMES]) await once(name);
  for (const name of NAMES) replace(name);
  for (const name of NAMES) change(name, "knit:new");
  cluster.writes.length = 0;
  cluster.events.length = 0;
});

describe("another image", () => {
  test("is taken by one member of the network, which the status says first; the others keep all they have", async () => {
    for (const name of ["endpoint", "proxy", "core"] as const) await once(name);
    expect(NAMES.map(imageOf)).toEqual(["knit:1", "knit:new", "knit:1"]);
    expect(cluster.writes.filter((write) => write.endsWith("endpoint")).slice(0, 1)).toEqual([
      "status endpoint",
    ]);
    expect(text("ConfigMap", "proxy-settings")).not.toContain("knit:new");
    expect(text("ConfigMap", "endpoint-settings")).toContain("knit:new");
    expect(cluster.conditions("endpoint")).toContain("Progressing True RollingOut");
    expect(cluster.conditions("core")).toContain("Progressing True RolloutWaits");
    expect([cluster.node("endpoint").status.phase, cluster.node("core").status.rollout]).toEqual([
      "Updating",
      undefined,
    ]);
  });

  test("is taken by one member, even when three workers look at once", async () => {
    await Promise.all(NAMES.map(once));
    expect(NAMES.filter((name) => imageOf(name) === "knit:new")).toHaveLength(1);
  });

  test("is taken by the next when the first is ready and level, until all have it", async () => {
    for (const name of ["endpoint", "proxy", "core"] as const) {
      await once(name);
      expect(imageOf(name)).toBe("knit:new");
      for (const other of NAMES) await once(other);
      replace(name);
      await once(name);
    }
    expect(cluster.events.map((event) => event.split(":")[0])).toEqual(
      ["endpoint", "proxy", "core"].flatMap((name) => [`${name} RolloutStarted`, `${name} RolloutSucceeded`]),
    );
    for (const name of NAMES) await once(name);
    const { length } = cluster.writes;
    for (const name of NAMES) await once(name);
    expect(cluster.writes.slice(length)).toEqual([]);
  });

  test("that does not start is rolled back; no other follows, and another change goes on", async () => {
    const before = text("ConfigMap", "endpoint-settings");
    await once("endpoint");
    replace("endpoint", { ready: false, started: false });
    cluster.now += ROLLOUT_MS;
    for (const name of ["core", "proxy"] as const) cluster.tell(name, {});
    for (const name of ["endpoint", "proxy", "core"]) await once(name);
    expect(NAMES.map(imageOf)).toEqual(["knit:1", "knit:1", "knit:1"]);
    expect(text("ConfigMap", "endpoint-settings")).not.toContain("knit:new");
    expect(before).not.toContain("knit:new");
    expect(cluster.conditions("endpoint")).toContain("Degraded True RolledBack");
    expect(cluster.events.at(-1)).toContain("endpoint RolloutRolledBack");
    replace("endpoint");
    deps = cluster.deps();
    for (const name of NAMES) await once(name);
    expect(NAMES.map(imageOf)).toEqual(["knit:1", "knit:1", "knit:1"]); // not again, by the next operator neither
    for (const name of NAMES) change(name, "knit:newer");
    for (const name of ["core", "proxy", "endpoint"]) await once(name);
    expect(NAMES.map(imageOf)).toEqual(["knit:1", "knit:newer", "knit:1"]);
  });

  test("that replaces one which never started is rolled back to the last one that did", async () => {
    await once("endpoint");
    change("endpoint", "knit:newer"); // before the status tells of the pod that does not start
    await once("endpoint");
    expect(imageOf("endpoint")).toBe("knit:newer");
    replace("endpoint", { ready: false, started: false });
    cluster.now += ROLLOUT_MS;
    await once("endpoint");
    expect(imageOf("endpoint")).toBe("knit:1");
  });

  test("that is taken back after a rollback ends the rollout", async () => {
    await once("endpoint");
    replace("endpoint", { ready: false, started: false });
    cluster.now += ROLLOUT_MS;
    await once("endpoint");
    replace("endpoint");
    cluster.tell("endpoint", {});
    cluster.putNode("endpoint", { type: "endpoint", nodeKeySecret: { name: "endpoint-own" } });
    for (const _ of [1, 2]) await once("endpoint");
    expect(cluster.node("endpoint").status.rollout).toBeUndefined();
    expect(cluster.conditions("endpoint")).toContain("Degraded False AsExpected");
  });

  test("is given on by an operator that starts anew, whatever the last one had written", async () => {
    await once("endpoint");
    const known = cluster.get("StatefulSet", "endpoint");
    deps = cluster.deps();
    for (const name of ["proxy", "core", "endpoint"]) await once(name);
    expect([NAMES.map(imageOf), cluster.get("StatefulSet", "endpoint")]).toEqual([
      ["knit:1", "knit:new", "knit:1"],
      known,
    ]);
  });

  test("is waited for by maintenance, in the next operator too", async () => {
    await once("endpoint");
    deps = cluster.deps();
    cluster.putRunning("core", [], { "knit.dev/run": "migrate" });
    await once("core");
    expect(cluster.node("core").status.maintenance).toMatchObject({
      state: "Requested",
      message: "endpoint is being recreated",
    });
  });

  test("that has been rolled back holds up no maintenance of others", async () => {
    await once("endpoint");
    replace("endpoint", { ready: false, started: false });
    cluster.now += ROLLOUT_MS;
    cluster.putRunning("core", [], { "knit.dev/run": "save-cache" });
    await once("endpoint");
    expect(cluster.node("endpoint").status.rollout?.state).toBe("RolledBack");
    cluster.answer = () => ({ isSaving: true, bytes: 1, err: "null" });
    await once("core");
    expect(cluster.node("core").status.maintenance).toMatchObject({ state: "Running" });
  });

  test("waits while a member of the network is being maintained", async () => {
    cluster.answer = () => ({ isMigration: true, progress: 1, err: "null" });
    cluster.putRunning("core", [], { "knit.dev/run": "migrate" });
    await once("core");
    change("proxy", "knit:new");
    await once("proxy");
    expect(imageOf("proxy")).toBe("knit:1");
    expect(cluster.node("proxy").status.conditions?.[2]).toMatchObject({
      reason: "RolloutWaits",
      message: "proxy: core is being maintained",
    });
  });
});

test("a template seen late does not take back what was just written", async () => {
  await once("endpoint");
  const stale = cluster.get("StatefulSet", "endpoint");
  const old = JSON.parse(
    JSON.stringify(stale).replaceAll(digestOf("endpoint"), "0123456789abcdef"),
  ) as object;
  const late: ReconcileDeps = {
    ...deps,
    cache: {
      ...deps.cache,
      find: (kind, key) => {
        const seen = deps.cache.find(kind, key);
        if (seen === undefined || kind !== "statefulSet") return seen;
        return { meta: { ...seen.meta, resourceVersion: "1" }, object: old };
      },
    },
  };
  await reconcile(cluster.node("endpoint"), late);
  expect([imageOf("endpoint"), cluster.get("StatefulSet", "endpoint")]).toEqual(["knit:new", stale]);
});

/** The replica has the pod of its template, and its node answers. */
function up(name: string, more: { readonly ready?: boolean; readonly started?: boolean } = {}): void {
  const { data } = cluster.get("Secret", `${name}-nodekey`) as { data: { nodekey: string } };
  const id = identityOf(Buffer.from(data.nodekey, "base64").toString())?.id ?? "";
  const report = cluster.observations.get("demo/core");
  if (report?.ok !== true) throw new Error("the core node does not answer");
  replace(name, more);
  const until = cluster.now + 45_000;
  cluster.observations.set(`demo/${name}`, { ...report, id, at: cluster.now, until });
}

describe("three replicas", () => {
  const REPLICAS = ["r", "r-m1", "r-m2"] as const;
  const spec = { type: "endpoint", replicas: 3 };

  beforeEach(async () => {
    for (const name of NAMES) cluster.objects.delete(`Node demo/${name}`);
    cluster.putNode("r", spec);
    await once("r");
    for (const name of REPLICAS) up(name);
    for (const _ of [1, 2]) await once("r");
    cluster.putNode("r", { ...spec, image: "knit:new" });
    await once("r");
    expect(new Set(REPLICAS.map(digestOf)).size).toBe(3);
  });

  /** The replica that is recreated does not become ready in time. */
  async function late(name: string): Promise<void> {
    up(name, { ready: false, started: false });
    cluster.now += ROLLOUT_MS;
    for (const other of REPLICAS) if (other !== name) up(other);
    for (const _ of [1, 2]) await once("r");
  }

  test("of which the first is not ready in time have the former template", async () => {
    await late("r");
    expect(cluster.node("r").status.rollout).toMatchObject({ state: "RolledBack", member: "r" });
    expect(REPLICAS.map(imageOf)).toEqual(["knit:1", "knit:1", "knit:1"]);
  });

  test("of which a later one is not ready in time stop there: the first runs with the spec", async () => {
    up("r");
    for (const _ of [1, 2]) await once("r");
    expect(REPLICAS.map(imageOf)).toEqual(["knit:new", "knit:new", "knit:1"]);
    await late("r-m1");
    expect(cluster.node("r").status.rollout).toMatchObject({ state: "Paused", member: "r-m1" });
    expect(REPLICAS.map(imageOf)).toEqual(["knit:new", "knit:new", "knit:1"]);
    expect(cluster.conditions("r")).toContain("Degraded True RolloutPaused");
  });
});
