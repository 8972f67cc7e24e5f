/**
 * A machine that dies, a deletion that waits for its pod, and a claim that is being deleted, on a real API server. The
 * node controller and the other controllers are the real ones. The test plays the kubelet until the machine dies: it
 * reports a ready pod, then reports nothing more and confirms no deletion.
 */
import { afterAll, expect, test } from "@jest/globals";
import { type Cluster, eventually, eventuallyIs, forbidden } from "./support/cluster.ts";
import { aboutOperator } from "./support/operated.ts";
import { makeMachine } from "./support/player.ts";

/** Interval of the machine's reports. */
const BEAT_MS = 5_000;

const API = "knit.dev/v1alpha1";
const NETWORK = {
  apiVersion: API,
  kind: "Network",
  metadata: { name: "net" },
  spec: { genesis: { create: { chainId: 7, validators: ["core"] } } },
};
const FORCE = "kubectl -n demo delete pod core-0 --force --grace-period=0";

const node = (name: string, spec: object): object => ({
  apiVersion: API,
  kind: "Node",
  metadata: { name },
  spec: { network: { name: "net" }, ...spec },
});
/** Its deletion waits for the shortest time. */
const CORE = node("core", { type: "core", terminationGracePeriodSeconds: 30 });
const TWIN = node("twin", { type: "core", nodeKeySecret: { name: "core-nodekey" } });

/** Reports of the machine, until it dies. */
let beats: NodeJS.Timeout | undefined;

/** Creates the machine, which reports as a kubelet does. */
async function startMachine(cluster: Cluster): Promise<void> {
  await makeMachine(cluster);
  beats = setInterval(() => {
    const ready = { type: "Ready", status: "True", reason: "Played", lastHeartbeatTime: new Date() };
    const patch = JSON.stringify({ status: { conditions: [ready] } });
    void cluster.tryKubectl(["patch", "node", "node-1", "--subresource=status", "--type=merge", "-p", patch]);
  }, BEAT_MS);
}

const options = { control: { controllers: "*" }, prepare: startMachine };
aboutOperator("machines", options, (on) => {
  afterAll(() => clearInterval(beats));

  const apply = (object: object): Promise<string> =>
    on.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], JSON.stringify(object));
  const field = (object: string, path: string): Promise<string> =>
    on.demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
  const condition = (name: string, type: string, part: string): Promise<string> =>
    field(`kn/${name}`, `.status.conditions[?(@.type=="${type}")].${part}`);
  const reasonOf = (name: string, type: string) => () => condition(name, type, "reason");
  const uidOf = (object: string): Promise<string> => field(object, ".metadata.uid");

  /** Reports a pod as a kubelet does whose containers are ready. */
  async function report(pod: string): Promise<void> {
    await eventually(
      `the machine of ${pod}`,
      async () => (await field(`pod/${pod}`, ".spec.nodeName")) || undefined,
    );
    const ready = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
      type,
      status: "True",
    }));
    const status = { phase: "Running", podIP: "127.0.0.9", podIPs: [{ ip: "127.0.0.9" }], conditions: ready };
    const patch = JSON.stringify({ status });
    await on.demo("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", patch);
  }

  test("a claim that is being deleted is told, and no change ends the pod that keeps it", async () => {
    await apply(NETWORK);
    await apply(CORE);
    await apply(node("reader", { type: "endpoint" }));
    await report("core-0");
    await report("reader-0");
    await eventuallyIs("the volume", reasonOf("reader", "StorageHealthy"), "Healthy");
    await on.demo("delete", "pvc", "reader-data", "--wait=false");
    await eventuallyIs("StorageHealthy", reasonOf("reader", "StorageHealthy"), "Terminating");
    expect(await condition("reader", "StorageHealthy", "status")).toBe("False");
    expect(await condition("reader", "StorageHealthy", "message")).toContain("Retain");
    await eventuallyIs("Degraded", reasonOf("reader", "Degraded"), "StorageTrouble");
    const pod = await uidOf("pod/reader-0");
    await on.demo("patch", "kn", "reader", "--type=merge", "-p", '{"spec":{"image":"knit:other"}}');
    await on.demo("patch", "kn", "reader", "--type=merge", "-p", '{"spec":{"settings":{"verbosity":"5"}}}');
    await eventuallyIs("the spec", () => field("kn/reader", ".status.observedGeneration"), "3");
    expect(await field("sts/reader", ".spec.template.spec.containers[0].image")).not.toBe("knit:other");
    expect(await uidOf("pod/reader-0")).toBe(pod);
  }, 180_000);

  test("a machine that dies is named, and no second pod of its validator starts", async () => {
    const pod = await uidOf("pod/core-0");
    clearInterval(beats);
    // The node controller waits for about a minute.
    await eventuallyIs("Degraded", reasonOf("core", "Degraded"), "MachineLost", 180);
    expect(await field("node/node-1", '.status.conditions[?(@.type=="Ready")].status')).toBe("Unknown");
    for (const type of ["Ready", "Degraded"]) {
      const message = await condition("core", type, "message");
      expect(message).toContain("node-1");
      expect(message).toContain(FORCE);
    }
    await on.demo("delete", "pod", "core-0", "--wait=false", "--grace-period=1"); // as the eviction by its taint
    await eventuallyIs(
      "the deletion",
      async () => String((await field("pod/core-0", ".metadata.deletionTimestamp")) !== ""),
      "true",
    );
    await eventuallyIs("Degraded", reasonOf("core", "Degraded"), "MachineLost");
    expect(await uidOf("pod/core-0")).toBe(pod);
  }, 300_000);

  test("a Node with the key of one that is being deleted waits, and names it", async () => {
    await on.demo("delete", "kn", "core", "--wait=false");
    await eventuallyIs("the phase", () => field("kn/core", ".status.phase"), "Deleting");
    await apply(TWIN);
    await eventuallyIs("Degraded", reasonOf("twin", "Degraded"), "KeyInUse");
    expect(await condition("twin", "Ready", "message")).toContain("demo/core");
    expect(await uidOf("pod/twin-0")).toBe("");
  }, 120_000);

  test("after that Node is gone its pod still keeps the key, until it is known to have ended", async () => {
    await on.demo("delete", "kn", "twin");
    await on.demo("wait", "--for=delete", "kn/core", "--timeout=150s"); // its wait is the grace period and a minute
    const events = ["get", "events", "-o", "jsonpath={.items[?(@.reason=='DeletionUnfinished')].message}"];
    await eventually("the warning", async () =>
      (await on.demo(...events)).includes("pods that have not terminated: core") ? true : undefined,
    );
    const pod = await uidOf("pod/core-0");
    expect(pod).not.toBe("");
    await apply(TWIN);
    await eventuallyIs("Degraded", reasonOf("twin", "Degraded"), "KeyInUse");
    const message = await condition("twin", "Ready", "message");
    expect(message).toContain("the machine node-1");
    expect(message).toContain(FORCE);
    await apply(CORE); // the same one again has that pod, and waits for its end
    await eventuallyIs("Ready of core", reasonOf("core", "Ready"), "MachineLost");
    await eventuallyIs("Ready of twin", reasonOf("twin", "Ready"), "KeyInUse");
    expect([await uidOf("pod/core-0"), await uidOf("pod/twin-0")]).toEqual([pod, ""]);
    await on.demo("delete", "pod", "core-0", "--force", "--grace-period=0"); // the machine is gone for good
    const next = await eventually("another pod", async () => {
      const uid = await uidOf("pod/core-0");
      return uid === "" || uid === pod ? undefined : uid;
    });
    expect([await uidOf("pod/core-0"), await uidOf("pod/twin-0")]).toEqual([next, ""]);
    expect(forbidden(on.cluster)).toEqual([]);
  }, 240_000);
});
