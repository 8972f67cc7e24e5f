/** Several operators: the first one has a Node, the others say so and write nothing else, until it is handed over. */
import { expect, test } from "@jest/globals";
import { annotations } from "../../../operator/api/names.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { CORE, type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let first: ReconcileDeps;
let second: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  first = cluster.deps();
  const deps = cluster.deps();
  second = { ...deps, settings: { ...deps.settings, operatorId: "other/knit", version: "2.0.0" } };
});

const once = (deps: ReconcileDeps): Promise<number> => reconcile(cluster.node("core"), deps);
const owner = (): string | undefined => cluster.node("core").meta.annotations[annotations.operator];

test("a second operator writes nothing but its claim, and both tell", async () => {
  cluster.putRunning("core", []);
  await once(first);
  cluster.writes.length = 0;
  for (let round = 0; round < 3; round++) await once(second);
  await reconcileNetwork(cluster.network(), second);
  expect([cluster.writes, owner()]).toEqual([["merge core"], "ops/knit-operator"]);
  expect(cluster.events.at(-1)).toContain("core ManagedByAnother: the operator other/knit 2.0.0 leaves");
  await once(first);
  expect(cluster.conditions("core")).toContain("Contested True ScopesOverlap");
  expect(cluster.conditions("core")[0]).toBe("Ready True Ready");
  cluster.now += 1_800_001;
  cluster.tell("core", {});
  await once(first);
  expect(cluster.conditions("core")).not.toContain("Contested True ScopesOverlap");
});

test("a Node that is handed over is managed by the other one alone", async () => {
  cluster.putRunning("core", []);
  await once(first);
  const { spec } = cluster.node("core");
  cluster.putNode("core", { ...spec, image: "knit:2" }, { [annotations.operator]: "other/knit" });
  cluster.writes.length = 0;
  await once(first);
  expect(cluster.writes).toEqual(["merge core"]);
  await once(second);
  expect(cluster.writes).toContain("apply StatefulSet core");
});

test("a deleted Node is ended by its own operator, which takes its name away", async () => {
  cluster.putNode("core", CORE);
  await once(first);
  cluster.deleteNode("core");
  await once(second);
  expect(cluster.get("Node", "core")).toBeDefined();
  await once(first);
  expect(cluster.get("Node", "core")).toBeUndefined();
});
