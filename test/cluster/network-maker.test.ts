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
  let files: readonly string[];
  let hash: string | undefined;
  let cluster: Cluster;
  let operator: OperatorProcess | undefined;
  let player: Player | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "knit-made-"));
    const output = join(directory, "net");
    const size = ["--cn-num", "4", "--pn-num", "1", "--en-num", "1", "--lightkdf"];
    const told = await runKnit(
      "genesis",
      ...size,
      "--network-name",
      "made",
      "--output",
      output,
      "kubernetes",
    );
    hash = /hash of block 0 (0x[0-9a-f]{64})/.exec(told.output)?.[1];
    files = ["-f", join(output, "keys.yaml"), "-f", join(output, "network.yaml")];
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

  const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);

  test("its manifests apply as they are, by clients and by servers, and again without a change", async () => {
    for (const how of [["--dry-run=server"], ["--server-side", "--dry-run=server"]])
      expect(await demo("apply", ...how, ...files)).toContain("network.knit.dev/made");
    expect((await demo("apply", ...files)).match(/ created$/gm)).toHaveLength(6 + 1 + 1 + 6);
    expect((await demo("apply", ...files)).match(/ unchanged$/gm)).toHaveLength(14);
  });

  test("becomes ready with the block 0 that was told", async () => {
    // All pods share this machine's ports for peers: they get different ones.
    for (const node of (await demo("get", "kn", "-o", "name")).trim().split("\n")) {
      const p2p = { port: await freePort() };
      await demo("patch", node, "--type=merge", "-p", JSON.stringify({ spec: { p2p } }));
    }
    player = await openPlayer(cluster, "demo");
    operator = await startOperator(cluster, "--peer-address=pod", "--poll-seconds=2");
    const rows = async (): Promise<readonly (readonly string[])[]> => {
      const text = await demo("get", "kn", "--no-headers");
      return text
        .trim()
        .split("\n")
        .map((line) => line.split(/\s+/));
    };
    const seen = await eventually(
      "six ready nodes with blocks",
      async () => {
        const all = await rows();
        const good = all.every(([, , ready, height]) => ready === "True" && Number(height) > 2);
        return good && all.length === 6 ? all : undefined;
      },
      300,
    );
    expect(seen.map(([name, type]) => [name, type])).toEqual([
      ["made-cn1", "core"],
      ["made-cn2", "core"],
      ["made-cn3", "core"],
      ["made-cn4", "core"],
      ["made-en1", "endpoint"],
      ["made-pn1", "proxy"],
    ]);
    expect(hash).toBeDefined();
    expect(await demo("get", "knet", "made", "-o", "jsonpath={.status.genesisHash}")).toBe(hash);
  }, 400_000);
});
