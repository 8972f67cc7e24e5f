/** Expressions and terminal sessions recorded on a Go node's console, and a node as theirs was. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { openConsole } from "../../../node/console/console.ts";
import { openCommandHistory } from "../../../node/console/history.ts";
import { askNode } from "../../../node/transport/client.ts";
import { runKnit, startKnit } from "../knit-process.ts";
import { readRecordedChain } from "../recorded-chain.ts";
import { type Comparison, Tally } from "../tally.ts";
import { chainFolderOf } from "../transcript/transcript-node.ts";

/** The file. */
export interface ConsoleVectors {
  /** The recorded node and its chain. */
  readonly about: string;
  readonly exec: readonly { readonly exec: string; readonly stdout: string }[];
  /** Input of a person, `null` before the first key, and the output. */
  readonly sessions: readonly (readonly { readonly in: string | null; readonly out: string }[])[];
}

/** A node with the chain of the recording. */
export interface ConsoleNode extends AsyncDisposable {
  readonly datadir: string;
  readonly ipc: string;
}

/** Reads one. */
export async function readConsoleVectors(path: string): Promise<ConsoleVectors> {
  return JSON.parse(await readFile(path, "utf8")) as ConsoleVectors;
}

const MODULES = "admin,personal,net,txpool,klay,eth,debug,web3,governance,istanbul";

/** Starts a node of the recorded one's profile. */
export async function startConsoleNode(path: string, { about }: ConsoleVectors): Promise<ConsoleNode> {
  const directory = await mkdtemp(join(tmpdir(), "knit-console-"));
  const datadir = join(directory, "data");
  const [, chain = ""] = /chains\/([\w-]+)/.exec(about) ?? [];
  const folder = chainFolderOf(join(dirname(path), "file"), chain);
  const blocks = join(directory, "blocks.rlp");
  await writeFile(blocks, Buffer.concat(readRecordedChain(folder).blocks.map(({ raw }) => raw)));
  await runKnit("init", "--datadir", datadir, join(folder, "genesis.json"));
  await runKnit("import", "--datadir", datadir, blocks);
  const profile = /Klaytn v/.test(about) ? "klaytn" : "kaia";
  const flags = ["--datadir", datadir, "--rpc.profile", profile, "--rpcapi", MODULES, "--rpcport", "0"];
  const knit = startKnit(
    "run",
    "--rpc",
    "--nodiscover",
    "--port",
    "0",
    "--gcmode",
    "archive",
    "--lightkdf",
    ...flags,
  );
  await knit.waitFor(/opened node/);
  return {
    datadir,
    ipc: join(datadir, "knit.ipc"),
    async [Symbol.asyncDispose]() {
      await knit.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Runs a statement and gives what a console prints. */
export type Execute = (source: string) => Promise<string>;

/** A console without a terminal on that node. */
export async function openExecutor(
  node: Pick<ConsoleNode, "datadir" | "ipc">,
  preload: readonly string[] = [],
): Promise<{ execute: Execute } & AsyncDisposable> {
  let printed = "";
  const opened = await openConsole({
    input: Readable.from([]),
    output: new Writable({
      write(chunk: Buffer, _, done) {
        printed += chunk.toString();
        done();
      },
    }),
    ask: (message) => askNode(node.ipc, message, AbortSignal.timeout(30_000)),
    endpoint: node.ipc,
    history: await openCommandHistory(join(node.datadir, "history")),
    scripts: node.datadir,
    preload,
    signal: new AbortController().signal,
  });
  return {
    execute: async (source) => {
      printed = "";
      await opened.execute(source);
      return printed;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Random values: the key of the recorded node, and accounts made on the way. */
const RANDOM = new Set(["admin.nodeInfo.id", "klay.accounts"]);
/** Behind this one a person made an account, whose passphrase later ones use. */
const BEFORE_ACCOUNT = "personal.listAccounts";

/** The answer without stack frames and what stands with them, and without what tells the engine. */
function comparable(expression: string, text: string): string {
  const lines = text.split("\n").filter((line) => !line.startsWith("\t"));
  const joined = lines.join("\n").replace("GoError", "Error");
  return RANDOM.has(expression) ? joined.replace(/[0-9a-f]{40,}/g, "random") : joined;
}

/** Runs all expressions of a file in order on a node of its own, each compared. */
export async function judgeConsole(path: string): Promise<Comparison> {
  const vectors = await readConsoleVectors(path);
  await using node = await startConsoleNode(path, vectors);
  return await judgeExpressions(node, vectors); // the node ends behind it
}

/** The same on a node that nobody used before; it has one more account then, whose passphrase is `abc`. */
export async function judgeExpressions(node: ConsoleNode, vectors: ConsoleVectors): Promise<Comparison> {
  await using executor = await openExecutor(node);
  const tally = new Tally();
  for (const { exec: expression, stdout } of vectors.exec) {
    const got = await executor.execute(expression);
    tally.same(expression, comparable(expression, got), comparable(expression, stdout));
    if (expression === BEFORE_ACCOUNT) await executor.execute('personal.newAccount("abc")');
  }
  return tally.comparison;
}
