/** An operator that looks at one namespace: with rights in it alone, it does its work there and nothing elsewhere. */
import { expect, test } from "@jest/globals";
import { byOperator, eventually, forbidden } from "./support/cluster.ts";
import { aboutOperator } from "./support/operated.ts";

const OURS = "app.kubernetes.io/managed-by=knit-operator";
const CORE = {
  apiVersion: "knit.dev/v1alpha1",
  kind: "Node",
  metadata: { name: "core" },
  spec: { type: "core", network: { name: "n", genesis: { configMap: { name: "own" } } } },
};

const IN_MINE = { namespaces: ["mine", "other"], flags: ["--set=watchNamespace=mine"] };

aboutOperator("one namespace", IN_MINE, (on) => {
  test("a Node there becomes objects, one elsewhere does not, and nothing is forbidden", async () => {
    for (const name of ["other", "mine"])
      await on.cluster.kubectl(["-n", name, "create", "configmap", "own", "--from-literal=genesis.json={}"]);
    for (const name of ["other", "mine"])
      await on.cluster.kubectl(["-n", name, "apply", "-f", "-"], JSON.stringify(CORE));
    await eventually(
      "the StatefulSet",
      async () => {
        const { stdout } = await on.cluster.tryKubectl([
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
        const reason = await on.cluster.kubectl([
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
      await on.cluster.kubectl(["-n", "other", "get", "secret,configmap,service", "-l", OURS, "-o", "name"]),
    ).toBe("");
    expect(forbidden(on.cluster)).toEqual([]);
    expect(on.cluster.audit().some(byOperator)).toBe(true);
  }, 90_000);
});
