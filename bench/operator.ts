/**
 * The operator with many Nodes on a real control plane: what it needs when nothing happens, how soon a changed Node is
 * applied, how soon lost peers are back, how long it takes to start anew. Prints one JSON line a figure.
 *
 *   npm run build && node bench/operator.ts [--nodes 1000] [--network 50] [--seconds 60] [--changes 100]
 *     [--profile DIRECTORY]
 *
 * API server and etcd are real; of the controllers those run that the operator needs. Nodes are played: the real
 * gateways over TLS, all in this process, and behind each a socket that answers with a new block each second. What
 * counts is processor time: this process and the API server take the same cores. Needs Go, like npm run test:cluster.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { V1ConfigMap } from "@kubernetes/client-node";
import type { DraftOf } from "../operator/api/resource.ts";
import { SELECTOR } from "../operator/compose/operator.ts";
import { loadAccess } from "../operator/kube/access.ts";
import { type KubeClient, openKubeClient } from "../operator/kube/client.ts";
import { openReflector } from "../operator/kube/reflector.ts";
import { kinds } from "../operator/kube/resources.ts";
import { pause } from "../operator/observe/clock.ts";
import { silentLog } from "../operator/observe/log.ts";
import { type Cluster, eventually, openCluster, whyNoCluster } from "../test/cluster/support/cluster.ts";
import { applyChart } from "../test/cluster/support/operator-process.ts";
import { GENESIS, namespaces, nodeDrafts } from "./operator/nodes.ts";
import type { PlayedNode } from "./operator/played-node.ts";
import { openPlayedPods } from "./operator/played-pods.ts";
import { type Cost, type Subject, startSubject } from "./operator/subject.ts";
import { Latencies } from "./rpc/latencies.ts";
import { report, roundTo } from "./support/figures.ts";

const CONTROLLERS =
  "namespace-controller,serviceaccount-controller,serviceaccount-token-controller,garbage-collector-controller,root-ca-certificate-publisher-controller";
const SETTLE_SECONDS = 45;

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000" },
    network: { type: "string", default: "50" },
    seconds: { type: "string", default: "60" },
    changes: { type: "string", default: "100" },
    profile: { type: "string" },
  },
});
const nodes = Number(values.nodes);
const network = Number(values.network);
const engine = values.profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", values.profile];

const missing = whyNoCluster();
if (missing !== undefined) throw new Error(missing);
const scratch = mkdtempSync(join(tmpdir(), "kb-"));
try {
  await using cluster = await openCluster({ controllers: CONTROLLERS });
  await applyChart(cluster);
  process.env["KUBECONFIG"] = join(cluster.directory, "admin.kubeconfig");
  const access = await loadAccess(Date.now);
  await using client = openKubeClient({ access, userAgent: "bench", fieldManager: "bench" });
  await using pods = await openPlayedPods({ client, directory: scratch, selector: SELECTOR });
  await makeNamespaces(cluster, client);
  {
    await using subject = await startSubject(cluster, engine);
    await bringUp(subject, client);
    await waitSeconds(SETTLE_SECONDS);
    await steady(subject);
    await change(subject, client);
    await mend(subject, pods.nodes());
  }
  await restart(cluster);
  if (pods.count() !== nodes) throw new Error(`${pods.count()} pods for ${nodes} Nodes`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function makeNamespaces(cluster: Cluster, client: KubeClient): Promise<void> {
  for (const namespace of namespaces(nodes, network)) {
    await cluster.kubectl(["create", "namespace", namespace]);
    const genesis: DraftOf<V1ConfigMap> = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: GENESIS.name, namespace },
      data: { [GENESIS.key]: "{}" },
    };
    await client.create(genesis);
  }
}

/** From Nodes that are asked for to Nodes that are all ready. */
async function bringUp(subject: Subject, client: KubeClient): Promise<void> {
  const began = performance.now();
  const waiting = nodeDrafts(nodes, network).values();
  const create = async (): Promise<void> => {
    for (const draft of waiting) await client.create(draft);
  };
  await Promise.all(Array.from({ length: 8 }, create));
  await allReady(subject);
  tell("all nodes ready", { seconds: secondsSince(began) }, await subject.cost());
}

async function steady(subject: Subject): Promise<void> {
  const before = await subject.cost();
  const began = performance.now();
  await waitSeconds(Number(values.seconds));
  const cost = difference(await subject.cost(), before);
  const seconds = (performance.now() - began) / 1_000;
  tell(
    "steady",
    { seconds: roundTo(seconds), percentOfACore: roundTo((cost.cpuSeconds / seconds) * 100) },
    cost,
  );
}

/** From a changed Node to the event of the object that the change is applied to; no rollout holds this one back. */
async function change(subject: Subject, client: KubeClient): Promise<void> {
  const before = await subject.cost();
  const latencies = new Latencies();
  const waiting = new Map<string, (at: number) => void>();
  await using policies = openReflector({
    client,
    selection: { kind: kinds.networkPolicy, namespace: undefined, labelSelector: SELECTOR },
    onChange: (now) => {
      const [found] = /client-\d+/.exec(JSON.stringify(now?.object ?? "")) ?? [];
      if (found !== undefined) waiting.get(found)?.(performance.now());
    },
    log: silentLog,
    pause,
  });
  await policies.synced;
  const drafts = nodeDrafts(nodes, network);
  const changes = Number(values.changes);
  for (let index = 0; index < changes; index++) {
    const { metadata } = drafts[Math.floor((index * drafts.length) / changes)] ?? { metadata: undefined };
    if (metadata === undefined) continue;
    const name = `client-${index}`;
    const applied = new Promise<number>((resolve) => waiting.set(name, resolve));
    const began = performance.now();
    await client.merge(kinds.node, metadata, { spec: { networkPolicy: { clients: [name] } } });
    latencies.add((await applied) - began);
    await waitSeconds(0.1);
  }
  const times = { p50Ms: roundTo(latencies.quantile(0.5)), p99Ms: roundTo(latencies.quantile(0.99)) };
  tell("a changed Node applied", { changes, ...times }, difference(await subject.cost(), before));
}

/** From all nodes without a peer to all with as many as they had. */
async function mend(subject: Subject, played: readonly PlayedNode[]): Promise<void> {
  const before = await subject.cost();
  const kept = played.map((node) => node.peers());
  const reported = tellings(played);
  const began = performance.now();
  for (const node of played) node.losePeers();
  await eventually(
    "all peers",
    async () => played.every((node, index) => node.peers() >= (kept[index] ?? 0)) || undefined,
    600,
  );
  const figures = { peers: sumOf(kept), calls: tellings(played) - reported, seconds: secondsSince(began) };
  tell("all peers back", figures, difference(await subject.cost(), before));
}

function tellings(played: readonly PlayedNode[]): number {
  return sumOf(played.map((node) => node.tellings()));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** From the start of the process until it has heard of every Node and nothing waits. */
async function restart(cluster: Cluster): Promise<void> {
  const began = performance.now();
  await using subject = await startSubject(cluster, []);
  await allReady(subject);
  tell("restart to steady", { seconds: secondsSince(began) }, await subject.cost());
}

async function allReady(subject: Subject): Promise<void> {
  await eventually(
    "all nodes ready",
    async () => {
      const metrics = await subject.metrics();
      const ready = metrics.get("knit_operator_ready_nodes") === nodes;
      const heard =
        [...metrics.keys()].filter((name) => name.startsWith("knit_node_height{")).length === nodes;
      return ready && heard && metrics.get('workqueue_depth{name="node"}') === 0 ? true : undefined;
    },
    1_800,
  );
}

function difference(after: Cost, before: Cost): Cost {
  const requests = Object.entries(after.requests).map(([method, count]) => [
    method,
    count - (before.requests[method] ?? 0),
  ]);
  return {
    ...after,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    requests: Object.fromEntries(requests) as Record<string, number>,
  };
}

function tell(row: string, figures: object, cost: Cost): void {
  report({ row, nodes, ...figures, ...cost, cpuSeconds: roundTo(cost.cpuSeconds) });
}

function secondsSince(began: number): number {
  return roundTo((performance.now() - began) / 1_000);
}

function waitSeconds(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
