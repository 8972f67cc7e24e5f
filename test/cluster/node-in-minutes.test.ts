/**
 * Replicas that start from copies, on a cluster of one node with real pods: a chain of 100,000 blocks, siblings, a lost
 * and a replaced volume, the autoscaler of Kubernetes, a backup in a real S3 server and its restore in an empty
 * namespace, a VolumeSnapshot. Making the chain takes minutes, so it runs in `npm run test:e2e` only.
 */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { bareHex } from "../../node/bytes/hex.ts";
import { type MadeDirectory, makeTransferDirectory } from "../support/made-directory.ts";
import { VALIDATOR_KEY } from "../support/transfer-chain.ts";
import { eventually, eventuallyIs, whyNoMachine } from "./support/cluster.ts";
import { type NetworkView, type Run, viewNetwork } from "./support/network-view.ts";
import { prepareVolume } from "./support/prepared-volume.ts";
import { type RealNetwork, setUpRealNetwork } from "./support/real-network.ts";
import { type S3Server, startS3Server } from "./support/s3-server.ts";
import { defineSnapshots, provisionFromSnapshot, SNAPSHOT_CLASS, takeSnapshot } from "./support/snapshots.ts";
import { longestInterval } from "./support/standby-network.ts";

const missing = whyNoMachine();
const about = missing === undefined ? describe : describe.skip;
jest.setTimeout(1_200_000);
/** Blocks of the chain before its network begins. */
const BLOCKS = Number(process.env["KNIT_COPIED_BLOCKS"] ?? 100_000);
/** A new replica has to be ready by then. */
const READY_SECONDS = 60;
/** Maximum wait for everything else. */
const PATIENCE = 300;
const API = "knit.dev/v1alpha1";
const CHAIN = { name: "chain" };
const GENESIS = "made-genesis";
const READY_AT = '.status.conditions[?(@.type=="Ready")].lastTransitionTime';

/** A header as a node's socket gives it. */
interface Head {
  readonly number: string;
  readonly hash: string;
  readonly stateRoot: string;
}

/** A header as a node has it. */
async function headOf(view: NetworkView, member: string, block: string): Promise<Head> {
  return (await view.inside(member, "klay_getHeaderByNumber", block)) as Head;
}

/** The Network of the made chain. */
function chain(): object {
  const defaults = { resources: { requests: { cpu: "50m", memory: "128Mi" } } };
  const spec = { genesis: { configMap: { name: GENESIS } }, defaults };
  return { apiVersion: API, kind: "Network", metadata: CHAIN, spec };
}

/** One of its Nodes. */
function node(name: string, spec: object): object {
  return { apiVersion: API, kind: "Node", metadata: { name }, spec: { network: CHAIN, ...spec } };
}

/** An autoscaler of the endpoint without metrics: it keeps the replicas between its limits. */
function autoscaler(limits: object): object {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "endpoint" },
    spec: { scaleTargetRef: { apiVersion: API, kind: "Node", name: "endpoint" }, ...limits },
  };
}

about(`a node in minutes${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let scratch = "";
  let made: MadeDirectory;
  let store: S3Server;
  let real: RealNetwork;
  let network: NetworkView;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "kn-"));
    made = await makeTransferDirectory(join(scratch, "core"), {
      accounts: 1_000,
      blocks: BLOCKS,
      transfers: 1,
    });
  }, 1_800_000);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  setUpRealNetwork((opened) => {
    real = opened;
    network = opened.network;
  });

  const applyIn = (namespace: string, ...items: object[]): Promise<string> =>
    real.cluster.kubectl(
      ["-n", namespace, "create", "-f", "-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
  const field = (object: string, path: string): Promise<string> =>
    real.demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
  const patch = (object: string, spec: object): Promise<string> =>
    real.demo("patch", object, "--type=merge", "-p", JSON.stringify({ spec }));
  const annotate = (wish: string): Promise<string> =>
    real.demo("annotate", "kn", "endpoint", `knit.dev/run=${wish}`);
  const volumeOf = (member: string): Promise<string> => field(`pvc/${member}-data`, ".spec.volumeName");
  const members = async (): Promise<string> => (await field("kn/endpoint", ".status.members[*].name")).trim();
  const genesis = (): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: GENESIS },
    data: { "genesis.json": made.genesis },
  });
  const credentials = (): object => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "archive" },
    stringData: store.variables,
  });

  /** Waits until pods that are about to be made are ready, and prints how long it took. */
  async function readyWithin(what: string, names: readonly string[], since: number): Promise<void> {
    const seconds = await Promise.all(
      names.map(async (name) => {
        const left = (): string =>
          `--timeout=${Math.max(1, Math.ceil(READY_SECONDS - (Date.now() - since) / 1_000))}s`;
        await real.demo("wait", "--for=create", `pod/${name}-0`, left());
        await real.demo("wait", "--for=condition=Ready", `pod/${name}-0`, left());
        return Math.round((Date.parse(await field(`pod/${name}-0`, READY_AT)) - since) / 1_000);
      }),
    );
    const list = names.map((name, index) => `${name} ready after ${seconds[index]} s`).join(", ");
    process.stderr.write(`${what}: ${list}\n`);
  }

  /** Waits for the end of the endpoint's operation. */
  const succeeded = (wanted: string): Promise<Run> =>
    eventually(
      wanted,
      async () => {
        const run = (await network.runs()).find(({ operation }) => operation === wanted);
        if (run?.state === "Failed") throw new Error(run.message);
        return run?.state === "Succeeded" ? run : undefined;
      },
      PATIENCE,
    );

  /** The replica has the chain from a sibling, with the blocks that were made before. */
  async function expectCopy(member: string): Promise<void> {
    const log = await real.demo("logs", `${member}-0`, "-c", "genesis");
    expect(log).toContain("started from a sibling");
    const number = `0x${made.head.number.toString(16)}`;
    expect(await headOf(network, member, number)).toMatchObject({ hash: made.head.hash });
  }

  /** Blocks of the only validator that were made meanwhile are on time. */
  async function expectBlocks(what: string, from: Head): Promise<void> {
    const to = Number((await headOf(network, "core", "latest")).number);
    const longest = await longestInterval(network, "core", { from: Number(from.number), to });
    process.stderr.write(`${what}: ${to - Number(from.number)} blocks, ${longest.seconds} s at most\n`);
    expect(to).toBeGreaterThan(Number(from.number));
  }

  test(`a validator goes on with a chain of ${BLOCKS} blocks, and the first endpoint starts from its copy`, async () => {
    store = await startS3Server(real.cluster);
    await defineSnapshots(real.cluster);
    const place = { namespace: "demo", claim: "core-data" };
    await prepareVolume(real.cluster, place, { from: join(scratch, "core"), className: "standard" });
    const key = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "core-key" },
      stringData: { nodekey: bareHex(VALIDATOR_KEY) },
    };
    const core = node("core", { type: "core", nodeKeySecret: { name: "core-key" } });
    await applyIn("demo", genesis(), key, credentials(), chain(), core);
    await real.demo("wait", "--for=condition=Ready", "kn/core", `--timeout=${PATIENCE}s`);
    const url = `s3://${store.bucket}/demo/endpoint`;
    const since = Date.now();
    const endpoint = node("endpoint", {
      type: "endpoint",
      bootstrap: { from: "Sibling" },
      backup: { to: { url, credentialsSecret: "archive" }, verify: true },
      storage: { whenScaled: "Delete" },
      peers: { types: ["core"] },
    });
    await applyIn("demo", endpoint);
    await readyWithin("first endpoint", ["endpoint"], since);
    await expectCopy("endpoint");
  });

  test("an endpoint is scaled from one to three, and each new replica is ready within a minute", async () => {
    const before = await headOf(network, "core", "latest");
    const since = Date.now();
    await real.demo("scale", "kn/endpoint", "--replicas=3");
    await readyWithin("scaled to three", ["endpoint-m1", "endpoint-m2"], since);
    for (const name of ["endpoint-m1", "endpoint-m2"]) await expectCopy(name);
    await expectBlocks("scaled to three", before);
    await real.demo("wait", "--for=condition=Ready", "kn/endpoint", `--timeout=${PATIENCE}s`);
  });

  test("a volume that is lost, and one that is given up, are replaced by copies", async () => {
    const lost = await volumeOf("endpoint-m1");
    const old = await network.uid("endpoint-m1-0");
    await real.demo("delete", "pvc", "endpoint-m1-data", "--wait=false");
    await real.demo("delete", "pod", "endpoint-m1-0", "--wait=false");
    await eventually(
      "the end of the pod",
      async () => ((await field("pod/endpoint-m1-0", ".metadata.uid")) === old ? undefined : true),
      PATIENCE,
    );
    const since = Date.now();
    await readyWithin("lost volume", ["endpoint-m1"], since);
    expect(await volumeOf("endpoint-m1")).not.toBe(lost);
    await expectCopy("endpoint-m1");

    const given = await volumeOf("endpoint-m2");
    const begun = Date.now();
    await annotate("replace:endpoint-m2");
    const done = await succeeded("replace");
    process.stderr.write(`replaced: ${Math.round((Date.now() - begun) / 1_000)} s, ${done.message}\n`);
    expect(await volumeOf("endpoint-m2")).not.toBe(given);
    await expectCopy("endpoint-m2");
  });

  test("the autoscaler of Kubernetes scales the endpoint, and what goes takes its volume with it", async () => {
    await applyIn("demo", autoscaler({ minReplicas: 1, maxReplicas: 1 }));
    await eventuallyIs("one replica", members, "endpoint", PATIENCE);
    for (const name of ["endpoint-m1", "endpoint-m2"])
      await eventuallyIs("no claim", () => field(`pvc/${name}-data`, ".metadata.name"), "", PATIENCE);
    const condition = '.status.conditions[?(@.type=="AbleToScale")].status';
    expect(await field("hpa/endpoint", condition)).toBe("True");
    await patch("hpa/endpoint", { minReplicas: 2, maxReplicas: 2 });
    await eventuallyIs("two wanted", () => field("kn/endpoint", ".spec.replicas"), "2", PATIENCE);
    await readyWithin("scaled by the autoscaler", ["endpoint-m1"], Date.now());
    await expectCopy("endpoint-m1");
    await eventuallyIs("two seen", () => field("hpa/endpoint", ".status.currentReplicas"), "2", PATIENCE);
  });

  test("a backup is restored in an empty namespace, with the hash and the state root of its head", async () => {
    await annotate("checkpoint");
    await succeeded("checkpoint");
    const backup = await eventually(
      "the backup",
      async () => {
        const { height = 0, verifiedAt } = JSON.parse(
          (await field("kn/endpoint", ".status.backup")) || "{}",
        ) as {
          height?: number;
          verifiedAt?: string;
        };
        return verifiedAt === undefined ? undefined : { height };
      },
      PATIENCE,
    );
    await real.cluster.kubectl(["create", "namespace", "restored"]);
    const since = Date.now();
    const url = `s3://${store.bucket}/demo/endpoint`;
    const bootstrap = { url, credentialsSecret: "archive" };
    await applyIn(
      "restored",
      genesis(),
      credentials(),
      chain(),
      node("endpoint", { type: "endpoint", bootstrap }),
    );
    const view = viewNetwork(real.cluster, "restored");
    const number = `0x${backup.height.toString(16)}`;
    const head = await eventually("its head", () => headOf(view, "endpoint", number), PATIENCE);
    process.stderr.write(`restored: answers after ${Math.round((Date.now() - since) / 1_000)} s\n`);
    const { hash, stateRoot } = await headOf(network, "endpoint", number);
    expect(head).toMatchObject({ hash, stateRoot });
    const log = await real.cluster.kubectl(["-n", "restored", "logs", "endpoint-0", "-c", "genesis"]);
    expect(log).toContain(`started from a checkpoint        number=${backup.height} hash=${hash}`);
    await real.cluster.kubectl(["delete", "namespace", "restored", "--timeout=200s"]);
  });

  test("the claim of a new Node is created from a VolumeSnapshot of a running one", async () => {
    await takeSnapshot(real.cluster, "frozen", {
      namespace: "demo",
      claim: "endpoint-data",
      pod: "endpoint-0",
    });
    const { number } = await headOf(network, "endpoint", "latest");
    const since = Date.now();
    const spec = {
      type: "endpoint",
      bootstrap: { volumeSnapshot: "frozen" },
      storage: { storageClassName: SNAPSHOT_CLASS },
      peers: { types: ["core"] },
    };
    await applyIn("demo", node("reader", spec));
    await provisionFromSnapshot(real.cluster, { namespace: "demo", claim: "reader-data" });
    await readyWithin("from a snapshot", ["reader"], since);
    const [, opened] = /"number":(\d+)[^\n]*"opened node"/.exec(await network.log("reader")) ?? [];
    expect(Number(opened)).toBeGreaterThanOrEqual(BLOCKS);
    const { hash } = await headOf(network, "reader", number);
    expect(await headOf(network, "endpoint", number)).toMatchObject({ hash });
  });
});
