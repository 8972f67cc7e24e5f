/**
 * examples/network-full.yaml on a cluster of one node, as real pods: four core nodes that agree, two proxies, two
 * endpoints; what people do to it, and what becomes of it. Ten processes share few cores: nothing here is about time.
 */
import { describe, expect, jest, test } from "@jest/globals";
import { eventually, whyNoMachine } from "./support/cluster.ts";
import type { NetworkView, Run } from "./support/network-view.ts";
import { NEWER_IMAGE, type RealNetwork, setUpRealNetwork } from "./support/real-network.ts";
import { CHART, callScript, fetchScript } from "./support/real-pods.ts";
import { patchNodes, rollOut } from "./support/rollout.ts";

const missing = whyNoMachine();
const about = missing === undefined ? describe : describe.skip;
/** Seconds that are waited for what takes its time on a busy machine. */
const PATIENCE = 900;
jest.setTimeout(1_200_000);
/** A round lasts ten seconds, and with one core node away the next finds a proposer; the rest is for the machine. */
const MAX_SECONDS_WITHOUT_BLOCK = 90;
const CORES = ["core-1", "core-2", "core-3", "core-4"];
const MEMBERS = [...CORES, "proxy", "proxy-m1", "endpoint", "endpoint-m1"];
/** States of a migration in which its operator is killed. */
const UNDER_WAY = ["Requested", "Starting", "Running", "Verifying"];
const IMAGE_OF_EACH = '{range .items[*]}{.spec.containers[?(@.name=="node")].image} {end}';

/** A spec with both kinds of maintenance by a schedule, or by none. */
function withSchedule(schedule: string | null): object {
  return { maintenance: { stateMigration: { schedule }, trieCache: { schedule } } };
}

/** Runs of which one began before another had ended. */
function overlaps(runs: readonly Run[]): readonly (readonly Run[])[] {
  const inOrder = runs
    .filter(({ startedAt }) => startedAt !== undefined)
    .toSorted((a, b) => Date.parse(a.startedAt ?? "") - Date.parse(b.startedAt ?? ""));
  return inOrder
    .slice(1)
    .map((run, index) => [inOrder[index] ?? run, run] as const)
    .filter(([before, run]) => Date.parse(before.finishedAt ?? "") > Date.parse(run.startedAt ?? ""));
}

about(`the full network${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let real: RealNetwork;
  let network: NetworkView;

  setUpRealNetwork((opened) => {
    real = opened;
    network = opened.network;
  });

  /** Maintenance of a cause that ended well. */
  const succeeded = async (cause: string): Promise<readonly Run[]> =>
    (await network.runs()).filter((run) => run.cause === cause && run.state === "Succeeded");

  /** The nodes' images. */
  const images = async (): Promise<readonly string[]> =>
    (await real.demo("get", "pods", "-l", "app.kubernetes.io/name=knit", "-o", `jsonpath=${IMAGE_OF_EACH}`))
      .trim()
      .split(" ");

  /** The lowest height of all, once every member is ready. */
  const whole = (above = 0): Promise<number> => network.whole(MEMBERS.length, above, PATIENCE);

  test("the example becomes a network whose nodes are all ready, as kubectl wait tells", async () => {
    await real.apply("network-full.yaml");
    await real.demo("wait", "--for=condition=Ready", "knet/full", `--timeout=${PATIENCE}s`);
    await real.demo("wait", "--for=condition=Ready", "kn", "--all", `--timeout=${PATIENCE}s`);
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
    expect(await real.printed("rpc", callScript("http://endpoint:8551"))).toMatch(
      /^200 .*"result":"0x[0-9a-f]+"/,
    );
    expect(await real.printed("metrics", fetchScript("http://core-1-peer:61001/metrics"))).toMatch(
      /^klaytn_blockchain_head_blocknumber \d+$/m,
    );
  });

  test("the operator's own metrics tell of every node", async () => {
    const address = await real.operator("get", "pods", "-o", "jsonpath={.items[0].status.podIP}");
    const text = await real.printed("operator-metrics", fetchScript(`http://${address}:8080/metrics`));
    expect(text).toMatch(/^leader_election_master_status\{name="knit-operator"\} 1$/m);
    for (const name of MEMBERS) {
      expect(text).toMatch(
        new RegExp(
          `^knit_node_height\\{namespace="demo",node="${name}",network="full",type="[a-z]+"\\} \\d+$`,
          "m",
        ),
      );
    }
  });

  test("a pod that is deleted saves its trie nodes, comes back with them and its chain, and the others go on", async () => {
    const before = await whole();
    const old = await network.uid("core-1-0");
    expect(await network.log("core-1")).not.toMatch(/(saved|loaded) trie nodes/);
    await real.demo("delete", "pod", "core-1-0", "--wait=false");
    await eventually(
      "another pod",
      async () => ((await network.uid("core-1-0")) === old ? undefined : true),
      PATIENCE,
    );
    expect(await whole(before + 3)).toBeGreaterThan(before);
    expect(await network.log("core-1")).toMatch(/"nodes":[1-9]\d*,[^\n]*"loaded trie nodes"/);
  });

  test("a peer that is cut off by hand is connected again", async () => {
    const [url = ""] = (
      await real.demo("get", "kn", "endpoint", "-o", "jsonpath={.status.members[0].mesh[*]}")
    ).split(" ");
    const id = url.slice("kni://".length, url.indexOf("@"));
    const hasIt = async (): Promise<boolean> =>
      ((await network.inside("endpoint", "admin_peers")) as { id: string }[]).some((peer) => peer.id === id);
    expect(await network.inside("endpoint", "admin_removePeer", url)).toBe(true);
    await eventually("the peer", async () => ((await hasIt()) ? true : undefined), PATIENCE);
  });

  test("a volume grows", async () => {
    await real.demo("patch", "kn", "proxy", "--type=merge", "-p", '{"spec":{"storage":{"size":"12Gi"}}}');
    await eventually(
      "the claim",
      async () => {
        const size = await real.demo("get", "pvc", "proxy-data", "-o", "jsonpath={.status.capacity.storage}");
        return size === "12Gi" ? true : undefined;
      },
      PATIENCE,
    );
  });

  test("two wishes for a migration are carried out one after the other, and blocks go on", async () => {
    const before = await whole();
    for (const name of ["core-2", "core-3"]) await real.demo("annotate", "kn", name, "knit.dev/run=migrate");
    await eventually(
      "both ends",
      async () => ((await succeeded("Annotation")).length >= 2 ? true : undefined),
      PATIENCE,
    );
    expect(overlaps(await network.runs())).toEqual([]);
    expect(await whole(before)).toBeGreaterThan(before);
  });

  test("by a schedule both replicas of a Node save their caches and migrate, one after the other", async () => {
    await patchNodes(real.cluster, ["proxy"], withSchedule("* * * * *"));
    const ends = await eventually(
      "two of each",
      async () => {
        const runs = (await succeeded("Schedule")).filter(({ member }) => member.startsWith("proxy"));
        const kinds = new Set(runs.map(({ operation, member }) => `${operation} ${member}`));
        return kinds.size === 4 ? runs : undefined;
      },
      PATIENCE,
    );
    await patchNodes(real.cluster, ["proxy"], withSchedule(null));
    expect(overlaps(await network.runs())).toEqual([]);
    for (const { message } of ends.filter(({ operation }) => operation === "save-cache"))
      expect(message).toMatch(/^the node saved [1-9]\d* bytes of trie nodes; block \d+ was imported$/);
  });

  test("an operator that is killed in each state of a migration leads it to its end, and begins it once", async () => {
    await real.demo("annotate", "kn", "core-4", "knit.dev/run=migrate");
    const killedIn = new Set<string>();
    const end = await eventually(
      "the end",
      async () => {
        const { state = "", message = "" } =
          (await network.runs()).find(({ member }) => member === "core-4") ?? {};
        if (["Succeeded", "Failed"].includes(state)) return `${state}: ${message}`;
        if (!UNDER_WAY.includes(state) || killedIn.has(state)) return undefined;
        killedIn.add(state);
        await real.killOperator();
        return undefined;
      },
      PATIENCE,
    );
    expect(end).toMatch(/^Succeeded: the state migration is complete/);
    expect([...killedIn]).toContain("Running"); // the others may pass unseen
    expect((await network.log("core-4")).match(/"state migration began"/g)).toHaveLength(1);
  });

  test("an operator that is killed again and again while nodes change leaves the same network", async () => {
    const before = await network.podUids();
    for (const host of ["a.example", "b.example", "c.example"]) {
      const patch = JSON.stringify({ metadata: { annotations: { note: host } } });
      await real.demo("patch", "kn", "endpoint", "--type=merge", "-p", patch);
      await real.killOperator();
    }
    await real.operator("rollout", "status", "deployment/knit-operator", `--timeout=${PATIENCE}s`);
    await whole(await whole());
    expect(await network.podUids()).toBe(before);
  });

  test("an upgrade of the operator leaves the nodes' pods as they are", async () => {
    const before = await network.podUids();
    await real.cluster.helm("upgrade", ...CHART, "--set=logLevel=debug");
    await whole(await whole());
    expect(await network.podUids()).toBe(before);
  });

  test("another image is rolled out, one node at a time, under operators that are killed, without a lost block", async () => {
    const before = await whole();
    const known = await network.blocks("endpoint", before);
    const patch = JSON.stringify({ spec: { defaults: { image: NEWER_IMAGE } } });
    const most = await rollOut(real.cluster, {
      change: () => real.demo("patch", "knet", "full", "--type=merge", "-p", patch),
      isWell: async () => (await images()).every((image) => image === NEWER_IMAGE),
      onTurn: async (member) => (CORES.includes(member) ? real.killOperator() : undefined),
      seconds: PATIENCE,
    });
    expect(most).toBe(1);
    const after = await whole(before);
    for (const member of MEMBERS) {
      const blocks = await network.blocks(member, after);
      expect([member, blocks.slice(0, known.length)]).toEqual([member, known]);
      const waits = blocks
        .slice(before + 1)
        .map(({ time }, index) => time - (blocks[before + index]?.time ?? 0));
      expect([member, Math.max(...waits) <= MAX_SECONDS_WITHOUT_BLOCK]).toEqual([member, true]);
    }
  });

  test("what is deleted leaves its volumes and keys", async () => {
    await real.demo("delete", "kn", "--all", `--timeout=${PATIENCE}s`);
    const left = async (): Promise<readonly string[]> =>
      (
        await real.demo(
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
