/** docs/first-steps.md: every command in it is run, in order, answers as the page says, and leaves nothing that git sees. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePorts } from "../../scripts/network/ports.ts";
import { answerPattern, pageBlocks, prepareCommands } from "../support/page.ts";

/** Ports of the page, with as many as follow each. */
const PORTS: readonly (readonly [port: number, count: number])[] = [
  [8551, 2],
  [61_001, 1],
  [32_400, 2],
  [8700, 4],
  [32_410, 1],
];

/** A command that has ended; `complaint` is what it said on standard error. */
interface Ended {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

let directory = "";
const terminals: ChildProcess[] = [];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-first-"));
  prepareCommands(directory);
});

afterAll(async () => {
  for (const child of terminals.toReversed()) {
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "exit");
  }
  rmSync(directory, { recursive: true });
});

/** The page on ports that nobody has. */
async function withFreePorts(page: string): Promise<string> {
  let changed = page;
  for (const [port, count] of PORTS) {
    const free = await portRow(count);
    for (let i = 0; i < count; i++)
      changed = changed.replaceAll(new RegExp(`\\b${port + i}\\b`, "g"), `${free + i}`);
  }
  return changed;
}

async function portRow(count: number): Promise<number> {
  const [first = 0, ...others] = await freePorts(count);
  return others.every((port, i) => port === first + i + 1) ? first : portRow(count);
}

function start(text: string, environment: Record<string, string>): ChildProcess {
  return spawn("bash", ["-ec", text], {
    cwd: directory,
    env: {
      ...process.env,
      ...environment,
      PATH: `${join(directory, "bin")}${delimiter}${process.env["PATH"]}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(text: string, environment: Record<string, string>): Promise<Ended> {
  const child = start(text, environment);
  const texts = { output: "", complaint: "" };
  child.stdout?.setEncoding("utf8").on("data", (more: string) => void (texts.output += more));
  child.stderr?.setEncoding("utf8").on("data", (more: string) => void (texts.complaint += more));
  const [code] = (await once(child, "close")) as [number];
  return { code, ...texts };
}

/**
 * Runs a block. A person waits for a node or sleeps where the page says so; here what comes behind the wait is
 * run again until it answers as the page says. The test's own time is the end.
 */
async function runWithoutSleep(
  text: string,
  answer: string | undefined,
  environment: Record<string, string>,
): Promise<Ended> {
  const [before = "", after] = text.split(/^sleep \d+$/m);
  const waits = (ended: Ended): boolean =>
    (ended.code === 1 && /rpc|curl/.test(text)) ||
    (after !== undefined && answer !== undefined && !answerPattern(answer).test(ended.output));
  const first = after === undefined ? undefined : await run(before, environment);
  for (;;) {
    const last = await run(after ?? before, environment);
    const ended = { ...last, output: `${first?.output ?? ""}${last.output}` };
    if (!waits(ended)) return ended;
    await setTimeout(200);
  }
}

test("every command of the page works and answers as it says", async () => {
  const page = await withFreePorts(
    readFileSync("docs/first-steps.md", "utf8").replaceAll("npx knit", "knit"),
  );
  const [, http = ""] = /127\.0\.0\.1:(\d+)\n/.exec(page) ?? [];
  const [, metrics = ""] = /127\.0\.0\.1:(\d+)\/readyz/.exec(page) ?? [];
  // What the page leaves at its default is moved aside as well.
  const environment = {
    KNIT_RPCPORT: http,
    KNIT_WSPORT: `${Number(http) + 1}`,
    KNIT_PROMETHEUSPORT: metrics,
  };
  const found = pageBlocks(page).filter(({ kind }) => kind !== "skipped");
  expect(found.length).toBeGreaterThan(10);
  for (const { kind, text, answer } of found) {
    if (kind === "terminal") {
      const child = start(`exec env ${text}`, environment);
      child.stdout?.resume();
      child.stderr?.resume();
      terminals.push(child);
      continue;
    }
    const ended = await runWithoutSleep(text, answer, environment);
    expect({ text, ...ended }).toMatchObject({ text, code: 0 });
    if (answer !== undefined) expect(ended.output).toMatch(answerPattern(answer));
  }
  for (const name of readdirSync(directory).filter((each) => each !== "bin"))
    expect([
      name,
      spawnSync("git", ["check-ignore", "--no-index", "-q", `${name}${isDirectory(name) ? "/" : ""}`]).status,
    ]).toEqual([name, 0]);
}, 240_000);

function isDirectory(name: string): boolean {
  return statSync(join(directory, name)).isDirectory();
}
