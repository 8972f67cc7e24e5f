/** The console against what a Go node's gave: expressions, and a session in a real terminal. */
import { spawnSync } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  type ConsoleNode,
  type ConsoleVectors,
  judgeConsole,
  judgeExpressions,
  openExecutor,
  readConsoleVectors,
  startConsoleNode,
} from "../support/console/console-vectors.ts";
import { screenLines, Terminal } from "../support/console/terminal.ts";
import { MAIN } from "../support/knit-process.ts";

const KAIA = "test/vectors/console/kaia.json";

let vectors: ConsoleVectors;
let node: ConsoleNode;

beforeAll(async () => {
  vectors = await readConsoleVectors(KAIA);
  node = await startConsoleNode(KAIA, vectors);
}, 120_000);

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

test("every expression prints what was recorded", async () => {
  const { passed, failures } = await judgeExpressions(node, vectors);
  expect(failures).toEqual([]);
  expect(passed).toBe(50);
}, 120_000);

if (process.env["KNIT_TRANSCRIPTS"] === "all")
  test("of the other line of nodes too, where deeper tests are asked for", async () => {
    const { passed, failures } = await judgeConsole("test/vectors/console/klaytn.json");
    expect(failures).toEqual([]);
    expect(passed).toBe(50);
  }, 120_000);

/** `script` keeps the terminal's other end; without it there is no terminal to type into. */
const inTerminal = spawnSync("script", ["--version"]).status === 0 ? test : test.skip;

const attach = ({ datadir }: ConsoleNode): Terminal =>
  new Terminal([process.execPath, MAIN, "attach", "--datadir", datadir]);

/** Without what tells the two programs apart: frames, addresses, the instance, the directory. */
function comparable(lines: readonly string[]): string[] {
  return lines
    .filter((line) => !line.startsWith("\t"))
    .map((line) => line.replace(/^(instance|.*datadir): .*/, "$1").replace(/0x[0-9a-f]{40}\b/g, "ADDRESS"));
}

inTerminal(
  "a session in a terminal shows what was recorded; history keeps no secret",
  async () => {
    await using executor = await openExecutor(node);
    await executor.execute('personal.listAccounts.length || personal.newAccount("abc")');
    using terminal = attach(node);
    let recorded = "";
    for (const step of vectors.sessions[0] ?? []) {
      // a Tab in a burst of keys is text to this line editor; it is pressed by itself below
      if (step.in !== null) terminal.type(step.in.replace("\t", ""));
      recorded += step.out;
      const lines = screenLines(recorded);
      if (step.in !== "exit\r") await terminal.shows(lines.at(-1) ?? "", lines.length);
    }
    expect(comparable(await terminal.ended())).toEqual(comparable(screenLines(recorded)));
    const history = join(node.datadir, "history");
    const kept = (await readFile(history, "utf8")).split("\n");
    expect(kept.slice(0, 6)).toEqual([
      "klay.blockNumber",
      "function f(a) {",
      "return a + 1",
      "}",
      "f(2)",
      "klay.getBlock(1).hash",
    ]);
    expect(kept.filter((line) => /personal|secret|pw1|abc/.test(line))).toEqual([]);
    expect((await stat(history)).mode & 0o777).toBe(0o600);

    using next = attach(node);
    await next.shows("> ");
    next.type("klay.getBloc");
    await next.shows("> klay.getBloc");
    next.type("\t");
    await next.shows("> klay.getBlock");
    next.type("\u0003");
    await next.shows("> ");
    next.type("while (true) {}\r");
    await next.shows("");
    next.type("\u0003");
    expect((await next.ended()).join("\n")).toContain("caught interrupt, exiting");
    await rm(history);
  },
  120_000,
);
