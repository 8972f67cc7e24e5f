/**
 * Every alert of the chart, fired by a fault of its own in a network of seven nodes under the real operator, and every
 * query of the dashboards, answered by a real Prometheus on real scrapes. The times of the alerts are divided by 60.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { issueGateway } from "../../operator/control/authority.ts";
import { gatewayFiles } from "../../operator/control/methods.ts";
import { ROLLOUT_MS } from "../../operator/plan/rollout.ts";
import { dashboards } from "../../scripts/dashboards.ts";
import { freePort } from "../support/go-node.ts";
import { startKnit } from "../support/knit-process.ts";
import { establishDefinitions, eventually, whyNoCluster } from "./support/cluster.ts";
import {
  hasLabels,
  type MonitoredNetwork,
  openMonitoredNetwork,
  VALIDATORS,
} from "./support/monitored-network.ts";
import { NEIGHBOUR } from "./support/neighbour.ts";
import { OPERATOR_NAMESPACE } from "./support/operator-process.ts";
import type { Alert, Labels } from "./support/prometheus.ts";
import * as disks from "./support/small-disk.ts";
import { toolPath } from "./support/tools.ts";

const missing =
  whyNoCluster() ??
  (toolPath("prometheus") === "" ? "test/cluster/tools.sh build prometheus" : undefined) ??
  (process.getuid?.() === 0 ? undefined : "the disk of its own that fills needs root");
const about = missing === undefined ? describe : describe.skip;

const DAY_MS = 86_400_000;
/** Age and place of a certificate that ends in ten days. */
const OLD_MS = 80 * DAY_MS;

const panels = dashboards.flatMap(({ uid, title, panels: each }) =>
  each.flatMap(({ title: name, queries }) =>
    queries.map(([expr, legend]) => [`${title}: ${name} (${legend})`, expr, uid] as const),
  ),
);

interface Role {
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

const IN_NETWORK = { namespace: "demo", network: "demo" };
const now = (): number => Date.now() / 1_000;

about(`alerts and dashboards${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-alerts-"));
  let network: MonitoredNetwork;
  let disk = "";
  const fired = new Map<string, Alert>();
  const began = now();

  /** Waits until an alert with these labels fires. */
  const fires = (alert: string, labels: Labels = {}, seconds = 90): Promise<Alert> =>
    eventually(
      `${alert} ${JSON.stringify(labels)}`,
      async () => {
        const all = await network.prometheus.alerts();
        const found = all.find(
          ({ state, labels: each }) => state === "firing" && hasLabels(each, { alertname: alert, ...labels }),
        );
        if (found === undefined) throw new Error(JSON.stringify(all));
        fired.set(alert, found);
        return found;
      },
      seconds,
    );
  /** Waits until no alert with these labels is there. */
  const resolves = (alert: string, labels: Labels = {}, seconds = 90): Promise<true> =>
    eventually(
      `the end of ${alert}`,
      async () => {
        const all = await network.prometheus.alerts();
        return all.some(({ labels: each }) => hasLabels(each, { alertname: alert, ...labels }))
          ? undefined
          : true;
      },
      seconds,
    );
  const replacePod = (name: string): Promise<string> =>
    network.demo("delete", "pod", `${name}-0`, "--wait=false");
  const patchSpec = (node: string, spec: object): Promise<string> =>
    network.demo("patch", "kn", node, "--type=merge", "-p", JSON.stringify({ spec }));
  /** The answer of a node over HTTP. */
  const ask = async (node: string, method: string, ...params: unknown[]): Promise<unknown> => {
    const { address = "" } = network.player.pod(`${node}-0`) ?? {};
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`http://${address}:8551`, { method: "POST", headers, body });
    return ((await answer.json()) as { result: unknown }).result;
  };

  beforeAll(async () => {
    network = await openMonitoredNetwork();
    disk = network.player.claim("far-data");
  }, 900_000);

  afterAll(async () => {
    disks.stop(disk);
    await network?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  }, 120_000);

  test("a healthy network is scraped whole, and no alert fires", async () => {
    const names = [...VALIDATORS, "far", "near", "proxy"];
    await eventually(
      "a whole network that tolerates a failure",
      async () => {
        const all = await network.field("kn", '.items[*].status.conditions[?(@.type=="Ready")].status');
        const tolerance = await network.field(
          "knet/demo",
          '.status.conditions[?(@.type=="FaultTolerant")].reason',
        );
        if (all === names.map(() => "True").join(" ") && tolerance === "Tolerant") return true;
        throw new Error(`${all} ${tolerance}`);
      },
      240,
    );
    const seen = async (): Promise<readonly string[]> =>
      (await network.prometheus.up()).map(({ job, node = "", container }) => `${job} ${node} ${container}`);
    const expected = [
      `${OPERATOR_NAMESPACE}/knit-operator  operator`,
      ...names.flatMap((name) => ["node", "gateway"].map((each) => `${name}-members ${name} ${each}`)),
      "neighbour  manager",
    ];
    await eventually("all targets", async () => {
      const found = await seen();
      if (expected.every((each) => found.includes(each))) return true;
      throw new Error(JSON.stringify(found));
    });
    await eventually("no alert", async () => {
      const all = await network.prometheus.alerts();
      if (all.length === 0) return true;
      throw new Error(JSON.stringify(all));
    });
    const since = now();
    await eventually("half a minute", async () => (now() > since + 30 ? true : undefined));
    for (let call = 0; call < 20; call++) await ask("near", "eth_blockNumber");
    expect(await network.prometheus.range('ALERTS{alertstate="firing"}', since, now())).toEqual([]);
  }, 400_000);

  test("at the endpoint far a disk begins to fill, a certificate is old, and a backup reaches no store", async () => {
    disks.fill(disk);
    const { data } = await network.cluster.get<{ data: Record<string, string> }>(
      "-n",
      OPERATOR_NAMESPACE,
      "secret",
      "knit-operator-authority",
    );
    const text = (name: string): string => Buffer.from(data[name] ?? "", "base64").toString("utf8");
    const authority = { certificate: text("ca.crt"), key: text("ca.key") };
    const old = await issueGateway(authority, "far.demo.gateway.knit.dev", Date.now() - OLD_MS);
    const place = network.player.pod("far-0")?.certificates ?? "";
    writeFileSync(join(place, gatewayFiles.certificate), old.certificate);
    writeFileSync(join(place, gatewayFiles.key), old.key);
    await patchSpec("far", { backup: { schedule: "* * * * *" } });
    await fires("KnitMaintenanceFailed", { ...IN_NETWORK, node: "far" }, 150);
  }, 300_000);

  test("the only proxy dies: it is not ready, and the endpoints are without peers and behind", async () => {
    network.player.kill("proxy-0");
    await fires("KnitNodeNotReady", { ...IN_NETWORK, node: "proxy", type: "proxy" });
    await fires("KnitNodeWithoutPeers", { ...IN_NETWORK, node: "near" });
    await fires("KnitNodeBehind", { ...IN_NETWORK, node: "near" });
    await replacePod("proxy");
    for (const alert of ["KnitNodeNotReady", "KnitNodeWithoutPeers", "KnitNodeBehind"]) await resolves(alert);
  }, 400_000);

  test("another key in the Secret of an endpoint", async () => {
    const secret = await network.field("secret/near-nodekey", ".data.nodekey");
    const write = (nodekey: string): Promise<string> =>
      network.demo("patch", "secret", "near-nodekey", "-p", JSON.stringify({ data: { nodekey } }));
    await write(Buffer.from("7".repeat(64)).toString("base64"));
    await fires("KnitKeyTrouble", { ...IN_NETWORK, node: "near" });
    await write(secret);
    await resolves("KnitKeyTrouble");
  }, 200_000);

  test("a setting that no node has stops the rollout, which began 21 minutes ago", async () => {
    await patchSpec("near", { settings: { "no-such-flag": "1" } });
    const startedAt = new Date(Date.now() - ROLLOUT_MS - 60_000).toISOString().replace(/\.\d+Z/, "Z");
    await eventually(
      "a rollout",
      async () => (await network.field("kn/near", ".status.rollout.state")) || undefined,
    );
    const place = ["kn", "near", "--subresource=status", "--type=merge", "-p"];
    await eventually("the older rollout", async () => {
      await network.demo("patch", ...place, JSON.stringify({ status: { rollout: { startedAt } } }));
      const state = await network.field("kn/near", ".status.rollout.state");
      return state === "Paused" || state === "RolledBack" ? true : undefined;
    });
    await fires("KnitRolloutPaused", { ...IN_NETWORK, node: "near" });
    await patchSpec("near", { settings: { "no-such-flag": null } });
    await resolves("KnitRolloutPaused");
  }, 300_000);

  test("the operator ends, and comes back to definitions that lack a field", async () => {
    await network.operator.stop();
    const path =
      "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/terminationGracePeriodSeconds";
    const patch = JSON.stringify([{ op: "remove", path }]);
    await network.cluster.kubectl(["patch", "crd", "nodes.knit.dev", "--type=json", "-p", patch]);
    await fires("KnitOperatorWithoutLeader");
    network.operator = await network.startOperator();
    await resolves("KnitOperatorWithoutLeader");
    await fires("KnitDefinitionsOld");
    await network.cluster.kubectl(["apply", "--server-side", "--force-conflicts", "-f", "crds/"]);
    await establishDefinitions(network.cluster);
    await network.operator.stop();
    network.operator = await network.startOperator();
    await resolves("KnitDefinitionsOld");
  }, 300_000);

  test("the operator may not write statuses any more", async () => {
    const role = await network.cluster.get<Role>("clusterrole", "knit-operator");
    const rules = role.rules.filter(({ resources }) => !resources.includes("nodes/status"));
    expect(rules.length).toBe(role.rules.length - 1);
    const write = (all: Role["rules"]): Promise<string> =>
      network.cluster.kubectl([
        "patch",
        "clusterrole",
        "knit-operator",
        "--type=merge",
        "-p",
        JSON.stringify({ rules: all }),
      ]);
    await write(rules);
    await fires("KnitReconcileErrors");
    await write(role.rules);
    await resolves("KnitReconcileErrors");
  }, 300_000);

  test("the operator loses its rights in the namespace that it watches", async () => {
    const binding = ["clusterrolebinding", "knit-operator"];
    const { subjects } = await network.cluster.get<{ subjects: readonly object[] }>(...binding);
    const write = (all: readonly object[]): Promise<string> =>
      network.cluster.kubectl(["patch", ...binding, "--type=merge", "-p", JSON.stringify({ subjects: all })]);
    await network.operator.stop();
    await write([]);
    network.operator = await network.startOperator("--watch-namespace=demo");
    await fires("KnitNamespacesMissing");
    await write(subjects);
    await resolves("KnitNamespacesMissing");
    await network.operator.stop();
    network.operator = await network.startOperator();
  }, 300_000);

  test("two times of the schedule have passed, the disk is filled, and the certificate ends soon", async () => {
    await fires("KnitBackupOverdue", { ...IN_NETWORK, node: "far" }, 180);
    await patchSpec("far", { backup: { schedule: null } });
    await resolves("KnitBackupOverdue");
    await fires("KnitDiskFillsUp", { ...IN_NETWORK, node: "far" }, 180);
    disks.fillUp(disk);
    await fires("KnitDiskFull", { ...IN_NETWORK, node: "far" });
    await fires(
      "KnitGatewayCertificateExpires",
      { namespace: "demo", node: "far", container: "gateway" },
      180,
    );
    disks.empty(disk);
    await resolves("KnitDiskFull");
  }, 500_000);

  test("a validator dies, its key signs elsewhere, and it comes back while the operator is away", async () => {
    const address = await network.field("kn/cn4", ".status.address");
    const { data = "" } = network.player.pod("cn4-0") ?? {};
    network.player.kill("cn4-0");
    await fires("KnitNetworkNotFaultTolerant", IN_NETWORK);
    const home = join(directory, "twin");
    cpSync(data, home, { recursive: true, filter: (from) => !from.endsWith(".ipc") });
    writeFileSync(
      join(home, "knit", "static-nodes.json"),
      JSON.stringify([await network.field("kn/cn1", ".status.url")]),
    );
    const key = Buffer.from(await network.field("secret/cn4-nodekey", ".data.nodekey"), "base64").toString(
      "utf8",
    );
    const own = ["--type", "core", "--datadir", home, "--nodekeyhex", key.trim(), "--nodiscover"];
    const twin = startKnit("run", ...own, "--port", String(await freePort()), "--ipcdisable");
    try {
      const since = Number(await ask("near", "eth_blockNumber"));
      await eventually("a block of the twin", async () => {
        const block = await ask("near", "klay_getBlockWithConsensusInfoByNumber", "latest");
        const { number, proposer } = block as { readonly number: string; readonly proposer: string };
        return Number(number) > since && proposer.toLowerCase() === address.toLowerCase() ? true : undefined;
      });
      await network.operator.stop(); // it would have the others connect with the new pod alone
      await replacePod("cn4");
      await fires("KnitDoppelganger", { ...IN_NETWORK, node: "cn4", type: "core" }, 180);
      network.operator = await network.startOperator();
    } finally {
      await twin.stop("SIGKILL");
    }
  }, 500_000);

  test("a second validator dies, and the chain stands still", async () => {
    network.player.kill("cn3-0");
    await fires("KnitChainStalled", IN_NETWORK, 150);
    await replacePod("cn3");
    await resolves("KnitChainStalled");
  }, 300_000);

  test("each alert has fired and says what it is about, and nothing is known of another operator", () => {
    expect([...fired.keys()].sort()).toEqual(network.rules.map(({ alert }) => alert).sort());
    for (const [name, { labels, annotations }] of fired) {
      const { summary = "" } = annotations;
      const { namespace = "", network: chain = "", node = chain } = labels;
      const isAbout = node === "" || summary.includes(`${namespace}/${node}`);
      expect([name, summary, isAbout, /no value|\/ | \//.test(summary)]).toEqual([
        name,
        summary,
        true,
        false,
      ]);
    }
    expect(JSON.stringify([...fired])).not.toContain(NEIGHBOUR);
  });

  test.each(panels)("the panel %s has values", async (_, expr, uid) => {
    const query = expr
      .replaceAll("$namespace", uid === "knit-operator" ? OPERATOR_NAMESPACE : "demo")
      .replaceAll("$network", "demo")
      .replaceAll("$node", "near");
    const series = await network.prometheus.range(query, began, now());
    const values = series.flatMap((each) => each.values.map(([, value]) => Number(value)));
    expect([query, values.some(Number.isFinite)]).toEqual([query, true]);
    expect(JSON.stringify(series)).not.toContain(NEIGHBOUR);
  });
});
