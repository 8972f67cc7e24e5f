/** The chart's rights against the audit log of a network's whole life: all that was used is allowed, and no more. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { byOperator, eventually, forbidden } from "./support/cluster.ts";
import { aboutOperator, type OperatedOptions } from "./support/operated.ts";
import { OPERATOR_NAMESPACE } from "./support/operator-process.ts";
import { HTTP_ROUTES, SERVICE_MONITORS } from "./support/optional-definitions.ts";
import { isOfOperator, rightsOf, rolesOf, unusedRights } from "./support/rights.ts";

const EXAMPLE = readFileSync("examples/network.yaml", "utf8");
/** Rights for what a test cannot wait for. */
const RARE = [
  "update /secrets", // the authority gives way to the next one after years, as test/operator/authority-secret shows
  "list /events", // read for a pod that the API server refuses, as test/cluster/admission shows
];

/** The kinds that some rights are for. */
const WITH_OPTIONAL_KINDS: OperatedOptions = {
  async prepare(cluster) {
    for (const definition of [SERVICE_MONITORS, HTTP_ROUTES]) {
      await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(definition));
      await cluster.kubectl(["wait", "--for=condition=Established", `crd/${definition.metadata.name}`]);
    }
  },
};

const HOSTS = ["rpc.example.org"];

aboutOperator("rights", WITH_OPTIONAL_KINDS, (on) => {
  const change = (name: string, spec: object): Promise<string> =>
    on.demo("patch", "kn", name, "--type=merge", "-p", JSON.stringify({ spec }));
  const comes = (...objects: string[]) =>
    eventually(objects.join(", "), () => on.demo("get", ...objects, "-o", "name"));
  const goes = (...objects: string[]) =>
    eventually(`the end of ${objects.join(", ")}`, async () =>
      (await on.demo("get", ...objects, "--ignore-not-found", "-o", "name")) === "" ? true : undefined,
    );

  test.each([[[]], [["--set=watchNamespace=mine"]]])("no role says more than it means: %j", async (flags) => {
    const all = rolesOf(await on.cluster.chart("--namespace", OPERATOR_NAMESPACE, ...flags));
    const roles = all.filter(isOfOperator);
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
    await on.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], EXAMPLE);
    await comes("statefulset/core", "statefulset/proxy", "statefulset/endpoint");
    await on.demo("annotate", "kn", "core", "knit.dev/run=nonsense");
    await change("proxy", { replicas: 2, monitoring: { serviceMonitor: true } });
    await comes("poddisruptionbudget/proxy", "servicemonitor/proxy", "statefulset/proxy-m1");
    await change("proxy", {
      ingress: { hosts: HOSTS },
      route: { hosts: HOSTS, parents: [{ name: "public" }] },
    });
    await comes("ingress/proxy", "httproute/proxy");
    await change("proxy", { replicas: 1, monitoring: { serviceMonitor: false }, ingress: null, route: null });
    await goes("poddisruptionbudget/proxy", "servicemonitor/proxy", "ingress/proxy", "httproute/proxy");
    await goes("statefulset/proxy-m1", "configmap/proxy-m1-settings", "secret/proxy-m1-gateway");
    await change("endpoint", {
      whenDeleted: "Delete",
      api: { http: { enabled: false }, ws: { enabled: false } },
    });
    await goes("service/endpoint");
    const owning = (...names: string[]): Promise<string> => {
      const nodes = names.map((name) => ({ name, type: "endpoint" }));
      const spec = { genesis: { create: { chainId: 7, validators: ["none"] } }, nodes };
      const metadata = { name: "owner", namespace: "demo" };
      const network = { apiVersion: "knit.dev/v1alpha1", kind: "Network", metadata, spec };
      return on.cluster.kubectl(["apply", "-f", "-"], JSON.stringify(network));
    };
    await owning("first", "second");
    await comes("kn/first", "kn/second");
    await owning("first");
    await goes("kn/second");
    await new Promise((resolve) => setTimeout(resolve, 11_000)); // an event counts its repetitions after ten seconds
    await on.demo("annotate", "kn", "core", "knit.dev/run=nonsense");
    const repeated = ["events", "-o", "jsonpath={.items[?(@.reason=='MaintenanceRefused')].count}"];
    await eventually("an event that repeats", async () =>
      (await on.demo("get", ...repeated)) === "2" ? true : undefined,
    );
    await on.demo("delete", "kn,knet", "--all");
    await goes("statefulset,service,poddisruptionbudget", "-l", "app.kubernetes.io/managed-by=knit-operator");
    expect(forbidden(on.cluster)).toEqual([]);
    const used = on.cluster.audit().filter(byOperator);
    const roles = rolesOf(await on.cluster.chart("--namespace", OPERATOR_NAMESPACE)).filter(isOfOperator);
    expect(
      roles.flatMap((role) => unusedRights(role, used)).filter((right) => !RARE.includes(right)),
    ).toEqual([]);
  }, 300_000);
});
