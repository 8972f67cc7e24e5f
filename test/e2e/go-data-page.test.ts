/** docs/from-a-go-node.md: every command in it is run, in order, and answers as the page says. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makeGoDirectory } from "../support/go-directory.ts";
import { importAll, initFrom } from "../support/offline-jobs.ts";
import { answerPattern, pageBlocks, prepareCommands, runCommands, spawnCommands } from "../support/page.ts";

const CHAIN = "test/vectors/chains/fork-ladder";

let directory = "";

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knit-from-go-"));
  prepareCommands(directory);
  const replayed = join(directory, "replayed");
  await initFrom(replayed, join(CHAIN, "genesis.json"));
  await importAll(replayed, join(CHAIN, "chain.rlp.gz"));
  const shape = { shards: 4, isCounted: true, isSingle: false, stateName: "statetrie" };
  await makeGoDirectory(replayed, join(directory, "go-node"), shape);
  writeFileSync(join(directory, "go-node", "klay", "nodekey"), "1".repeat(64));
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs the node of a block on free ports until it has opened its chain, and stops it. */
async function startAndStop(text: string): Promise<void> {
  const flags = "--nodiscover --port 0 --ipcdisable";
  const child = spawnCommands(directory, text.trimEnd().replace(/^(knit run .*)$/m, `exec $1 ${flags}`));
  let said = "";
  const started = new Promise<void>((resolve, reject) => {
    child.on("close", () => reject(new Error(said)));
    child.stderr.setEncoding("utf8").on("data", (more: string) => {
      said += more;
      if (said.includes("opened node")) resolve();
    });
  });
  await started;
  child.kill("SIGINT");
  await once(child, "close");
}

test("every command of docs/from-a-go-node.md works and answers as it says", async () => {
  const found = pageBlocks(readFileSync("docs/from-a-go-node.md", "utf8"));
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
