/** docs/backups.md: every command in it is run, in order, and answers as the page says. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startDevNode } from "../support/dev-node.ts";
import type { KnitProcess } from "../support/knit-process.ts";
import { answerPattern, pageBlocks, prepareCommands, runCommands, spawnCommands } from "../support/page.ts";

let directory = "";
let node: KnitProcess;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knit-backups-"));
  prepareCommands(directory);
  ({ knit: node } = await startDevNode("--datadir", join(directory, "node")));
});
/** Starts the node of a block on free ports, waits until it has its chain, and stops it. */
async function startAndStop(text: string): Promise<void> {
  const flags = "--nodiscover --port 0 --ipcdisable";
  const child = spawnCommands(directory, text.trimEnd().replace(/^(knit run .*)$/m, `exec $1 ${flags}`));
  let said = "";
  const started = new Promise<void>((resolve, reject) => {
    child.on("close", () => reject(new Error(said)));
    child.stderr.setEncoding("utf8").on("data", (more: string) => {
      said += more;
      if (said.includes("started from a checkpoint")) resolve();
    });
  });
  await started;
  child.kill("SIGINT");
  await once(child, "close");
}

afterAll(async () => {
  await node.stop();
  rmSync(directory, { recursive: true });
});

test("every command of docs/backups.md works and answers as it says", async () => {
  const found = pageBlocks(readFileSync("docs/backups.md", "utf8"));
  expect(found.length).toBeGreaterThan(3);
  for (const { kind, text, answer } of found) {
    if (kind === "terminal") {
      await startAndStop(text);
      continue;
    }
    const ended = await runCommands(directory, text);
    expect({ text, ...ended }).toMatchObject({ text, code: 0 });
    if (answer !== undefined) expect(ended.output).toMatch(answerPattern(answer));
  }
}, 60_000);
