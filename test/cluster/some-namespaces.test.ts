/** An operator of some namespaces: with rights in them alone, it does its work there and nothing elsewhere. */
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

const WATCHED = ["mine", "yours"];
const IN_MINE = {
  namespaces: [...WATCHED, "other"],
  flags: ["--set=watchNamespaces={mine,yours}", "--set=rbac.aggregate=false"],
};

aboutOperator("some namespaces", IN_MINE, (on) => {
  test("Nodes there become objects, one elsewhere does not, and nothing is forbidden", async () => {
    for (const name of ["other", ...WATCHED])
      await on.cluster.kubectl(["-n", name, "create", "configmap", "own", "--from-literal=genesis.json={}"]);
    for (const name of ["other", ...WATCHED])
      await on.cluster.kubectl(["-n", name, "apply", "-f", "-"], JSON.stringify(CORE));
    for (const name of WATCHED) {
      const ask = ["-n", name, "get", "-o"];
      await eventually(
        `the StatefulSet in ${name}`,
        async () => {
          const { stdout } = await on.cluster.tryKubectl([...ask, "name", "statefulset", "core"]);
          return stdout.includes("core") ? true : undefined;
        },
        30,
      );
      await eventually(
        `the status in ${name}`,
        async () => {
          const reason = await on.cluster.kubectl([
            ...ask,
            "jsonpath={.status.conditions[0].reason}",
            "kn",
            "core",
          ]);
          return reason.startsWith("Pod") ? true : undefined;
        },
        30,
      );
    }
    expect(
      await on.cluster.kubectl(["-n", "other", "get", "secret,configmap,service", "-l", OURS, "-o", "name"]),
    ).toBe("");
    expect(forbidden(on.cluster)).toEqual([]);
    expect(on.cluster.audit().some(byOperator)).toBe(true);
  }, 90_000);
});
