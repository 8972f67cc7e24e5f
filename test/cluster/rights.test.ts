/** The chart's rights against the audit log of a network's whole life: all that was used is allowed, and no more. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  byOperator,
  type Cluster,
  eventually,
  forbidden,
  openCluster,
  whyNoCluster,
} from "./support/cluster.ts";
import {
  applyChart,
  OPERATOR_NAMESPACE,
  type OperatorProcess,
  startOperator,
} from "./support/operator-process.ts";
import { rightsOf, rolesOf, unused } from "./support/rights.ts";
import { SERVICE_MONITORS } from "./support/service-monitors.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
const EXAMPLE = readFileSync("examples/network.yaml", "utf8");
/** Rights for what a test cannot wait for. */
const RARE = [
  "update /secrets", // the authority gives way to the next one after years, as test/operator/authority-secret shows
];

about(`rights${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let operator: OperatorProcess;

  beforeAll(async () => {
    cluster = await openCluster();
    await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(SERVICE_MONITORS));
    await cluster.kubectl(["wait", "--for=condition=Established", `crd/${SERVICE_MONITORS.metadata.name}`]);
    await applyChart(cluster);
    await cluster.kubectl(["create", "namespace", "demo"]);
    operator = await startOperator(cluster);
  }, 900_000);

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);
  const change = (name: string, spec: object): Promise<string> =>
    demo("patch", "kn", name, "--type=merge", "-p", JSON.stringify({ spec }));
  const comes = (...objects: string[]) =>
    eventually(objects.join(", "), () => demo("get", ...objects, "-o", "name"));
  const goes = (...objects: string[]) =>
    eventually(`the end of ${objects.join(", ")}`, async () =>
      (await demo("get", ...objects, "--ignore-not-found", "-o", "name")) === "" ? true : undefined,
    );

  test.each([[[]], [["--set=watchNamespace=mine"]]])("no role says more than it means: %j", async (flags) => {
    const roles = rolesOf(await cluster.chart("--namespace", OPERATOR_NAMESPACE, ...flags));
    expect(roles.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}`)).toEqual([
      flags.length === 0 ? "ClusterRole " : "Role mine",
      `Role ${OPERATOR_NAMESPACE}`,
    ]);
    const rights = roles.flatMap(rightsOf);
    const tooMuch =
      /\*|^(escalate|bind|impersonate|deletecollection) |pods\/(exec|attach|portforward)|\/token/;
    expect(rights.filter((right) => tooMuch.test(right))).toEqual([]);
    for (const { rules } of roles)
      for (const rule of rules) expect(rule).not.toHaveProperty("nonResourceURLs");
  });

  test("a network is made, changed, maintained and deleted with the rights that the chart gives", async () => {
    await cluster.kubectl(["-n", "demo", "apply", "-f", "-"], EXAMPLE);
    await comes("statefulset/core", "statefulset/proxy", "statefulset/endpoint");
    await demo("annotate", "kn", "core", "knit.dev/run=nonsense");
    await change("proxy", { replicas: 2, monitoring: { serviceMonitor: true } });
    await comes("poddisruptionbudget/proxy", "servicemonitor/proxy", "statefulset/proxy-m1");
    await change("proxy", { replicas: 1, monitoring: { serviceMonitor: false } });
    await goes("poddisruptionbudget/proxy", "servicemonitor/proxy");
    await goes("statefulset/proxy-m1", "configmap/proxy-m1-settings", "secret/proxy-m1-gateway");
    await change("endpoint", {
      whenDeleted: "Delete",
      api: { http: { enabled: false }, ws: { enabled: false } },
    });
    await goes("service/endpoint");
    await new Promise((resolve) => setTimeout(resolve, 11_000)); // an event counts its repetitions after ten seconds
    await demo("annotate", "kn", "core", "knit.dev/run=nonsense");
    const repeated = ["events", "-o", "jsonpath={.items[?(@.reason=='MaintenanceRefused')].count}"];
    await eventually("an event that repeats", async () =>
      (await demo("get", ...repeated)) === "2" ? true : undefined,
    );
    await demo("delete", "kn,knet", "--all");
    await goes("statefulset,service,poddisruptionbudget", "-l", "app.kubernetes.io/managed-by=knit-operator");
    expect(forbidden(cluster)).toEqual([]);
    const used = cluster.audit().filter(byOperator);
    const roles = rolesOf(await cluster.chart("--namespace", OPERATOR_NAMESPACE));
    expect(roles.flatMap((role) => unused(role, used)).filter((right) => !RARE.includes(right))).toEqual([]);
  }, 300_000);
});
