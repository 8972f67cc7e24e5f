/**
 * Four validators, a proxy and two endpoints under the real operator, and a real Prometheus that finds them by the
 * chart's PodMonitor and by the Nodes' ServiceMonitors, with the alerts of the chart's PrometheusRule. Pods are played
 * as processes, with a small disk each. Another operator is scraped beside it. Needs root.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { freePort } from "../../support/go-node.ts";
import { type AlertRule, type RuleFile, shorten, shortRules } from "./alert-rules.ts";
import { type Cluster, eventually, openCluster } from "./cluster.ts";
import { startNeighbour } from "./neighbour.ts";
import { applyChart, OPERATOR_NAMESPACE, type OperatorProcess, startOperator } from "./operator-process.ts";
import { openPlayer, type Player } from "./player.ts";
import { type Labels, type Prometheus, startPrometheus } from "./prometheus.ts";
import { type Monitor, scrapeJobs } from "./scrape-config.ts";
import { mountDisk, unmountDisk } from "./small-disk.ts";
import { buildTool } from "./tools.ts";

/** Times of the alerts are divided by this. */
export const FACTOR = 60;
/** Intervals of scrapes are divided by this: more often than once a second is too much for one machine. */
const SCRAPE_FACTOR = 30;
const EVALUATION = "500ms";
/** Last number of the address of the operator's pod; those of the nodes' pods are lower. */
const OPERATOR_PLACE = 250;

/** The validators. */
export const VALIDATORS = ["cn1", "cn2", "cn3", "cn4"] as const;
const MONITORED = [...VALIDATORS, "proxy", "near", "far"];
const API = "knit.dev/v1alpha1";
const MONITORING = ["--set=monitoring.podMonitor=true", "--set=monitoring.rules.enabled=true"];
const KINDS = ["podmonitors", "prometheusrules", "servicemonitors"];

/** The limit of memory of an endpoint, which a container would have; processes have none. */
const LIMITED = { "max-memory": "600MiB" };

/** The network and what observes it. Disposing it ends all of it. */
export interface MonitoredNetwork extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly player: Player;
  readonly prometheus: Prometheus;
  /** The alerts of the chart. */
  readonly rules: readonly AlertRule[];
  /** The running operator; a test that ends it sets the next one. */
  operator: OperatorProcess;
  /** Starts the operator in its pod's place; `more` arguments win. */
  startOperator(...more: string[]): Promise<OperatorProcess>;
  /** Output of `kubectl` in the namespace of the network. */
  demo(...args: string[]): Promise<string>;
  /** Applies an object there. */
  apply(object: object): Promise<string>;
  /** A field of an object there; empty when there is none. */
  field(object: string, path: string): Promise<string>;
}

/** Starts all. */
export async function openMonitoredNetwork(): Promise<MonitoredNetwork> {
  const schemas = await buildTool("schemas");
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster());
  for (const kind of KINDS)
    await cluster.kubectl(["create", "-f", join(schemas, `monitoring.coreos.com_${kind}.yaml`)]);
  await applyChart(cluster, ...MONITORING);
  await cluster.kubectl(["create", "namespace", "demo"]);
  const net = stack.adopt(addAddresses(), removeAddresses);
  const player = stack.use(await openPlayer(cluster, "demo", net));
  for (const name of MONITORED) {
    const directory = player.claim(`${name}-data`);
    mountDisk(directory);
    stack.defer(() => unmountDisk(directory));
  }
  const address = `${net}.${OPERATOR_PLACE}`;
  await seatOperator(cluster, address);
  const own = ["--peer-address=pod", "--poll-seconds=2", `--health-address=${address}:8080`];
  const start = (...more: string[]): Promise<OperatorProcess> => startOperator(cluster, ...own, ...more);
  const running = { operator: await start() };
  stack.defer(() => running.operator[Symbol.asyncDispose]());
  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);
  const apply = (object: object): Promise<string> =>
    cluster.kubectl(["-n", "demo", "apply", "-f", "-"], JSON.stringify(object));
  const nodes = await Promise.all(MONITORED.map(nodeNamed));
  for (const object of [NETWORK, STORE, ...nodes]) await apply(object);
  const file = await chartRules(cluster);
  const { job } = stack.use(await startNeighbour());
  const prometheus = stack.use(await observe(cluster, file, job));
  const open = stack.move();
  return {
    cluster,
    player,
    prometheus,
    rules: file.groups.flatMap(({ rules }) => rules),
    get operator() {
      return running.operator;
    },
    set operator(next) {
      running.operator = next;
    },
    startOperator: start,
    demo,
    apply,
    field: (object, path) => demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

const NETWORK = {
  apiVersion: API,
  kind: "Network",
  metadata: { name: "demo" },
  spec: { genesis: { create: { chainId: 2_018, validators: VALIDATORS } } },
};

/** A store of backups at which nobody answers. */
const STORE = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "store" },
  stringData: {
    AWS_ACCESS_KEY_ID: "nobody",
    AWS_SECRET_ACCESS_KEY: "nothing",
    AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1",
  },
};

/** Free disk in MiB below which the nodes write no blocks: less than there is on a small disk that is nearly full. */
const MIN_FREE = { "db.min-free": "8" };

/** A Node. All pods share this machine's ports for peers: they get different ones. */
async function nodeNamed(name: string): Promise<object> {
  const type = name.startsWith("cn") ? "core" : name === "proxy" ? "proxy" : "endpoint";
  return {
    apiVersion: API,
    kind: "Node",
    metadata: { name },
    spec: {
      type,
      network: { name: "demo" },
      p2p: { port: await freePort() },
      maintenance: { trieCache: { onShutdown: false } },
      settings: { ...MIN_FREE, ...(name === "near" ? LIMITED : {}) },
      ...(name === "far" ? { backup: { to: { url: "s3://archive/far", credentialsSecret: "store" } } } : {}),
    },
  };
}

/** Gives the pod of the operator's Deployment an address, where the operator's process listens in its place. */
async function seatOperator(cluster: Cluster, podIP: string): Promise<void> {
  const own = ["-n", OPERATOR_NAMESPACE];
  const pod = await eventually("the operator's pod", async () => {
    const path = "jsonpath={.items[?(@.spec.nodeName)].metadata.name}";
    const labels = "app.kubernetes.io/name=knit-operator";
    return (await cluster.kubectl([...own, "get", "pod", "-l", labels, "-o", path])) || undefined;
  });
  const patch = JSON.stringify({ status: { phase: "Running", podIP, podIPs: [{ ip: podIP }] } });
  await cluster.kubectl([...own, "patch", "pod", pod, "--subresource=status", "--type=merge", "-p", patch]);
}

/** Gives this machine addresses of a network for tests of networks (RFC 2544); returns how they begin. Needs root. */
function addAddresses(): string {
  const net = `198.18.${randomInt(256)}`;
  const { status, stderr } = spawnSync("ip", ["address", "add", `${net}.0/24`, "dev", "lo"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`ip: ${stderr}`);
  return net;
}

function removeAddresses(net: string): void {
  spawnSync("ip", ["address", "del", `${net}.0/24`, "dev", "lo"]);
}

async function chartRules(cluster: Cluster): Promise<RuleFile> {
  const rule = ["-n", OPERATOR_NAMESPACE, "prometheusrule", "knit-operator"];
  return (await cluster.get<{ spec: RuleFile }>(...rule)).spec;
}

function often(interval: string): string {
  return shorten(interval, SCRAPE_FACTOR);
}

/** Starts Prometheus with the jobs of all monitors, once there are those of all Nodes. */
async function observe(cluster: Cluster, file: RuleFile, neighbour: object): Promise<Prometheus> {
  const monitors = await eventually("the monitors of all Nodes", async () => {
    const { items } = await cluster.get<{ items: Monitor[] }>("-A", "servicemonitors,podmonitors");
    return items.length === MONITORED.length + 1 ? items : undefined;
  });
  const kubeconfig = join(cluster.directory, "admin.kubeconfig");
  return startPrometheus({
    jobs: [...monitors.flatMap((monitor) => scrapeJobs(monitor, { kubeconfig, interval: often })), neighbour],
    rules: JSON.stringify(shortRules(file, FACTOR)),
    evaluation: EVALUATION,
  });
}

/** True when an alert or a series has these labels. */
export function hasLabels(found: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => found[name] === value);
}
