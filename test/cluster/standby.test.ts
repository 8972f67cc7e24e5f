/**
 * Four validators, three standby core nodes, a proxy and two endpoints as real pods on a cluster of one node: a fork that
 * is scheduled and crossed, an operator that is away, an endpoint that is cut off, a dead validator, evictions, a drain,
 * an image change, votes, and a deleted Network. It waits for more than a thousand blocks, so it runs in
 * `npm run test:e2e` only.
 */
import { describe, expect, jest, test } from "@jest/globals";
import { eventually, whyNoMachine } from "./support/cluster.ts";
import type { NetworkView } from "./support/network-view.ts";
import { NEWER_IMAGE, type RealNetwork, setUpRealNetwork } from "./support/real-network.ts";
import { callScript } from "./support/real-pods.ts";
import {
  ENDPOINTS,
  longestInterval,
  MEMBERS,
  STANDBY,
  standbyNetwork,
  VALIDATORS,
} from "./support/standby-network.ts";

const missing = whyNoMachine();
const about = missing === undefined ? describe : describe.skip;
/** Maximum wait on a busy machine. */
const PATIENCE = 900;
jest.setTimeout(2_400_000);
/** With one validator missing a round of ten seconds passes without a block; the rest is for the machine. */
const MAX_SECONDS_WITHOUT_BLOCK = 40;
/** Blocks that the operator wants before a fork, and some for the request itself. */
const FORK_ROOM = 120 * MEMBERS.length + 60;
/** The lag of the endpoint that is cut off. */
const LAG = 50;
const KNIT = "app.kubernetes.io/name=knit";

const until = (what: string, holds: () => Promise<boolean>, seconds = PATIENCE) =>
  eventually(what, async () => ((await holds()) ? true : undefined), seconds);

about(`standby core nodes${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let real: RealNetwork;
  let network: NetworkView;
  let forkBlock = 0;

  setUpRealNetwork((opened) => {
    real = opened;
    network = opened.network;
  });

  const whole = (above = 0): Promise<number> => network.whole(MEMBERS.length, above, PATIENCE);
  const field = (object: string, path: string): Promise<string> =>
    real.demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
  const condition = (object: string, type: string, part = "status"): Promise<string> =>
    field(object, `.status.conditions[?(@.type=="${type}")].${part}`);
  const patch = (object: string, spec: object): Promise<string> =>
    real.demo("patch", object, "--type=merge", "-p", JSON.stringify({ spec }));
  const uids = (members: readonly string[]): Promise<readonly string[]> =>
    Promise.all(members.map((name) => network.uid(`${name}-0`)));
  const imageOf = (name: string): Promise<string> =>
    field(`pod/${name}-0`, '.spec.containers[?(@.name=="node")].image');
  const isReady = async (member: string): Promise<boolean> =>
    (await field(`pod/${member}-0`, '.status.conditions[?(@.type=="Ready")].status')) === "True";

  const haveNewer = async (names: readonly string[]): Promise<boolean> =>
    (await Promise.all(names.map(imageOf))).every((image) => image === NEWER_IMAGE);

  /** Number and age of the newest block that a replica has. */
  const headOf = async (member: string): Promise<{ number: number; ageSeconds: number }> => {
    const head = (await network.inside(member, "klay_getHeaderByNumber", "latest")) as {
      number: string;
      timestamp: string;
    };
    return { number: Number(head.number), ageSeconds: Date.now() / 1_000 - Number(head.timestamp) };
  };

  /** Blocks are made at the pace that one missing validator leaves. */
  async function expectBlocks(what: string, from: number, to: number): Promise<void> {
    const longest = await longestInterval(network, "endpoint-m1", { from, to });
    process.stderr.write(`${what}: blocks ${from} to ${to}, ${longest.seconds} s before ${longest.block}\n`);
    expect([what, longest.seconds <= MAX_SECONDS_WITHOUT_BLOCK, longest]).toEqual([what, true, longest]);
  }

  test("four are in the council, three stand by, and drains may take one validator", async () => {
    await real.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], standbyNetwork());
    await real.demo("wait", "--for=condition=Ready", "knet/chain", `--timeout=${PATIENCE}s`);
    await whole(3);
    for (const name of VALIDATORS) expect(await field(`kn/${name}`, ".status.validator")).toBe("true");
    for (const name of STANDBY) expect(await field(`kn/${name}`, ".status.validator")).toBe("false");
    expect(await field("pdb/chain.validators", ".status.disruptionsAllowed")).toBe("1");
    expect(await condition("knet/chain", "FaultTolerant", "reason")).toBe("Tolerant");
  });

  test("a standby node has the proxies as its peers, because validators accept none", async () => {
    for (const { name, peers, peersWanted } of await network.members())
      if (STANDBY.includes(name)) expect([name, peersWanted, (peers ?? 0) > 0]).toEqual([name, 1, true]);
    for (const { name, peersWanted } of await network.members())
      if (VALIDATORS.includes(name)) expect([name, peersWanted]).toEqual([name, VALIDATORS.length - 1]);
    for (const name of STANDBY) expect(await condition(`kn/${name}`, "PeersReady")).toBe("True");
  });

  test("a fork is scheduled on the running chain, and every pod has it long before its block", async () => {
    const before = await whole();
    forkBlock = before + FORK_ROOM;
    await patch("knet/chain", { genesis: { create: { forks: { osaka: forkBlock } } } });
    await until("the schedule", async () => (await condition("knet/chain", "ForksReady")) === "True");
    const after = await whole(before);
    expect(after).toBeLessThan(forkBlock);
    await expectBlocks("fork rolled", before, after);
  });

  test("all pods restart while the operator is away: blocks go on, and no endpoint is ready with an old head", async () => {
    const before = await whole();
    const old = await uids(MEMBERS);
    await real.operator("scale", "deployment/knit-operator", "--replicas=0");
    await until("no operator", async () => (await real.operator("get", "pods", "-o", "name")) === "");
    await real.demo("delete", "pod", "-l", KNIT, "--wait=false");
    const stale: string[] = [];
    await until("all pods and blocks again", async () => {
      const now = await Promise.all(MEMBERS.map((name) => field(`pod/${name}-0`, ".metadata.uid")));
      if (now.some((uid, index) => uid === "" || uid === old[index])) return false;
      for (const name of ENDPOINTS) {
        if (!(await isReady(name))) continue;
        const { ageSeconds } = await headOf(name);
        // The kubelet looks every few seconds.
        if (ageSeconds > 90 && (await isReady(name))) stale.push(`${name}: ${ageSeconds} s`);
      }
      const ready = await Promise.all(MEMBERS.map(isReady));
      return ready.every(Boolean) && (await headOf("endpoint")).number > before + 10;
    });
    expect(stale).toEqual([]);
    await real.operator("scale", "deployment/knit-operator", "--replicas=1");
    await real.operator("rollout", "status", "deployment/knit-operator", `--timeout=${PATIENCE}s`);
    const after = await whole(before + 10);
    const { block, seconds } = await longestInterval(network, "endpoint", { from: before, to: after });
    process.stderr.write(`all pods restarted: ${seconds} s before ${block}\n`);
  });

  test("an endpoint that restarts without its peers falls behind, is not ready and gets no connection", async () => {
    await whole();
    const policy = {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "cut" },
      spec: {
        podSelector: { matchLabels: { "knit.dev/member": "endpoint" } },
        policyTypes: ["Egress"],
        egress: [],
      },
    };
    await real.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], JSON.stringify(policy));
    const old = await network.uid("endpoint-0");
    await real.demo("delete", "pod", "endpoint-0", "--wait=false");
    await until("the new pod", async () => {
      const uid = await field("pod/endpoint-0", ".metadata.uid");
      return uid !== "" && uid !== old;
    });
    const readyAt: number[] = [];
    let head = 0;
    await until("the lag", async () => {
      if (await isReady("endpoint")) readyAt.push(Date.now());
      const [own, other] = await Promise.all([headOf("endpoint"), headOf("endpoint-m1")]);
      head = own.number;
      return other.number - own.number > LAG;
    });
    expect(readyAt).toEqual([]);
    expect(await condition("kn/endpoint", "PeersReady")).toBe("False");
    expect(await condition("kn/endpoint", "Ready")).toBe("False");
    const heights = await Promise.all(
      ["a", "b", "c", "d"].map((name) => real.printed(`client-${name}`, callScript("http://endpoint:8551"))),
    );
    for (const text of heights) {
      const [, height = ""] = /"result":"(0x[0-9a-f]+)"/.exec(text) ?? [];
      expect([text, Number(height) - head > LAG]).toEqual([text, true]);
    }
    await real.demo("delete", "networkpolicy", "cut");
    await whole(head + LAG);
  });

  test("with a dead validator a drain takes standby nodes, but no other validator", async () => {
    const before = await whole();
    const volume = await field("pvc/core-4-data", ".spec.volumeName");
    const directory = await real.cluster.kubectl(["get", "pv", volume, "-o", "jsonpath={.spec.local.path}"]);
    const locked = (mode: string): Promise<unknown> => real.cluster.script("exec", "chmod", mode, directory);
    await locked("000");
    const node = await field("pod/core-4-0", '.status.containerStatuses[?(@.name=="node")].containerID');
    const task = node.replace("containerd://", "");
    await real.cluster.script("exec", "ctr", "-n", "k8s.io", "tasks", "kill", "--signal", "SIGKILL", task);
    await until(
      "the crash",
      async () => (await condition("kn/core-4", "Degraded", "reason")) === "ContainerCrashing",
    );
    expect(await condition("knet/chain", "FaultTolerant", "reason")).toBe("AtLimit");
    const evict = (pod: string) => {
      const eviction = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: pod, namespace: "demo" },
      };
      const path = `/api/v1/namespaces/demo/pods/${pod}/eviction`;
      return real.cluster.tryKubectl(["create", "--raw", path, "-f", "-"], JSON.stringify(eviction));
    };
    const validators = ["core-1", "core-2", "core-3"];
    const old = await uids(validators);
    for (const name of validators) expect((await evict(`${name}-0`)).stderr).toContain("disruption budget");
    for (const name of STANDBY) expect(await evict(`${name}-0`)).toMatchObject({ code: 0 });
    await until("the standby nodes", async () => (await Promise.all(STANDBY.map(isReady))).every(Boolean));
    expect(await uids(validators)).toEqual(old);
    await locked("777");
    expect(await evict("core-4-0")).toMatchObject({ code: 0 }); // it is not healthy, so no budget keeps it
    const after = await whole(before);
    await expectBlocks("dead validator and drain", before, after);
  });

  test("a drain of the machine takes one validator and all standby nodes, and blocks go on", async () => {
    const before = await whole();
    const names = [...VALIDATORS, ...STANDBY];
    const old = await uids(names);
    const machine = await real.cluster.kubectl(["get", "nodes", "-o", "jsonpath={.items[0].metadata.name}"]);
    const options = ["--ignore-daemonsets", "--delete-emptydir-data", `--pod-selector=${KNIT}`];
    const drain = await real.cluster.tryKubectl(["drain", machine, ...options, "--timeout=60s"]);
    expect(drain.code).not.toBe(0);
    expect(drain.stderr).toContain("disruption budget");
    const now = await Promise.all(names.map((name) => field(`pod/${name}-0`, ".metadata.uid")));
    const stays = now.map((uid, index) => uid === old[index]);
    expect(stays.slice(0, VALIDATORS.length).filter(Boolean)).toHaveLength(VALIDATORS.length - 1);
    expect(stays.slice(VALIDATORS.length)).toEqual(STANDBY.map(() => false));
    await real.cluster.kubectl(["uncordon", machine]);
    await expectBlocks("drain", before, await whole(before + 10));
  });

  test("with a validator away another image reaches all other nodes, and waits for it at the other validators", async () => {
    const before = await whole();
    const [away = "", ...others] = VALIDATORS;
    await patch(`kn/${away}`, { suspend: true });
    await until("the end of its pod", async () => (await field(`pod/${away}-0`, ".metadata.uid")) === "");
    const old = await uids(others);
    await patch("knet/chain", { defaults: { image: NEWER_IMAGE } });
    await until("the image", () => haveNewer(["proxy", ...ENDPOINTS, ...STANDBY]));
    await until("the reason", async () =>
      (await condition("kn/core-2", "Progressing", "message")).includes("validators may be unavailable"),
    );
    expect(await uids(others)).toEqual(old);
    await patch(`kn/${away}`, { suspend: false });
    await until("the image everywhere", () => haveNewer(MEMBERS));
    const after = await whole(before);
    await expectBlocks("image change", before, after);
  });

  test("a standby node joins the council and a validator leaves it, by votes", async () => {
    const before = await whole();
    const council = async (): Promise<readonly string[]> =>
      (await field("knet/chain", ".status.council[*].member")).split(" ").sort();
    const voted = async (node: string, wish: string): Promise<void> => {
      await real.demo("annotate", "kn", node, `knit.dev/run=${wish}`);
      await until(`${wish} of ${node}`, async () => {
        const { state = "", message = "" } =
          (await network.runs()).find((run) => run.operation === wish) ?? {};
        if (state === "Failed") throw new Error(message);
        return state === "Succeeded";
      });
    };
    await voted("core-5", "join-council");
    await until(
      "five",
      async () => (await council()).join(" ") === [...VALIDATORS, "core-5"].map((n) => `demo/${n}`).join(" "),
    );
    expect(await field("kn/core-5", ".status.validator")).toBe("true");
    await voted("core-4", "leave-council");
    await until("four", async () => !(await council()).includes("demo/core-4"));
    await until("its status", async () => (await field("kn/core-4", ".status.validator")) === "false");
    await expectBlocks("votes", before, await whole(before));
    // Whoever is not in the council can go, and nothing is asked.
    await patch("kn/core-4", { suspend: true });
    await until("the suspension", async () => (await field("kn/core-4", ".status.phase")) === "Suspended");
    await patch("kn/core-4", { suspend: false });
    await whole(before);
  });

  test("the fork is crossed by all nodes with the same blocks", async () => {
    const isCrossed = async () => (await headOf("endpoint")).number > forkBlock + 5;
    await until("the block", isCrossed, FORK_ROOM + PATIENCE); // a block a second
    await whole(forkBlock + 5);
    const [first, ...others] = await Promise.all(
      MEMBERS.map(async (name) => (await network.blocks(name, forkBlock + 5)).slice(forkBlock - 1)),
    );
    for (const blocks of others) expect(blocks).toEqual(first);
    await expectBlocks("fork crossed", forkBlock - 5, forkBlock + 5);
    const config = (await network.inside("endpoint", "klay_getChainConfig", "latest")) as object;
    expect(config).toMatchObject({ osakaCompatibleBlock: forkBlock });
  });

  test("Nodes whose Network is deleted keep true statuses, and a suspension is carried out", async () => {
    const before = await whole();
    await real.demo("delete", "knet", "chain");
    await whole(before + 10);
    await patch("kn/core-7", { suspend: true });
    await until("the suspension", async () => (await field("kn/core-7", ".status.phase")) === "Suspended");
    expect(await field("pod/core-7-0", ".metadata.name")).toBe("");
    expect(await condition("kn/core-7", "Ready")).toBe("False");
    expect(await condition("kn/endpoint", "Available")).toBe("True");
  });
});
