/**
 * Manifests of `knit genesis` on a real API server: they apply as they are, and the operator makes a network of them
 * whose block 0 is the one that was told. Pods are played as processes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../support/go-node.ts";
import { runKnit } from "../support/knit-process.ts";
import { type Cluster, eventually, openCluster, whyNoCluster } from "./support/cluster.ts";
import { applyChart, type OperatorProcess, startOperator } from "./support/operator-process.ts";
import { openPlayer, type Player } from "./support/player.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;

about(`a made network${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let directory: string;
  let large: readonly string[];
  let small: readonly string[];
  let hash: string | undefined;
  let cluster: Cluster;
  let operator: OperatorProcess | undefined;
  let player: Player | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "knit-made-"));
    [large] = await make("large", "--cn-num", "4", "--pn-num", "1", "--en-num", "1");
    [small, hash] = await make("small", "--cn-num", "2", "--en-num", "1");
    cluster = await openCluster();
    await applyChart(cluster);
    await cluster.kubectl(["create", "namespace", "demo"]);
  }, 900_000);

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await player?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  }, 60_000);

  /** The files of a network, as arguments of kubectl, and the hash of block 0. */
  const make = async (name: string, ...size: string[]): Promise<[string[], string | undefined]> => {
    const output = join(directory, name);
    const flags = [...size, "--lightkdf", "--network-name", name, "--output", output];
    const { output: reported } = await runKnit("genesis", ...flags, "kubernetes");
    const [, hashOfBlock0] = /hash of block 0 (0x[0-9a-f]{64})/.exec(reported) ?? [];
    return [["-f", join(output, "keys.yaml"), "-f", join(output, "network.yaml")], hashOfBlock0];
  };

  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);

  test("its manifests apply as they are, by clients and by servers, and again without a change", async () => {
    for (const how of [[], ["--server-side"]])
      expect(await demo("apply", "--dry-run=server", ...how, ...large)).toContain("network.knit.dev/large");
    const objects = 3 + 1 + 1 + 3;
    expect((await demo("apply", ...small)).match(/ created$/gm)).toHaveLength(objects);
    expect((await demo("apply", ...small)).match(/ unchanged$/gm)).toHaveLength(objects);
  });

  test("becomes ready with the block 0 that was told", async () => {
    // All pods share this machine's ports for peers: they get different ones.
    for (const node of (await demo("get", "kn", "-o", "name")).trim().split("\n")) {
      const p2p = { port: await freePort() };
      await demo("patch", node, "--type=merge", "-p", JSON.stringify({ spec: { p2p } }));
    }
    player = await openPlayer(cluster, "demo");
    operator = await startOperator(cluster, "--peer-address=pod", "--poll-seconds=2");
    const seen = await eventually(
      "three ready nodes with blocks",
      async () => {
        const text = (await demo("get", "kn", "--no-headers", "-o", "wide")).trim();
        const all = text.split("\n").map((line) => line.split(/\s+/));
        const isGood = all.every(([, , ready, height]) => ready === "True" && Number(height) > 2);
        if (isGood) return all;
        throw new Error(text); // told when the time is over
      },
      300,
    );
    expect(seen.map(([name, type]) => [name, type])).toEqual([
      ["small-cn1", "core"],
      ["small-cn2", "core"],
      ["small-en1", "endpoint"],
    ]);
    expect(hash).toBeDefined();
    expect(await demo("get", "knet", "small", "-o", "jsonpath={.status.genesisHash}")).toBe(hash);
  }, 400_000);
});
