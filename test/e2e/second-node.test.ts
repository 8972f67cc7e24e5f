/** Tests of the error of a node that cannot start beside another one: real processes, real locks, real ports. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type DevNode, startDevNode } from "../support/dev-node.ts";
import { runKnit } from "../support/knit-process.ts";

let directory = "";
let node: DevNode;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knit-second-"));
  node = await startDevNode("--datadir", directory);
}, 120_000);

afterAll(async () => {
  await node.knit.stop();
  rmSync(directory, { recursive: true });
});

const free = ["--rpcport", "0", "--wsport", "0", "--prometheusport", "0"];

test.each(["run", "import", "db size"])(
  "knit %s on the data directory of a running node is refused in one line",
  async (command) => {
    const file = command === "import" ? ["package.json"] : []; // the directory is looked at first
    const { code, output } = await runKnit(...command.split(" "), ...file, "--datadir", directory);
    expect([code, output]).toEqual([1, "Fatal: datadir already used by another process\n"]);
  },
  120_000,
);

test.each([
  ["--rpcport", "http"],
  ["--wsport", "ws"],
  ["--prometheusport", "metrics"],
  ["--port", "http"],
] as const)(
  "%s of a port that is taken: the port is named, with the flag that chooses another",
  async (flag, of) => {
    const { port } = new URL(node[of]);
    const { code, output } = await runKnit("dev", ...free, flag, port, "--verbosity", "1");
    expect([code, output]).toEqual([1, expect.stringContaining(`:${port} is already in use: `)]);
    expect(output).toMatch(new RegExp(`^Fatal: .*choose another port with ${flag} \\(.*\n$`));
  },
  120_000,
);
