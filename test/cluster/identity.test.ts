/**
 * Identities on a real API server: keys, a genesis and a volume that are lost under a running chain, and one key of two
 * Nodes. The operator has the chart's rights, pods are played by processes that run the real knit and the real gateway.
 */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../support/go-node.ts";
import { type Cluster, eventually, forbidden, openCluster, whyNoCluster } from "./support/cluster.ts";
import { applyChart, type OperatorProcess, startOperator } from "./support/operator-process.ts";
import { openPlayer, type Player } from "./support/player.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;

const API = "knit.dev/v1alpha1";
const NETWORK = {
  apiVersion: API,
  kind: "Network",
  metadata: { name: "demo" },
  spec: { genesis: { create: { chainId: 2_018, validators: ["core"] } } },
};

/** Waits until something is `wanted`. */
const becomes = (what: string, probe: () => Promise<string>, wanted: string) =>
  eventually(`${what}: ${wanted}`, async () => {
    const found = await probe();
    if (found !== wanted) throw new Error(found);
    return true;
  });

about(`identities${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let operator: OperatorProcess;
  let player: Player;
  let core: object;

  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);
  const apply = (object: object): Promise<string> =>
    cluster.kubectl(["-n", "demo", "apply", "-f", "-"], JSON.stringify(object));
  const field = (object: string, path: string): Promise<string> =>
    demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
  const degraded = (node: string): Promise<string> =>
    field(`kn/${node}`, '.status.conditions[?(@.type=="Degraded")].reason');
  const isDegraded = (node: string, reason: string) =>
    becomes(`Degraded of ${node}`, () => degraded(node), reason);
  const allow = (node: string, permission: string) =>
    demo("annotate", "--overwrite", "kn", node, `knit.dev/allow-new-${permission}=${Date.now()}`);

  /** An object as it can be applied again. */
  async function copyOf(object: string): Promise<object> {
    const { metadata, ...rest } = JSON.parse(await demo("get", object, "-o", "json")) as {
      metadata: { name: string; labels: object; annotations: object };
    };
    const { name, labels, annotations } = metadata;
    return { ...rest, metadata: { name, labels, annotations } };
  }

  /** The core node makes blocks and is ready; gives the height. */
  const grows = (above = 0): Promise<number> =>
    eventually(
      `blocks above ${above}`,
      async () => {
        const [ready, height] = (
          await field("kn/core", '.status.conditions[?(@.type=="Ready")].status}{" "}{.status.height')
        ).split(" ");
        if (ready === "True" && Number(height) > above) return Number(height);
        throw new Error(`${ready} ${height}`);
      },
      180,
    );

  beforeAll(async () => {
    core = {
      apiVersion: API,
      kind: "Node",
      metadata: { name: "core" },
      spec: {
        type: "core",
        network: { name: "demo" },
        p2p: { port: await freePort() },
        maintenance: { trieCache: { onShutdown: false } },
      },
    };
    cluster = await openCluster();
    await applyChart(cluster);
    await cluster.kubectl(["create", "namespace", "demo"]);
    player = await openPlayer(cluster, "demo");
    operator = await startOperator(cluster, "--peer-address=pod", "--poll-seconds=2");
    await apply(NETWORK);
    await apply(core);
    await grows();
    await eventually(
      "the volume",
      async () => (await field("kn/core", ".status.members[0].volume")) || undefined,
    );
  }, 900_000);

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await player?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  test("a Secret that is deleted under a running core node is asked for; the pod runs on, and the old key heals it", async () => {
    const [secret, address, pod] = await Promise.all([
      copyOf("secret/core-nodekey"),
      field("kn/core", ".status.address"),
      field("pod/core-0", ".metadata.uid"),
    ]);
    const height = Number(await field("kn/core", ".status.height"));
    await demo("delete", "secret", "core-nodekey");
    await isDegraded("core", "NodeKeyLost");
    await eventually("blocks all the same", async () =>
      Number(await field("kn/core", ".status.height")) > height + 3 ? true : undefined,
    );
    expect(await field("secret/core-nodekey", ".metadata.name")).toBe("");
    expect(await field("kn/core", '.status.conditions[?(@.type=="Available")].status')).toBe("True");
    await apply(secret);
    await isDegraded("core", "AsExpected");
    expect(await field("kn/core", ".status.address")).toBe(address);
    expect(await field("pod/core-0", ".metadata.uid")).toBe(pod);
  }, 240_000);

  test("a Secret with another key is not taken: no pod begins with it, and the old key heals it", async () => {
    const secret = await copyOf("secret/core-nodekey");
    const address = await field("kn/core", ".status.address");
    const other = Buffer.from("7".repeat(64)).toString("base64");
    await demo("patch", "secret", "core-nodekey", "-p", JSON.stringify({ data: { nodekey: other } }));
    await isDegraded("core", "NodeKeyChanged");
    expect(await field("sts/core", ".spec.replicas")).toBe("1");
    await demo("delete", "pod", "core-0", "--wait=false");
    await becomes("replicas", () => field("sts/core", ".spec.replicas"), "0");
    await becomes("the pod", () => field("pod/core-0", ".metadata.name"), "");
    expect(await field("kn/core", ".status.address")).toBe(address);
    await apply(secret);
    await grows(Number(await field("kn/core", ".status.height")));
    expect(await field("kn/core", ".status.address")).toBe(address);
  }, 300_000);

  test("a genesis that is deleted comes again byte for byte; another one of its name is refused", async () => {
    const genesis = await copyOf("configmap/demo-genesis");
    const text = (): Promise<string> => field("configmap/demo-genesis", ".data.genesis\\.json");
    const before = await text();
    await demo("delete", "configmap", "demo-genesis");
    await becomes("the genesis", text, before);
    await demo("delete", "kn", "core", "--cascade=orphan");
    await operator.stop();
    await demo("delete", "configmap", "demo-genesis");
    await apply({
      ...genesis,
      data: { "genesis.json": before.replace(/"timestamp": "0x\w+"/, '"timestamp": "0x1"') },
    });
    operator = await startOperator(cluster, "--peer-address=pod", "--poll-seconds=2");
    await apply(core);
    await isDegraded("core", "GenesisLost");
    await becomes("the Network", () => field("knet/demo", ".status.conditions[0].reason"), "GenesisLost");
    await demo("delete", "configmap", "demo-genesis");
    await becomes("the genesis", text, before);
    await grows(Number(await field("knet/demo", ".status.height")));
  }, 300_000);

  test("one key of two Nodes is signed with by one alone", async () => {
    const spec = { type: "core", network: { name: "demo" }, nodeKeySecret: { name: "core-nodekey" } };
    await apply({ apiVersion: API, kind: "Node", metadata: { name: "twin" }, spec });
    await isDegraded("twin", "KeyInUse");
    expect(await field("kn/twin", '.status.conditions[?(@.type=="Ready")].message')).toContain("demo/core");
    expect(await field("sts/twin", ".metadata.name")).toBe("");
    await demo("delete", "kn", "twin");
    await isDegraded("core", "AsExpected");
  }, 240_000);

  test("a sole core node whose claim is lost stops and asks; a new chain begins when that is allowed", async () => {
    const height = await grows();
    await demo("delete", "pvc", "core-data", "--wait=false");
    await demo("delete", "pod", "core-0", "--wait=false");
    await isDegraded("core", "ChainLost");
    await becomes("replicas", () => field("sts/core", ".spec.replicas"), "0");
    await becomes("the pod", () => field("pod/core-0", ".metadata.name"), "");
    expect(await field("pvc/core-data", ".metadata.name")).toBe("");
    expect(Number(await field("knet/demo", ".status.height"))).toBeGreaterThanOrEqual(height);
    rmSync(player.claim("core-data"), { recursive: true }); // the volume went with its claim
    await allow("core", "chain");
    await eventually("another block 1", async () => {
      const now = Number(await field("kn/core", ".status.height"));
      return now > 0 && now < height ? true : undefined;
    });
    await isDegraded("core", "AsExpected");
  }, 300_000);

  test("a key is given up once, when that is allowed", async () => {
    const before = await field("kn/core", ".status.address");
    await demo("delete", "secret", "core-nodekey");
    await isDegraded("core", "NodeKeyLost");
    await allow("core", "key");
    await eventually("another address", async () =>
      (await field("kn/core", ".status.address")) === before ? undefined : true,
    );
    expect(await field("kn/core", ".status.allowed.newKey")).not.toBe("");
    await becomes(
      "the Network",
      () => field("knet/demo", ".status.conditions[0].reason"),
      "ValidatorsMissing",
    );
  }, 240_000);

  test("the chart's rights are enough: nothing was forbidden", () => {
    expect(forbidden(cluster)).toEqual([]);
  });
});
