/**
 * Finds the kind of vectors of a path, by its name or by the members of its JSON, never by the content of a single
 * vector; and runs its judge.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { build } from "./build.js";
import { judgeConsole } from "./console/console-vectors.ts";
import { judgeNetworks } from "./homi.ts";
import { chainFile } from "./recorded-chain.ts";
import type { BlockCase } from "./suite-blocks.ts";
import type { StateCase } from "./suite-state.ts";
import type { VmCase } from "./suite-vm.ts";
import { type Comparison, reason, Tally } from "./tally.ts";
import { transcriptFile } from "./transcript/judge.ts";
import { blockFile, blockSuite } from "./vectors-blocks.ts";
import { chainFolder } from "./vectors-chain.ts";
import { stateFile, stateSuite, vmFile, vmSuite } from "./vectors-execution.ts";
import { apiFolder } from "./vectors-execution-apis.ts";
import { networkFile } from "./vectors-network.ts";
import { networkSamples } from "./vectors-network-samples.ts";
import { chainSamples, transactionSamples } from "./vectors-samples.ts";
import { rlpSuite, transactionSuite, trieSuite } from "./vectors-suites.ts";
import { goRandomNumbers } from "./vectors-validators.ts";
import { type WycheproofFile, wycheproofFile } from "./vectors-wycheproof.ts";

type Judge = (path: string) => Comparison | Promise<Comparison>;

/** Packed suites by how their names begin or what is in them. */
const SUITES: readonly (readonly [name: RegExp, judge: Judge])[] = [
  [/^kaia-transaction/, transactionSuite],
  [/^rlp/, rlpSuite],
  [/^trie/, trieSuite],
  [/blockchain/, (path) => blockSuite(path)],
  [/state/, (path) => stateSuite(path)],
  [/(^|-)vm/, (path) => vmSuite(path)],
];

/** JSON files by members that only their kind has. */
const SHAPES: readonly (readonly [members: readonly string[], judge: Judge])[] = [
  [["connections"], networkFile],
  [["entries", "nodeKey"], playedAgainstNode(transcriptFile)],
  [["exec", "sessions"], playedAgainstNode(judgeConsole)],
  [["runs"], judgeNetworks],
  [["genesis", "blocks"], (path) => chainSamples(text(path))],
  [["nodeUrls"], (path) => networkSamples(JSON.parse(text(path)))],
  [["testGroups", "numberOfTests"], (path) => wycheproofFile(JSON.parse(text(path)) as WycheproofFile)],
  [["selfChecks", "table"], (path) => goRandomNumbers(JSON.parse(text(path)))],
];

/** A judge that starts the program, which a fresh clone has not built yet. */
function playedAgainstNode(judge: Judge): Judge {
  return (path) => {
    build();
    return judge(path);
  };
}

/** Judges one path, whatever it is; every trouble is a failure in the result. */
export async function judgeVector(path: string): Promise<Comparison> {
  try {
    if (statSync(path).isDirectory()) return await folder(path);
    return await (judgeOf(path) ?? unknown)(path);
  } catch (error) {
    return failure(reason(error));
  }
}

/** Judge of Ethereum's API cases, which are played against a node. */
const apiCases = playedAgainstNode(apiFolder);

async function folder(path: string): Promise<Comparison> {
  if (hasApiCases(path)) return apiCases(path); // a chain beside them is Ethereum's
  if (isChain(path)) return chainFolder(path);
  if (existsSync(join(path, "connections.json.gz"))) return networkFile(join(path, "connections.json.gz"));
  const tally = new Tally();
  let absent = 0; // files that were not fetched
  for (const name of readdirSync(path).sort()) {
    // Notes of who made a suite, and the sources of its cases.
    if (name.startsWith(".") || name.endsWith("Filler.json")) continue;
    const inner = join(path, name);
    if (isPointer(inner)) {
      absent++;
      continue;
    }
    if (statSync(inner).isDirectory() || /\.json(\.gz)?$/.test(name)) {
      tally.add(name, await judgeVector(inner));
    }
  }
  const { passed, failed: wrong, excluded } = tally.comparison;
  return passed + wrong + absent > 0 || excluded !== undefined ? tally.comparison : unknown();
}

/** True for what Git LFS writes in place of a large file. */
function isPointer(path: string): boolean {
  const found = statSync(path);
  return (
    found.isFile() && found.size < 200 && readFileSync(path).toString().startsWith("version https://git-lfs")
  );
}

/** True for folders that are named for methods, with cases of them. */
function hasApiCases(path: string): boolean {
  const methods = readdirSync(path).filter((name) => /^[a-z]+_[A-Za-z0-9]+$/.test(name));
  return methods.some((name) => {
    const inner = join(path, name);
    return statSync(inner).isDirectory() && readdirSync(inner).some((file) => file.endsWith(".io"));
  });
}

function isChain(folderPath: string): boolean {
  return chainFile(folderPath) !== undefined;
}

function judgeOf(path: string): Judge | undefined {
  const name = basename(path);
  // A file of a recorded chain stands for its folder: alone it says nothing.
  if (isChain(dirname(path))) return (file) => chainFolder(dirname(file));
  const suite = name.endsWith(".json.gz") ? SUITES.find(([pattern]) => pattern.test(name)) : undefined;
  if (suite !== undefined) return suite[1];
  if (!/\.json(\.gz)?$/.test(name)) return undefined;
  const json: unknown = JSON.parse(text(path));
  if (Array.isArray(json)) return isTransactions(json) ? () => transactionSamples(json) : undefined;
  if (typeof json !== "object" || json === null) return undefined;
  const shape = SHAPES.find(([members]) => members.every((member) => member in json))?.[1];
  return shape ?? suiteFile(json as Readonly<Record<string, unknown>>);
}

/** Judge of one file of Ethereum's suites: tests by name, all of one kind. */
function suiteFile(tests: Readonly<Record<string, unknown>>): Judge | undefined {
  const every = (...members: readonly string[]): boolean =>
    Object.values(tests).every(
      (one) => typeof one === "object" && one !== null && members.every((member) => member in one),
    );
  if (Object.keys(tests).length === 0) return undefined;
  if (every("env", "pre", "transaction", "post"))
    return (path) => stateFile(path, tests as Readonly<Record<string, StateCase>>);
  if (every("blocks", "pre", "genesisBlockHeader"))
    return (path) => blockFile(path, tests as Readonly<Record<string, BlockCase>>);
  if (every("env", "exec", "pre")) return (path) => vmFile(path, tests as Readonly<Record<string, VmCase>>);
  return undefined;
}

function isTransactions(list: readonly unknown[]): boolean {
  const [first] = list;
  return typeof first === "object" && first !== null && "raw" in first && "typeInt" in first;
}

function text(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}

function unknown(): Comparison {
  return failure("expected a vector, found no kind that is known (test/vectors has examples)");
}

function failure(line: string): Comparison {
  return { passed: 0, failed: 1, failures: [line] };
}
