/** The operator's metrics: the page is what is declared, and what is told comes out under the names that are known. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import {
  type NetworkResource,
  type NodeResource,
  readNetwork,
  readNode,
} from "../../../operator/api/resource.ts";
import { systemClock } from "../../../operator/observe/clock.ts";
import { createMetrics } from "../../../operator/observe/metrics.ts";
import type { NetworkFigures } from "../../../operator/observe/network-metrics.ts";
import { type NodeFigures, nodeMetricsText } from "../../../operator/observe/node-metrics.ts";
import { figuresOf, networkFiguresOf } from "../../../operator/reconcile/figures.ts";
import type { Observation } from "../../../operator/reconcile/observation.ts";
import { WorkQueue } from "../../../operator/runtime/queue.ts";
import {
  OPERATOR_METRICS_DOCS,
  operatorMetricsDocs,
  unreadMetrics,
} from "../../../scripts/operator-metrics-docs.ts";
import { until } from "../../support/until.ts";

const FIGURES: NodeFigures = {
  namespace: "demo",
  node: "core",
  network: "net",
  type: "core",
  ready: true,
  height: 7,
  lag: 0,
  peers: undefined,
  peersMissing: 1,
  diskUsedBytes: undefined,
  diskCapacityBytes: undefined,
  maintained: false,
  isMaintenanceFailed: false,
  isRolloutPaused: true,
  hasKeyTrouble: false,
  backup: { at: 1_767_225_600, verifiedAt: undefined, bytes: 900, isOverdue: true },
};

function someMetrics(figures: readonly NodeFigures[] = [], networks: readonly NetworkFigures[] = []) {
  return createMetrics({
    host: () => "server:6443",
    depths: () => ({ node: 3 }),
    nodes: () => 2,
    readyNodes: () => 1,
    leading: () => true,
    missingFields: () => 2,
    missingNamespaces: () => 1,
    figures: () => figures,
    networks: () => networks,
  });
}

test("the page says what is declared; npm run generate writes it anew", () => {
  expect(readFileSync(OPERATOR_METRICS_DOCS, "utf8")).toBe(operatorMetricsDocs());
});

test("every metric says in a sentence what it is, and names of our own keep Prometheus' rules", () => {
  const own = unreadMetrics()
    .declarations()
    .filter(({ name }) => !/^(process|nodejs)_/.test(name));
  expect(own.length).toBeGreaterThan(15);
  for (const { name, help, type } of own) {
    expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z0-9].*\.$/)]);
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
  }
});

test("what is told is under the customary names", async () => {
  const metrics = someMetrics([FIGURES]);
  metrics.request("GET", 200);
  const lines = (await metrics.render()).split("\n");
  for (const line of [
    'rest_client_requests_total{method="GET",code="200",host="server:6443"} 1',
    'leader_election_master_status{name="knit-operator"} 1',
    'workqueue_depth{name="node"} 3',
    "knit_operator_ready_nodes 1",
    'knit_node_height{namespace="demo",node="core",network="net",type="core"} 7',
    'knit_node_backup_timestamp_seconds{namespace="demo",node="core",network="net",type="core"} 1767225600',
    'knit_node_backup_overdue{namespace="demo",node="core",network="net",type="core"} 1',
    'knit_node_rollout_paused{namespace="demo",node="core",network="net",type="core"} 1',
    'knit_node_peers_missing{namespace="demo",node="core",network="net",type="core"} 1',
  ])
    expect(lines).toContain(line);
  expect(lines.filter((line) => line.startsWith("knit_node_peers{"))).toEqual([]);
});

test("a network that stalls is 0, and one of which nothing is known has no line", async () => {
  const known = [stalledNetwork("one", "False"), stalledNetwork("two", "True")];
  const unknown = stalledNetwork("three", "Unknown");
  const text = await someMetrics([], networkFiguresOf([...known, unknown])).render();
  const lines = text.split("\n").filter((line) => line.startsWith("knit_network_producing{"));
  expect(lines).toEqual([
    'knit_network_producing{namespace="demo",network="one"} 0',
    'knit_network_producing{namespace="demo",network="two"} 1',
  ]);
});

function stalledNetwork(name: string, status: string): NetworkResource {
  const producing = { type: "Producing", status, reason: "ChainStalled", message: "", observedGeneration: 1 };
  return readNetwork({
    metadata: { name, namespace: "demo", uid: name, resourceVersion: "1" },
    spec: { genesis: { configMap: { name: "g" } } },
    status: { conditions: [{ ...producing, lastTransitionTime: "2026-01-01T00:00:00Z" }] },
  });
}

test("a node that is gone has no lines any more", async () => {
  const figures = [FIGURES];
  const metrics = someMetrics(figures);
  expect(await metrics.render()).toContain("knit_node_height{");
  figures.pop();
  expect(await metrics.render()).not.toContain("knit_node_height{");
});

test("a queue counts what comes, what is done, what fails and what comes again", async () => {
  const metrics = someMetrics();
  let failures = 1;
  await using queue = new WorkQueue({
    work: async () => {
      if (failures-- > 0) throw new Error("not yet");
      return undefined;
    },
    onFailure: () => undefined,
    metrics: metrics.queue("node"),
    concurrency: 1,
    clock: systemClock,
    chance: () => 0,
  });
  queue.add("a");
  queue.add("a");
  await until(() => failures < 0);
  const lines = (await metrics.render()).split("\n");
  for (const line of [
    'workqueue_adds_total{name="node"} 2',
    'workqueue_retries_total{name="node"} 1',
    'workqueue_queue_duration_seconds_count{name="node"} 2',
    'controller_runtime_reconcile_total{controller="node",result="error"} 1',
    'controller_runtime_reconcile_total{controller="node",result="success"} 1',
    'controller_runtime_reconcile_errors_total{controller="node"} 1',
    'controller_runtime_active_workers{controller="node"} 0',
  ])
    expect(lines).toContain(line);
});

function aNode(name: string, network: string): NodeResource {
  return readNode({
    metadata: { name, namespace: "demo", uid: name, resourceVersion: "1" },
    spec: { type: "proxy", network: { name: network } },
    status: { members: [{ name, ready: true }] },
  });
}

function anAnswer(height: number): Observation {
  const who = {
    address: "",
    id: "",
    version: "",
    genesis: undefined,
    syncing: false,
    council: undefined,
    disk: undefined,
  };
  return { ok: true, at: 0, until: 1, ...who, height, peers: new Set(["x"]) };
}

test("lag is against the highest of a network, and who does not answer has neither height nor lag", () => {
  const reported = new Map([
    ["demo/a", anAnswer(10)],
    ["demo/b", anAnswer(7)],
    ["demo/other", anAnswer(99)],
  ]);
  const nodes = [aNode("a", "one"), aNode("b", "one"), aNode("silent", "one"), aNode("other", "two")];
  const rows = figuresOf(nodes, (key) => reported.get(key)).map(({ node: name, height, lag }) => [
    name,
    height,
    lag,
  ]);
  expect(rows).toEqual([
    ["a", 10, 0],
    ["b", 7, 3],
    ["silent", undefined, undefined],
    ["other", 99, 0],
  ]);
});

test("troubles that alerts watch come from the status: of the key, of a rollout and of the last maintenance", () => {
  const run = { operation: "migrate", member: "a", cause: "Annotation", message: "no space" };
  const times = {
    requestedAt: "2026-01-01T00:00:00Z",
    finishedAt: "2026-01-01T01:00:00Z",
    stateAt: "2026-01-01T01:00:00Z",
  };
  const node = readNode({
    metadata: { name: "a", namespace: "demo", uid: "a", resourceVersion: "1" },
    spec: { type: "proxy", network: { name: "one" }, replicas: 2 },
    status: {
      members: [
        { name: "a", ready: true },
        { name: "a-m1", ready: false, reason: "KeyInUse" },
      ],
      maintenance: { ...run, ...times, state: "Failed" },
      rollout: {
        member: "a-m1",
        state: "Paused",
        startedAt: times.requestedAt,
        revision: "r",
        message: "late",
      },
    },
  });
  const rows = figuresOf([node], () => undefined);
  expect(rows.map(({ node: name, type, network }) => [name, type, network])).toEqual([
    ["a", "proxy", "one"],
    ["a-m1", "proxy", "one"],
  ]);
  const troubles = rows.map((row) => [row.isMaintenanceFailed, row.isRolloutPaused, row.hasKeyTrouble]);
  expect(troubles).toEqual([
    [true, false, false],
    [false, true, true],
  ]);
});

test.each([
  [false, false],
  [true, undefined],
])("a Node without a pod whose suspension is %s is ready: %s", (suspend, ready) => {
  const node = readNode({
    metadata: { name: "a", namespace: "demo", uid: "a", resourceVersion: "1" },
    spec: { type: "proxy", network: { name: "one" }, suspend },
    status: { members: [{ name: "a", ready: false }] },
  });
  const rows = figuresOf([node], () => undefined);
  expect(rows).toMatchObject([{ ready }]);
  expect(nodeMetricsText(rows).includes("knit_node_ready{")).toBe(ready !== undefined);
});

/** A Node with backups. */
const aBackedUp = (backup: object, status: string) =>
  readNode({
    metadata: { name: "a", namespace: "demo", uid: "a", resourceVersion: "1" },
    spec: { type: "proxy", network: { name: "one" }, replicas: 2 },
    status: {
      members: ["a", "a-m1"].map((name) => ({ name, ready: true })),
      backup: { since: "2026-01-01T00:00:00Z", ...backup },
      conditions: [
        {
          type: "BackedUp",
          status,
          reason: "x",
          message: "",
          observedGeneration: 1,
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  });

const figuresOfBackup = (backup: object, status: string) =>
  figuresOf([aBackedUp(backup, status)], () => undefined).map((row) => row.backup);

test("figures of backups are those of the replica that made the newest one, and of the first before there is one", () => {
  const made = { member: "a-m1", at: "2026-01-01T00:00:00Z", bytes: 9 };
  expect(figuresOfBackup(made, "True")).toEqual([
    undefined,
    { at: 1_767_225_600, verifiedAt: undefined, bytes: 9, isOverdue: false },
  ]);
  expect(figuresOfBackup({}, "False")[0]).toMatchObject({ at: undefined, isOverdue: true });
});

test("figures of backups stay when the replica that made the newest one was removed: they can be overdue", () => {
  const made = { member: "a-m7", at: "2026-01-01T00:00:00Z", bytes: 9 };
  expect(figuresOfBackup(made, "False")[0]).toMatchObject({ bytes: 9, isOverdue: true });
});

test.each([
  ["Tolerant", true],
  ["AtLimit", false],
  ["BelowQuorum", false],
  ["TooFewValidators", undefined],
  ["CouncilUnknown", undefined],
])("a network with the reason %s is fault tolerant: %s", (reason, isFaultTolerant) => {
  const condition = { type: "FaultTolerant", status: "True", reason, message: "", observedGeneration: 1 };
  const network = readNetwork({
    metadata: { name: "n", namespace: "demo", uid: "n", resourceVersion: "1" },
    spec: { genesis: { configMap: { name: "g" } } },
    status: { conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }] },
  });
  expect(networkFiguresOf([network])).toMatchObject([{ isFaultTolerant }]);
});
