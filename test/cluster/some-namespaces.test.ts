/** An operator of some namespaces: with rights in them alone, it does its work there and nothing elsewhere. */
import { expect, test } from "@jest/globals";
import { byOperator, eventually, forbidden } from "./support/cluster.ts";
import { aboutOperator, type Operated } from "./support/operated.ts";
import { OPERATOR_NAMESPACE, startOperator } from "./support/operator-process.ts";

const OURS = "app.kubernetes.io/managed-by=knit-operator";
const NODE = {
  apiVersion: "knit.dev/v1alpha1",
  kind: "Node",
  spec: { type: "endpoint", network: { name: "n", genesis: { configMap: { name: "own" } } } },
};

const WATCHED = ["mine", "yours"];
const IN_MINE = {
  namespaces: [...WATCHED, "other"],
  flags: ["--set=watchNamespaces={mine,yours}", "--set=rbac.aggregate=false"],
};

/** Waits until the operator has made the StatefulSet of a Node. */
function untilMade({ cluster }: Operated, namespace: string, node: string): Promise<boolean> {
  return eventually(`the StatefulSet of ${namespace}/${node}`, async () => {
    const { stdout } = await cluster.tryKubectl(["-n", namespace, "get", "-o", "name", "statefulset", node]);
    return stdout.includes(node) ? true : undefined;
  });
}

/** Puts a Node into a namespace, with its genesis. */
async function putNode({ cluster }: Operated, namespace: string, name: string): Promise<void> {
  const genesis = ["create", "configmap", "own", "--from-literal=genesis.json={}"];
  await cluster.tryKubectl(["-n", namespace, ...genesis]);
  const node = JSON.stringify({ ...NODE, metadata: { name } });
  await cluster.kubectl(["-n", namespace, "apply", "-f", "-"], node);
}

aboutOperator("some namespaces", IN_MINE, (on) => {
  test("Nodes there become objects, one elsewhere does not, and nothing is forbidden", async () => {
    for (const name of ["other", ...WATCHED]) await putNode(on, name, "node");
    for (const name of WATCHED) {
      const ask = ["-n", name, "get", "-o"];
      await untilMade(on, name, "node");
      await eventually(
        `the status in ${name}`,
        async () => {
          const reason = await on.cluster.kubectl([
            ...ask,
            "jsonpath={.status.conditions[0].reason}",
            "kn",
            "node",
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

  test("one that was deleted holds up no start of the operator, and is watched again once it is there", async () => {
    await on.cluster.kubectl(["-n", "yours", "delete", "kn", "--all", "--timeout=60s"]);
    await on.cluster.kubectl(["delete", "namespace", "yours", "--timeout=60s"]);
    await on.operator.stop();
    on.operator = await startOperator(on.cluster);
    await putNode(on, "mine", "later");
    await untilMade(on, "mine", "later");
    expect(on.operator.output()).toMatch(/"namespace":"yours".*namespace is left out until it can be read/);
    await on.cluster.kubectl(["create", "namespace", "yours"]);
    const chart = await on.cluster.chart("--namespace", OPERATOR_NAMESPACE, ...IN_MINE.flags);
    await on.cluster.kubectl(["apply", "--server-side", "-f", "-"], chart);
    await putNode(on, "yours", "back");
    await untilMade(on, "yours", "back");
  }, 240_000);

  test("one is deleted with its Nodes, though its rights go before them", async () => {
    const inYours = ["-n", "yours"];
    await eventually("the pod", () => on.cluster.kubectl([...inYours, "get", "pod", "back-0"]));
    const hold = (finalizers: readonly string[] | null): Promise<string> => {
      const patch = JSON.stringify({ metadata: { finalizers } });
      return on.cluster.kubectl([...inYours, "patch", "pod", "back-0", "--type=merge", "-p", patch]);
    };
    await hold(["test.example/stuck"]);
    await on.cluster.kubectl(["delete", "namespace", "yours", "--wait=false"]);
    const end = ["get", "pod", "back-0", "-o", "jsonpath={.metadata.deletionTimestamp}"];
    await eventually("the namespace controller", async () =>
      (await on.cluster.kubectl([...inYours, ...end])) === "" ? undefined : true,
    );
    // It deletes the other kinds in any order, this one before Nodes too.
    await on.cluster.kubectl([...inYours, "delete", "rolebinding", "knit-operator"]);
    await hold(null);
    await on.cluster.kubectl(["wait", "--for=delete", "namespace/yours", "--timeout=120s"]);
  }, 240_000);
});
