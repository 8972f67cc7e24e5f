/**
 * Four validators of one chain, each in a namespace of its own, on a real API server: the operator counts them together.
 * Pods are played as processes that run the real knit and the real gateway.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { freePort } from "../support/go-node.ts";
import { runKnit } from "../support/knit-process.ts";
import { type Cluster, eventually, forbidden, openCluster, whyNoCluster } from "./support/cluster.ts";
import { applyChart, type OperatorProcess, startOperator } from "./support/operator-process.ts";
import { openPlayer, type Player } from "./support/player.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
const NAMESPACES = ["one", "two", "three", "four"];
const FIGURES = "at most 1 of 4 validators may be unavailable";

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

/** The name of the validator in a namespace. */
const nodeOf = (namespace: string): string => `spread-cn${NAMESPACES.indexOf(namespace) + 1}`;

const until = (what: string, holds: () => Promise<boolean>, seconds = 240) =>
  eventually(what, async () => ((await holds()) ? true : undefined), seconds);

about(`validators of several namespaces${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-spread-"));
  let cluster: Cluster;
  let operator: OperatorProcess;
  const players: Player[] = [];

  const of = (namespace: string, ...args: string[]): Promise<string> =>
    cluster.kubectl(["-n", namespace, ...args]);
  const apply = (namespace: string, object: object): Promise<string> =>
    cluster.kubectl(["-n", namespace, "apply", "-f", "-"], JSON.stringify(object));
  const field = (namespace: string, object: string, path: string): Promise<string> =>
    of(namespace, "get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
  const patch = (namespace: string, spec: object): Promise<string> =>
    of(namespace, "patch", "kn", nodeOf(namespace), "--type=merge", "-p", JSON.stringify({ spec }));
  const eachField = (path: string): Promise<readonly string[]> =>
    Promise.all(NAMESPACES.map((namespace) => field(namespace, `kn/${nodeOf(namespace)}`, path)));
  const READY = '.status.conditions[?(@.type=="Ready")].status';

  /** Waits until all are ready and above a block; returns the lowest height. */
  const level = (above: number): Promise<number> =>
    eventually(
      `blocks above ${above}`,
      async () => {
        const [ready, heights] = await Promise.all([eachField(READY), eachField(".status.height")]);
        const lowest = Math.min(...heights.map(Number));
        if (ready.every((each) => each === "True") && lowest > above) return lowest;
        throw new Error(`${ready.join()} ${heights.join()}`);
      },
      300,
    );

  /** Largest number of pods that the budgets together would let go. */
  const room = async (): Promise<number> => {
    const rooms = await Promise.all(
      NAMESPACES.map((namespace) => field(namespace, "pdb/spread.validators", ".status.disruptionsAllowed")),
    );
    return rooms.reduce((sum, each) => sum + Number(each), 0);
  };

  beforeAll(async () => {
    const flags = [
      "--cn-num",
      "4",
      "--lightkdf",
      "--network-name",
      "spread",
      "--output",
      join(directory, "spread"),
    ];
    await runKnit("genesis", ...flags, "kubernetes");
    const read = (file: string): readonly Manifest[] =>
      parseAllDocuments(readFileSync(join(directory, "spread", file), "utf8"))
        .map((document) => document.toJS() as Manifest | null)
        .filter((each) => each !== null);
    const manifests = [...read("keys.yaml"), ...read("network.yaml")];
    cluster = await openCluster();
    await applyChart(cluster);
    for (const namespace of NAMESPACES) {
      await cluster.kubectl(["create", "namespace", namespace]);
      players.push(await openPlayer(cluster, namespace));
      const name = nodeOf(namespace);
      const own = manifests.filter(
        ({ kind, metadata }) => ["ConfigMap", "Network"].includes(kind) || metadata.name.startsWith(name),
      );
      const peers = { namespaces: NAMESPACES.filter((each) => each !== namespace) };
      // All pods share this machine's ports for peers: they get different ones.
      const more = {
        peers,
        p2p: { port: await freePort() },
        maintenance: { trieCache: { onShutdown: false } },
      };
      for (const each of own)
        await apply(namespace, each.kind === "Node" ? { ...each, spec: { ...each.spec, ...more } } : each);
    }
    operator = await startOperator(cluster, "--peer-address=pod", "--poll-seconds=2");
  }, 900_000);

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    for (const player of players) await player[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  }, 120_000);

  test("they are one chain, whose council each Network lists with the Nodes of all namespaces", async () => {
    await level(3);
    const members = NAMESPACES.map((namespace) => `${namespace}/${nodeOf(namespace)}`).sort();
    for (const namespace of NAMESPACES) {
      await until("the council", async () => {
        const found = (await field(namespace, "knet/spread", ".status.council[*].member")).split(" ");
        return found.sort().join() === members.join();
      });
      const tolerance = '.status.conditions[?(@.type=="FaultTolerant")].reason';
      await until("tolerance", async () => (await field(namespace, "knet/spread", tolerance)) === "Tolerant");
    }
  }, 400_000);

  test("their budgets together never let two of them go", async () => {
    let most = 0;
    await until("an open budget", async () => {
      most = Math.max(most, await room());
      return most > 0;
    });
    const end = Date.now() + 75_000; // the turn passes on each minute
    await until("another turn", async () => {
      most = Math.max(most, await room());
      return Date.now() > end;
    });
    expect(most).toBe(1);
  }, 400_000);

  test("with one of them suspended, another namespace's is not, and says why; blocks go on", async () => {
    const before = await level(0);
    await patch("one", { suspend: true });
    await until("the suspension", async () =>
      (await field("one", `kn/${nodeOf("one")}`, ".status.phase")).startsWith("Suspended"),
    );
    await patch("two", { suspend: true });
    const path = '.status.conditions[?(@.type=="Progressing")].message';
    const words = await eventually("the refusal", async () => {
      const text = await field("two", `kn/${nodeOf("two")}`, path);
      return text.includes(FIGURES) ? text : undefined;
    });
    expect(words).toContain(`one/${nodeOf("one")}`);
    expect(await field("two", `sts/${nodeOf("two")}`, ".spec.replicas")).toBe("1");
    await patch("two", { suspend: false });
    await until("blocks", async () => {
      const heights = await Promise.all(
        ["two", "three", "four"].map((each) => field(each, `kn/${nodeOf(each)}`, ".status.height")),
      );
      return heights.every((height) => Number(height) > before + 5);
    });
    await patch("one", { suspend: false });
    await level(before + 5);
  }, 500_000);

  test("a change of all four reaches one at a time", async () => {
    const settings = ".spec.template.metadata.annotations.knit\\.dev/settings";
    const digests = (): Promise<readonly string[]> =>
      Promise.all(NAMESPACES.map((namespace) => field(namespace, `sts/${nodeOf(namespace)}`, settings)));
    const old = await digests();
    const before = await level(0);
    await Promise.all(NAMESPACES.map((namespace) => patch(namespace, { settings: { verbosity: "4" } })));
    let most = 0;
    await until("all to have it", async () => {
      const rolling = (await eachField(".status.rollout.member")).filter((each) => each !== "");
      most = Math.max(most, rolling.length);
      return rolling.length === 0 && (await digests()).every((digest, index) => digest !== old[index]);
    });
    expect(most).toBe(1);
    await level(before);
    expect(forbidden(cluster)).toEqual([]);
  }, 500_000);
});
