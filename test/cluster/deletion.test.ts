/** Nodes that are deleted, on a real API server: what they wait for. The end of that wait is in machines.test.ts. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { eventually } from "./support/cluster.ts";
import { aboutOperator } from "./support/operated.ts";

const EXAMPLE = readFileSync("examples/network.yaml", "utf8");
/** A finalizer that keeps a pod, as that of a lost machine does. */
const STUCK = '{"metadata":{"finalizers":["test.example/stuck"]}}';
const FREE = '{"metadata":{"finalizers":null}}';

const comes = (what: string, probe: () => Promise<boolean>) =>
  eventually(what, async () => ((await probe()) ? true : undefined));

aboutOperator("deletion", { namespaces: [] }, (on) => {
  const of = (namespace: string, ...args: string[]): Promise<string> =>
    on.cluster.kubectl(["-n", namespace, ...args]);
  const phaseOf = (name: string): Promise<string> =>
    on.demo("get", "kn", name, "-o", "jsonpath={.status.phase}");

  /** The example in a namespace of its own, as far as it comes without machines. */
  async function apply(namespace: string): Promise<void> {
    await on.cluster.kubectl(["create", "namespace", namespace]);
    await on.cluster.kubectl(["-n", namespace, "apply", "-f", "-"], EXAMPLE);
    await eventually("the pods", () => of(namespace, "get", "pod", "core-0", "proxy-0", "endpoint-0"));
  }

  test("a Node waits for its pod, whatever its gateway does, and goes with it", async () => {
    await apply("demo");
    const address = JSON.stringify({ status: { podIP: "127.0.0.9", podIPs: [{ ip: "127.0.0.9" }] } });
    for (const pod of ["core-0", "endpoint-0"])
      await on.demo("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", address);
    await on.demo("patch", "pod", "endpoint-0", "--type=merge", "-p", STUCK);
    await on.demo("delete", "kn", "endpoint", "--wait=false");
    await comes("the phase", async () => (await phaseOf("endpoint")) === "Deleting");
    await comes(
      "the pod's end",
      async () =>
        (await on.demo("get", "pod", "endpoint-0", "-o", "jsonpath={.metadata.deletionTimestamp}")) !== "",
    );
    expect(await on.demo("get", "networkpolicy,secret", "-o", "name")).toContain("secret/endpoint-gateway");
    await on.demo("patch", "pod", "endpoint-0", "--type=merge", "-p", FREE);
    await on.demo("wait", "--for=delete", "kn/endpoint", "--timeout=60s");
  }, 180_000);

  test("a namespace goes with its Nodes", async () => {
    await apply("whole");
    await on.cluster.kubectl(["delete", "namespace", "whole", "--wait=false"]);
    await of("whole", "wait", "--for=delete", "kn/core", "kn/proxy", "kn/endpoint", "--timeout=90s");
    // The namespace controller's own time.
    await on.cluster.kubectl(["wait", "--for=delete", "namespace/whole", "--timeout=150s"]);
  }, 360_000);
});
