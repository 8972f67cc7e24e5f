/**
 * The example on a cluster of one node, as real pods of images packed from the build: the operator under its chart,
 * knit and the gateway beside it, probes, volumes, names, policies.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Cluster, eventually, openCluster, whyNoMachine } from "./support/cluster.ts";
import { loadImages } from "./support/image.ts";
import { OPERATOR_NAMESPACE } from "./support/operator-process.ts";
import { asked, CHART, IMAGES, inPod } from "./support/real-pods.ts";

/** The operator asks the nodes one after another, and a block comes each second. */
const BLOCKS_BETWEEN_LOOKS = 15;

const missing = whyNoMachine();
const about = missing === undefined ? describe : describe.skip;
about(`pods${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await openCluster({ node: true });
    await loadImages(cluster, IMAGES);
    await cluster.kubectl(["create", "namespace", "demo"]);
    await cluster.kubectl(["label", "namespace", "demo", "pod-security.kubernetes.io/enforce=restricted"]);
  }, 900_000);

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  }, 120_000);

  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);

  /** Ready, height and peers of core, endpoint and proxy. */
  const seen = async (): Promise<readonly (readonly string[])[]> =>
    (await demo("get", "kn", "--no-headers"))
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/).slice(2, 5));

  const whole = () =>
    eventually(
      "a whole network",
      async () => {
        const rows = await seen();
        const heights = rows.map(([, height]) => Number(height));
        const level = Math.max(...heights) - Math.min(...heights) <= BLOCKS_BETWEEN_LOOKS;
        const peers = rows.map(([, , count]) => count).join();
        if (rows.every(([ready]) => ready === "True") && level && peers === "1,1,2")
          return Math.min(...heights);
        throw new Error(JSON.stringify(rows));
      },
      240,
    );

  const printed = (name: string, code: string): Promise<string> =>
    inPod(cluster, { namespace: "demo", name }, code);

  test("helm installs the operator, and its pod becomes available", async () => {
    await cluster.helm("install", ...CHART, "--create-namespace");
    const { stdout } = await cluster.tryKubectl([
      "-n",
      OPERATOR_NAMESPACE,
      "get",
      "deployment",
      "knit-operator",
    ]);
    expect(stdout).toMatch(/knit-operator +1\/1/);
  }, 180_000);

  test("the example becomes three ready pods, meshed and level", async () => {
    await cluster.kubectl(["-n", "demo", "apply", "-f", "-"], readFileSync("examples/network.yaml", "utf8"));
    expect(await whole()).toBeGreaterThan(0);
    const ready = await demo(
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
    expect(await printed("short", asked("http://endpoint:8551"))).toMatch(/^200 .*"result":"0x[0-9a-f]+"/);
    expect(await printed("long", asked("http://endpoint.demo.svc.cluster.local:8551"))).toMatch(
      /^200 .*"result":"0x/,
    );
  }, 120_000);

  test("the policy keeps other pods from the gateway", async () => {
    expect(await printed("stranger", asked("https://core-peer:7443"))).toMatch(
      /^failed (UND_ERR_CONNECT_TIMEOUT|TimeoutError)/,
    );
  }, 120_000);
});
