/**
 * docs/hardhat.md, foundry.md, viem-and-wagmi.md and metamask.md: every command and every program in them runs, in
 * order, and answers as the page says. Commands of Foundry run where `KNIT_FOUNDRY` names a directory with `cast`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type DevNode, startDevNode } from "../support/dev-node.ts";
import { answerPattern, prepareCommands, runCommands } from "../support/page.ts";

/** The address in the pages. */
const DOCUMENTED = "http://127.0.0.1:8551";
const FOUNDRY = process.env["KNIT_FOUNDRY"];

interface Fence {
  readonly language: string;
  /** Word behind the language. */
  readonly kind: string;
  readonly text: string;
}

let directory = "";
let node: DevNode | undefined;

beforeAll(() => {
  mkdirSync(".cache", { recursive: true });
  directory = mkdtempSync(join(process.cwd(), ".cache", "tool-pages-")); // where programs find the packages
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  prepareCommands(directory);
});

afterEach(() => node?.knit.stop());

afterAll(() => rmSync(directory, { recursive: true }));

function fencesOf(page: string): Fence[] {
  return [...page.matchAll(/```(\w+)(?: (\S+))?\n(.*?)```/gs)].map(
    ([, language = "", kind = "", text = ""]) => ({
      language,
      kind,
      text,
    }),
  );
}

/** Starts the chain of a block in place of the one before. */
async function start(text: string): Promise<void> {
  const [, flags = ""] = /^knit dev(.*)$/m.exec(text) ?? [];
  await node?.knit.stop();
  node = await startDevNode(...flags.split(" ").filter((flag) => flag !== ""));
}

/** Runs a block and returns what it prints; undefined for one that is not run by itself. */
async function outputOf({ language, kind, text }: Fence): Promise<string | undefined> {
  const own = text.replaceAll(DOCUMENTED, node?.http ?? DOCUMENTED);
  switch (`${language} ${kind}`) {
    case "sh terminal":
      await start(text);
      return undefined;
    case "sh ":
      return run(own);
    case "sh foundry":
      if (FOUNDRY === undefined) return undefined;
      return run(`export PATH="${FOUNDRY}:$PATH" ETH_RPC_URL=${node?.http}\n${own}`);
    default:
      return language === "js" ? runProgram(kind, own) : undefined;
  }
}

/** Runs a program under its name, or reads a configuration of Hardhat. */
async function runProgram(name: string, text: string): Promise<string | undefined> {
  if (!text.includes("module.exports")) {
    const file = name === "" ? "program.js" : name;
    writeFileSync(join(directory, file), text);
    return run(`"${process.execPath}" ${file}`);
  }
  writeFileSync(join(directory, "hardhat.config.cjs"), text);
  const config = createRequire(import.meta.url)(join(directory, "hardhat.config.cjs")) as object;
  expect(config).toMatchObject({ networks: { knit: { url: node?.http } } });
  return undefined;
}

async function run(text: string): Promise<string> {
  const { code, output, complaint } = await runCommands(directory, text);
  expect({ text, code, complaint }).toMatchObject({ text, code: 0 });
  return output;
}

test.each(["hardhat", "foundry", "viem-and-wagmi", "metamask"])(
  "every command and program of docs/%s.md works and answers as it says",
  async (name) => {
    const fences = fencesOf(readFileSync(`docs/${name}.md`, "utf8"));
    for (const [i, fence] of fences.entries()) {
      const output = await outputOf(fence);
      const next = fences[i + 1];
      if (next?.language === "text") expect(output?.replaceAll("\r", "")).toMatch(answerPattern(next.text));
    }
    expect(node).toBeDefined();
  },
  60_000,
);
