/** docs/backups.md: every command in it is run, in order, and answers as the page says. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startDevNode } from "../support/dev-node.ts";
import type { KnitProcess } from "../support/knit-process.ts";
import { answerPattern, pageBlocks, prepareCommands, runCommands } from "../support/page.ts";

let directory = "";
let node: KnitProcess;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knit-backups-"));
  prepareCommands(directory);
  ({ knit: node } = await startDevNode("--datadir", join(directory, "node")));
});
afterAll(async () => {
  await node.stop();
  rmSync(directory, { recursive: true });
});

test("every command of docs/backups.md works and answers as it says", async () => {
  const found = pageBlocks(readFileSync("docs/backups.md", "utf8"));
  expect(found.length).toBeGreaterThan(3);
  for (const { text, answer } of found) {
    const ended = await runCommands(directory, text);
    expect({ text, ...ended }).toMatchObject({ text, code: 0 });
    if (answer !== undefined) expect(ended.output).toMatch(answerPattern(answer));
  }
}, 60_000);
