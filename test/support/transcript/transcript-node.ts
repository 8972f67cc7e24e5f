/** A node as a transcript's was started: the recorded chain but its last three blocks, every listener open. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { flags as table } from "../../../node/cli/flags.ts";
import { freePort } from "../go-node.ts";
import { runKnit, startKnit } from "../knit-process.ts";
import { readRecordedChain } from "../recorded-chain.ts";
import type { Transcript } from "./transcript.ts";

/** Addresses and contents of the node. */
export interface TranscriptNode extends AsyncDisposable {
  /** The recorded node, such as `kaia-2.2.1`. */
  readonly recorded: string;
  readonly datadir: string;
  readonly httpPort: number;
  readonly wsPort: number;
  /** Free ports that requests name. */
  readonly spare: readonly [number, number];
  readonly ipc: string;
  /** The last three blocks, as hex: whoever plays the transcript imports them. */
  readonly lastBlocks: readonly string[];
  /** Reason if not all blocks before them could be imported. */
  readonly missing: string | undefined;
}

const MODULES = "admin,personal,net,txpool,klay,eth,debug,web3,governance,istanbul";
/** Blocks that a transcript itself imports, in the first of its groups. */
export const OWN_IMPORTS = { group: "ws-subscriptions", blocks: 3 } as const;

/** Flags of the recorded node that only some releases of this one know. */
const MORE_FLAGS: readonly (readonly [name: string, value: string])[] = [
  ["txpool.allow-local-anchortx", "true"],
  ["nodiscover", "true"],
];

/** The folder of the transcript's chain: beside the transcripts, or among the tests' own vectors. */
export function chainFolderOf(transcriptPath: string, chain: string): string {
  const own = fileURLToPath(new URL(`../../vectors/chains/${chain}`, import.meta.url));
  const folders = [join(dirname(transcriptPath), "..", "chains", chain), own];
  const found = folders.find((folder) => existsSync(join(folder, "genesis.json")));
  if (found === undefined) throw new Error(`the chain ${chain} is not there: ${folders.join(", ")}`);
  return found;
}

/** Source of the node's chain. */
export interface ChainSource {
  /** A folder of `test/vectors/chains`. */
  readonly folder: string;
  /** Number of its newest blocks that are left out. */
  readonly left: number;
  /** Begins with what a Go node stored; an archive node that has executed all blocks when absent. */
  readonly goData?: GoData | undefined;
}

/** Data directory of a Go node with the chain. */
export interface GoData {
  /** Path of the packed directory. */
  readonly path: string;
  /** Block whose state is imported, and after which blocks are executed; the newest one with a state when absent. */
  readonly head?: number | undefined;
}

/** Starts the node in a directory that goes with it. */
export async function startTranscriptNode(
  { node, networkId, nodeKey }: Transcript,
  source: ChainSource,
): Promise<TranscriptNode> {
  const directory = await mkdtemp(join(tmpdir(), "knit-transcript-"));
  const datadir = join(directory, "data");
  const gcmode = source.goData === undefined ? "archive" : "full";
  const { lastBlocks, missing } = await fillDatadir(source, { directory, datadir, gcmode });
  const [httpPort = 0, wsPort = 0, port = 0, spare = 0, other = 0] = await freePorts(5);
  const given = {
    datadir,
    networkid: networkId,
    nodekeyhex: nodeKey,
    identity: "knit-vector",
    port,
    rpcport: httpPort,
    wsport: wsPort,
    rpcapi: MODULES,
    wsapi: MODULES,
    rpcvhosts: "*",
    wsorigins: "*",
    "rpc.profile": node.startsWith("klaytn") ? "klaytn" : "kaia",
    verbosity: 3,
    gcmode,
  };
  const more = MORE_FLAGS.filter(([name]) => table.find(name) !== undefined);
  const flags = [...Object.entries(given), ...more].map(([name, value]) => `--${name}=${value}`);
  const knit = startKnit("run", "--type", "endpoint", "--rpc", "--ws", "--lightkdf", ...flags);
  await knit.waitFor(/IPC endpoint opened/);
  return {
    recorded: node,
    datadir,
    httpPort,
    wsPort,
    spare: [spare, other],
    ipc: join(datadir, "knit.ipc"),
    lastBlocks,
    missing,
    [Symbol.asyncDispose]: async () => {
      await knit.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The recording was made twice into one directory, so the files of the first time were there the second time. */
const EXPORTED = ["part", "exp", "exp2", "exp3"];

interface Place {
  readonly directory: string;
  readonly datadir: string;
  readonly gcmode: string;
}

async function fillDatadir(
  { folder, left, goData }: ChainSource,
  { directory, datadir, gcmode }: Place,
): Promise<Pick<TranscriptNode, "lastBlocks" | "missing">> {
  if (goData === undefined) {
    const init = await runKnit("init", "--datadir", datadir, join(folder, "genesis.json"));
    if (init.code !== 0) throw new Error(`the genesis was refused: ${init.output}`);
  } else await importGoData(goData, join(directory, "go"), datadir);
  const blocks = readRecordedChain(folder).blocks.map(({ raw }) => raw);
  const whole = join(directory, "whole.rlp");
  const most = join(directory, "most.rlp");
  await writeFile(whole, Buffer.concat(blocks));
  await writeFile(most, Buffer.concat(blocks.slice(0, blocks.length - left)));
  for (const suffix of EXPORTED) await copyFile(whole, `${datadir}.${suffix}`);
  const { code, output } = await runKnit("import", "--gcmode", gcmode, "--datadir", datadir, most);
  const reason = /^Fatal: .*$/m.exec(output)?.[0] ?? output.trim();
  return {
    lastBlocks: blocks.slice(blocks.length - left).map((raw) => Buffer.from(raw).toString("hex")),
    missing: code === 0 ? undefined : reason,
  };
}

async function importGoData({ path, head }: GoData, unpacked: string, datadir: string): Promise<void> {
  await mkdir(unpacked);
  execFileSync("tar", ["-xzf", path, "-C", unpacked]);
  const choice = head === undefined ? [] : ["--head", String(head)];
  const { code, output } = await runKnit("import-go", ...choice, "--datadir", datadir, unpacked);
  if (code !== 0) throw new Error(`the data directory was refused: ${output}`);
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
