/** Maintenance that several Nodes of a network ask for, in memory. */
import { describe, expect, test } from "@jest/globals";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
  cluster.answer = () => null;
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);
const state = (name: string) => cluster.node(name).status.maintenance;
const begins = (): readonly string[] => cluster.calls.filter((call) => call.includes("start"));
const WISH = { "knit.dev/run": "migrate" };

describe("maintenance", () => {
  test("begins on the first by name of those that ask at the same moment, whoever is looked at first", async () => {
    cluster.putRunning("core", []);
    cluster.putRunning("proxy", ["core"], WISH);
    cluster.putRunning("endpoint", ["proxy"], WISH);
    await once("proxy");
    expect(state("proxy")).toMatchObject({ state: "Requested", message: "endpoint has an earlier request" });
    deps = cluster.deps(); // of the next operator, which knows what the status says
    await once("proxy");
    await once("endpoint");
    expect([state("proxy")?.state, state("endpoint")?.state]).toEqual(["Requested", "Running"]);
  });

  test("begins on the first by name of those whose schedules came up at the same time", async () => {
    cluster.putRunning("core", []);
    for (const name of ["proxy", "endpoint"] as const) {
      cluster.putRunning(name, ["core"]);
      const { spec } = cluster.node(name);
      cluster.putNode(name, { ...spec, maintenance: { stateMigration: { schedule: "0 1 * * *" } } });
      await once(name);
    }
    cluster.now += 3_601_000;
    for (const name of ["core", "proxy", "endpoint"]) cluster.tell(name, { height: 6 });
    await once("proxy");
    expect(state("proxy")).toMatchObject({ state: "Requested", message: "endpoint has an earlier request" });
    await once("endpoint");
    expect(state("endpoint")).toMatchObject({ state: "Running" });
  });

  test.each([
    [
      "is suspended",
      () => cluster.putNode("endpoint", { ...cluster.node("endpoint").spec, suspend: true }, WISH),
    ],
    ["does not become ready", () => cluster.putPod("endpoint", { ready: false })],
    ["is being deleted", () => cluster.deleteNode("endpoint", "of.somebody/else")],
    [
      "has no room",
      () => {
        cluster.answer = (node) => (node === "endpoint" ? { free: 5, needed: 9 } : null);
      },
    ],
  ])("begins on the next one when the one whose turn it is %s", async (_why, befalls) => {
    cluster.putRunning("core", []);
    cluster.putRunning("endpoint", ["proxy"], WISH);
    cluster.putRunning("proxy", ["core"], WISH);
    befalls();
    await once("endpoint");
    await once("proxy");
    expect(state("proxy")).toMatchObject({ state: "Running" });
    expect(begins()).toHaveLength(1);
  });

  test("is begun on one node at a time, even when two workers look at once", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.putRunning("proxy", ["core"], WISH);
    await once("proxy");
    cluster.putPod("core", { ready: false });
    await once("core");
    cluster.putPod("core"); // nothing holds it up any more, which its status does not say yet
    await Promise.all([once("core"), once("proxy")]);
    expect(begins()).toHaveLength(1);
    expect(new Set([state("core")?.state, state("proxy")?.state])).toEqual(new Set(["Requested", "Running"]));
  });
});
