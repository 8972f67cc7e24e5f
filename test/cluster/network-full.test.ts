/**
 * examples/network-full.yaml on a cluster of one node, as real pods: four core nodes that agree, two proxies, two
 * endpoints; what people do to it, and what becomes of it. Ten processes share few cores: nothing here is about time.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { type Cluster, eventually, openCluster, whyNoMachine } from "./support/cluster.ts";
import { loadImages } from "./support/image.ts";
import { type NetworkView, viewNetwork } from "./support/network-view.ts";
import { OPERATOR_NAMESPACE } from "./support/operator-process.ts";
import { asked, CHART, fetched, IMAGES, inPod } from "./support/real-pods.ts";

const missing = whyNoMachine();
const about = missing === undefined ? describe : describe.skip;
/** Seconds that are waited for what takes its time on a busy machine. */
const PATIENCE = 900;
jest.setTimeout(1_200_000);
const CORES = ["core-1", "core-2", "core-3", "core-4"];
const MEMBERS = [...CORES, "proxy", "proxy-m1", "endpoint", "endpoint-m1"];
/** States of a maintenance in which its member is being maintained. */
const UNDER_WAY = ["Starting", "Running", "Stopping", "Verifying"];
const NEWER = "knit.dev/knit:newer";

about(`the full network${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let network: NetworkView;

  beforeAll(async () => {
    cluster = await openCluster({ node: true });
    network = viewNetwork(cluster, "demo");
    await loadImages(cluster, IMAGES);
    await cluster.script("exec", "ctr", "-n", "k8s.io", "images", "tag", IMAGES.node, NEWER);
    await cluster.kubectl(["create", "namespace", "demo"]);
    await cluster.kubectl(["label", "namespace", "demo", "pod-security.kubernetes.io/enforce=restricted"]);
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  }, 300_000);

  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);

  const printed = (name: string, code: string): Promise<string> =>
    inPod(cluster, { namespace: "demo", name }, code);

  /** The lowest height of all, once every member is ready. */
  const whole = (above = 0): Promise<number> => network.whole(MEMBERS.length, above, PATIENCE);

  test("helm installs the operator, and its pod becomes available", async () => {
    await cluster.helm("install", ...CHART, "--create-namespace");
    const deployment = await cluster.kubectl([
      "-n",
      OPERATOR_NAMESPACE,
      "get",
      "deployment",
      "knit-operator",
    ]);
    expect(deployment).toMatch(/knit-operator +1\/1/);
  });

  test("the example becomes a network whose nodes are all ready, as kubectl wait tells", async () => {
    await cluster.kubectl(
      ["-n", "demo", "apply", "-f", "-"],
      readFileSync("examples/network-full.yaml", "utf8"),
    );
    await demo("wait", "--for=condition=Ready", "knet/full", `--timeout=${PATIENCE}s`);
    await demo("wait", "--for=condition=Ready", "kn", "--all", `--timeout=${PATIENCE}s`);
    expect((await network.members()).map(({ name }) => name).sort()).toEqual([...MEMBERS].sort());
  });

  test("blocks come a second apart at least, from all four core nodes, and every node has them", async () => {
    await whole(12);
    const blocks = (await Promise.all(
      [4, 5, 6, 7, 8, 9, 10, 11].map((number) =>
        network.inside("endpoint", "klay_getBlockWithConsensusInfoByNumber", `0x${number.toString(16)}`),
      ),
    )) as { timestamp: string; proposer: string }[];
    const times = blocks.map(({ timestamp }) => Number(timestamp));
    for (const [index, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[index] ?? 0);
    expect(new Set(blocks.map(({ proposer }) => proposer)).size).toBeGreaterThan(1);
  });

  test("everyone has the peers that are planned for it", async () => {
    await eventually(
      "peers",
      async () => {
        const states = (await network.nodes()).map(
          ({ status }) => status?.conditions?.find(({ type }) => type === "PeersReady")?.status,
        );
        return states.every((state) => state === "True") ? true : undefined;
      },
      PATIENCE,
    );
    const wanted = new Map((await network.members()).map(({ name, peersWanted }) => [name, peersWanted]));
    for (const core of CORES) expect(wanted.get(core)).toBeGreaterThanOrEqual(3);
    expect(wanted.get("endpoint-m1")).toBe(2);
  });

  test("JSON-RPC answers through the Service from another pod, and metrics through those of the nodes", async () => {
    expect(await printed("rpc", asked("http://endpoint:8551"))).toMatch(/^200 .*"result":"0x[0-9a-f]+"/);
    expect(await printed("metrics", fetched("http://core-1-peer:61001/metrics"))).toMatch(
      /^klaytn_blockchain_head_blocknumber \d+$/m,
    );
  });

  test("the operator's own metrics tell of every node", async () => {
    const address = await cluster.kubectl([
      "-n",
      OPERATOR_NAMESPACE,
      "get",
      "pod",
      "-l",
      "app.kubernetes.io/name=knit-operator",
      "-o",
      "jsonpath={.items[0].status.podIP}",
    ]);
    const text = await printed("operator-metrics", fetched(`http://${address}:8080/metrics`));
    expect(text).toMatch(/^leader_election_master_status\{name="knit-operator"\} 1$/m);
    for (const name of MEMBERS) {
      expect(text).toMatch(new RegExp(`^knit_node_height\\{namespace="demo",node="${name}"\\} \\d+$`, "m"));
    }
  });

  test("a pod that is deleted comes back with its chain while the others go on", async () => {
    const before = await whole();
    const old = await network.uid("core-1-0");
    await demo("delete", "pod", "core-1-0", "--wait=false");
    await eventually(
      "another pod",
      async () => ((await network.uid("core-1-0")) === old ? undefined : true),
      PATIENCE,
    );
    expect(await whole(before + 3)).toBeGreaterThan(before);
  });

  test("a peer that is cut off by hand is connected again", async () => {
    const [url = ""] = (
      await demo("get", "kn", "endpoint", "-o", "jsonpath={.status.members[0].mesh[*]}")
    ).split(" ");
    const id = url.slice("kni://".length, url.indexOf("@"));
    const hasIt = async (): Promise<boolean> =>
      ((await network.inside("endpoint", "admin_peers")) as { id: string }[]).some((peer) => peer.id === id);
    expect(await network.inside("endpoint", "admin_removePeer", url)).toBe(true);
    await eventually("the peer", async () => ((await hasIt()) ? true : undefined), PATIENCE);
  });

  test("a volume grows", async () => {
    await demo("patch", "kn", "proxy", "--type=merge", "-p", '{"spec":{"storage":{"size":"12Gi"}}}');
    await eventually(
      "the claim",
      async () => {
        const size = await demo("get", "pvc", "proxy-data", "-o", "jsonpath={.status.capacity.storage}");
        return size === "12Gi" ? true : undefined;
      },
      PATIENCE,
    );
  });

  test("two wishes for a migration are carried out one after the other, and blocks go on", async () => {
    const before = await whole();
    for (const name of ["core-2", "core-3"]) await demo("annotate", "kn", name, "knit.dev/run=migrate");
    let most = 0;
    await eventually(
      "both ends",
      async () => {
        const states = (await network.nodes()).map(({ status }) => status?.maintenance?.state);
        most = Math.max(most, states.filter((state = "") => UNDER_WAY.includes(state)).length);
        return states.filter((state) => state === "Succeeded").length >= 2 ? true : undefined;
      },
      PATIENCE,
    );
    expect(most).toBeLessThanOrEqual(1);
    expect(await whole(before)).toBeGreaterThan(before);
  });

  test("an operator that is killed again and again while nodes change leaves the same network", async () => {
    const before = await network.podUids();
    for (const host of ["a.example", "b.example", "c.example"]) {
      const patch = JSON.stringify({ metadata: { annotations: { note: host } } });
      await demo("patch", "kn", "endpoint", "--type=merge", "-p", patch);
      await cluster.kubectl([
        "-n",
        OPERATOR_NAMESPACE,
        "delete",
        "pod",
        "-l",
        "app.kubernetes.io/name=knit-operator",
        "--grace-period=0",
        "--force",
      ]);
    }
    await cluster.kubectl([
      "-n",
      OPERATOR_NAMESPACE,
      "rollout",
      "status",
      "deployment/knit-operator",
      `--timeout=${PATIENCE}s`,
    ]);
    await whole(await whole());
    expect(await network.podUids()).toBe(before);
  });

  test("an upgrade of the operator leaves the nodes' pods as they are", async () => {
    const before = await network.podUids();
    await cluster.helm("upgrade", ...CHART, "--set=logLevel=debug");
    await whole(await whole());
    expect(await network.podUids()).toBe(before);
  });

  test("another image is rolled out, and the chain goes on", async () => {
    const before = await whole();
    const patch = JSON.stringify({ spec: { defaults: { image: NEWER } } });
    await demo("patch", "knet", "full", "--type=merge", "-p", patch);
    await eventually(
      "the newer image everywhere",
      async () => {
        const images = await demo(
          "get",
          "pods",
          "-l",
          "app.kubernetes.io/name=knit",
          "-o",
          `jsonpath={range .items[*]}{.spec.containers[?(@.name=="node")].image} {end}`,
        );
        const list = images.trim().split(" ");
        return list.length === MEMBERS.length && list.every((image) => image === NEWER) ? true : undefined;
      },
      PATIENCE,
    );
    expect(await whole(before)).toBeGreaterThan(before);
  });

  test("what is deleted leaves its volumes and keys", async () => {
    await demo("delete", "kn", "--all", `--timeout=${PATIENCE}s`);
    const left = async (): Promise<readonly string[]> =>
      (
        await demo(
          "get",
          "statefulset,pvc,secret",
          "-l",
          "app.kubernetes.io/managed-by=knit-operator",
          "-o",
          "name",
        )
      )
        .trim()
        .split("\n");
    const kept = [
      ...MEMBERS.map((name) => `persistentvolumeclaim/${name}-data`),
      ...MEMBERS.map((name) => `secret/${name}-nodekey`),
    ].sort();
    await eventually(
      "the end",
      async () => {
        const names = await left();
        return names.some((name) => name.startsWith("statefulset")) ||
          names.some((name) => name.endsWith("-gateway"))
          ? undefined
          : true;
      },
      PATIENCE,
    );
    expect((await left()).filter((name) => kept.includes(name)).toSorted()).toEqual(kept);
  });
});
