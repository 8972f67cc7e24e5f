/**
 * The example on a cluster of one node, as real pods of images packed from the build: the operator under its chart,
 * knit and the gateway beside it, probes, volumes, names, policies.
 */
import { describe, expect, test } from "@jest/globals";
import { eventually, eventuallyIs, whyNoMachine } from "./support/cluster.ts";
import { areLevel } from "./support/network-view.ts";
import { OPERATOR_NAMESPACE } from "./support/operator-process.ts";
import { type RealNetwork, setUpRealNetwork } from "./support/real-network.ts";
import { CHART, callScript } from "./support/real-pods.ts";

const missing = whyNoMachine();
const about = missing === undefined ? describe : describe.skip;
const becomes = (what: string, probe: () => Promise<string>, wanted: string) =>
  eventuallyIs(what, probe, wanted, 240);

about(`pods${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let real: RealNetwork;

  setUpRealNetwork((opened) => {
    real = opened;
  });

  /** Ready, height and peers of core, endpoint and proxy. */
  const seen = async (): Promise<readonly (readonly string[])[]> =>
    (await real.demo("get", "kn", "--no-headers"))
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/).slice(2, 5));

  const whole = () =>
    eventually(
      "a whole network",
      async () => {
        const rows = await seen();
        const heights = rows.map(([, height]) => Number(height));
        const peers = rows.map(([, , count]) => count).join();
        if (rows.every(([ready]) => ready === "True") && areLevel(heights) && peers === "1,1,2")
          return Math.min(...heights);
        throw new Error(JSON.stringify(rows));
      },
      240,
    );

  test("the example becomes three ready pods, meshed and level", async () => {
    await real.apply("network.yaml");
    expect(await whole()).toBeGreaterThan(0);
    const ready = await real.demo(
      "get",
      "pods",
      "-l",
      "app.kubernetes.io/name=knit",
      "-o",
      "jsonpath={range .items[*]}{.status.containerStatuses[*].ready} {.status.initContainerStatuses[?(@.name=='gateway')].ready} {end}",
    );
    expect(ready.trim()).toBe("true true true true true true");
  }, 300_000);

  test("JSON-RPC answers through the Service from another pod, by each of its names", async () => {
    expect(await real.printed("short", callScript("http://endpoint:8551"))).toMatch(
      /^200 .*"result":"0x[0-9a-f]+"/,
    );
    expect(await real.printed("long", callScript("http://endpoint.demo.svc.cluster.local:8551"))).toMatch(
      /^200 .*"result":"0x/,
    );
  }, 120_000);

  test("the policy keeps other pods from the gateway", async () => {
    expect(await real.printed("stranger", callScript("https://core-peer:7443"))).toMatch(
      /^failed (UND_ERR_CONNECT_TIMEOUT|TimeoutError)/,
    );
  }, 120_000);

  test("a lost volume of the only core node stops the chain and says so, and the restored one continues it", async () => {
    const before = await whole();
    const field = (object: string, path: string): Promise<string> =>
      real.demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
    const condition = (object: string, type: string, part: string): Promise<string> =>
      field(object, `.status.conditions[?(@.type=="${type}")].${part}`);
    const claim = JSON.parse(await real.demo("get", "pvc", "core-data", "-o", "json")) as {
      spec: { volumeName: string };
    };
    const { volumeName } = claim.spec;
    const keep = JSON.stringify({ spec: { persistentVolumeReclaimPolicy: "Retain" } });
    await real.cluster.kubectl(["patch", "pv", volumeName, "--type=merge", "-p", keep]);
    await real.demo("delete", "pvc", "core-data", "--wait=false");
    await becomes("the claim", () => condition("kn/core", "StorageHealthy", "reason"), "Terminating");
    await real.demo("delete", "pod", "core-0", "--wait=false");
    await becomes("the core node", () => condition("kn/core", "Degraded", "reason"), "ChainLost");
    await becomes("the pod", () => field("pod/core-0", ".metadata.name"), "");
    expect(await field("pvc/core-data", ".metadata.name")).toBe("");
    await becomes("the endpoint", () => condition("kn/endpoint", "Ready", "status"), "False");
    await becomes("the Network", () => condition("knet/demo", "Producing", "reason"), "ChainStalled");
    expect(await condition("knet/demo", "Ready", "status")).toBe("False");
    // As people do it who kept the volume.
    await real.cluster.kubectl([
      "patch",
      "pv",
      volumeName,
      "--type=merge",
      "-p",
      '{"spec":{"claimRef":null}}',
    ]);
    const restored = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "core-data" },
      spec: claim.spec,
    };
    await real.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], JSON.stringify(restored));
    expect(
      await eventually("the chain", async () => ((await whole()) > before ? true : undefined), 240),
    ).toBe(true);
    expect(await condition("kn/core", "Degraded", "status")).toBe("False");
  }, 900_000);

  test("after the real helm uninstall the Nodes and their namespace go, and the operator comes back", async () => {
    const release = ["knit-operator", `--namespace=${OPERATOR_NAMESPACE}`];
    expect(await real.cluster.helm("uninstall", ...release)).toContain("uninstalled");
    expect(await real.demo("get", "kn", "-o", "jsonpath={.items[*].metadata.finalizers}")).toBe("");
    expect(await real.demo("get", "pods", "--no-headers")).toMatch(/core-0 +2\/2 +Running/);
    await real.demo("delete", "kn", "endpoint", "--timeout=60s");
    await real.cluster.kubectl(["delete", "namespace", "demo", "--timeout=500s"]);
    expect(await real.operator("get", "job,role,rolebinding,pod", "-o", "name")).toBe("");
    await real.cluster.helm("install", ...CHART);
    expect(await real.cluster.helm("uninstall", ...release)).toContain("uninstalled");
  }, 1_200_000);
});
