/** An operator that looks at one namespace: with rights in it alone, it does its work there and nothing elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  byOperator,
  type Cluster,
  eventually,
  forbidden,
  openCluster,
  whyNoCluster,
} from "./support/cluster.ts";
import { applyChart, type OperatorProcess, startOperator } from "./support/operator-process.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
const OURS = "app.kubernetes.io/managed-by=knit-operator";
const CORE = {
  apiVersion: "knit.dev/v1alpha1",
  kind: "Node",
  metadata: { name: "core" },
  spec: { type: "core", network: { name: "n", genesis: { configMap: { name: "own" } } } },
};

about(`one namespace${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let operator: OperatorProcess;

  beforeAll(async () => {
    cluster = await openCluster();
    for (const name of ["mine", "other"]) await cluster.kubectl(["create", "namespace", name]);
    await applyChart(cluster, "--set=watchNamespace=mine");
    operator = await startOperator(cluster);
  }, 900_000);

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  test("a Node there becomes objects, one elsewhere does not, and nothing is forbidden", async () => {
    for (const name of ["other", "mine"])
      await cluster.kubectl(["-n", name, "create", "configmap", "own", "--from-literal=genesis.json={}"]);
    for (const name of ["other", "mine"])
      await cluster.kubectl(["-n", name, "apply", "-f", "-"], JSON.stringify(CORE));
    await eventually(
      "the StatefulSet",
      async () => {
        const { stdout } = await cluster.tryKubectl([
          "-n",
          "mine",
          "get",
          "statefulset",
          "core",
          "-o",
          "name",
        ]);
        return stdout.includes("core") ? true : undefined;
      },
      30,
    );
    await eventually(
      "the status",
      async () => {
        const reason = await cluster.kubectl([
          "-n",
          "mine",
          "get",
          "kn",
          "core",
          "-o",
          "jsonpath={.status.conditions[0].reason}",
        ]);
        return reason.startsWith("Pod") ? true : undefined;
      },
      30,
    );
    expect(
      await cluster.kubectl(["-n", "other", "get", "secret,configmap,service", "-l", OURS, "-o", "name"]),
    ).toBe("");
    expect(forbidden(cluster)).toEqual([]);
    expect(cluster.audit().some(byOperator)).toBe(true);
  }, 90_000);
});
