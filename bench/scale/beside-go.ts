/**
 * Knit beside the Go node on the same chain: a genesis with all accounts, short blocks of a transfer each, full blocks,
 * several starts and a state migration. Knit runs under the limit of memory of the bench, the Go node as it is.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasGoNode, initGoNode, startGoImporter } from "../../test/support/go-node.ts";
import { exportTo } from "../../test/support/offline-jobs.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { roundTo } from "../support/figures.ts";
import { type ChainSize, grownGenesis, WARM_BLOCKS } from "../support/grown-chain.ts";
import { measureNodeMigration } from "../support/node-migration.ts";
import { importFile } from "./full-blocks.ts";
import { goStarter, knitStarter, type StartNode } from "./nodes.ts";
import { measureStarts } from "./starts.ts";
import { runWork, TRANSFERS } from "./work.ts";

/** Block 0 is one batch, which takes 4.6 GiB of memory at a million accounts. */
const MAX_ACCOUNTS = 1_000_000;
const FULL_BLOCKS = 200;
const MIB = 2 ** 20;

/** Figures of one node by name: those that end with `PerSecond` are better when they are higher, all others when lower. */
type Figures = Readonly<Record<string, number>>;

/** Files of the chain that both nodes take in. */
interface ChainFiles {
  readonly genesis: string;
  /** Blocks of a transfer each. */
  readonly short: string;
  /** Blocks of 500 transfers. */
  readonly full: string;
}

interface BesideGoOptions extends ChainSize {
  readonly maxMemory: string;
  readonly scratch: string;
}

/** Measures both nodes. Ratios above 1 mean that Knit is faster or smaller. Returns the reason where it cannot. */
export async function measureBesideGo(options: BesideGoOptions): Promise<object> {
  const { accounts, scratch } = options;
  if (!hasGoNode) return { peer: "none: set KNIT_PEER_KCN to the path of a Go node" };
  if (accounts > MAX_ACCOUNTS) return { peer: `none: its genesis takes at most ${MAX_ACCOUNTS} accounts` };
  const place = join(scratch, "beside-go");
  await mkdir(place);
  const files = await makeFiles(options, place);
  const knit = await measureKnit(files, place, options);
  const go = await measureGo(files, place, accounts);
  await rm(place, { recursive: true });
  return { knit, go, ratio: ratiosOf(knit, go) };
}

async function makeFiles(
  { accounts, blocks, maxMemory }: BesideGoOptions,
  place: string,
): Promise<ChainFiles> {
  const [genesis, short, full] = ["genesis.json", "short.rlp", "full.rlp"].map((name) => join(place, name));
  const datadir = join(place, "maker");
  const files = { genesis: genesis ?? "", short: short ?? "", full: full ?? "" };
  await writeFile(files.genesis, grownGenesis(accounts));
  const work = { datadir, maxMemory, accounts, blocks };
  runWork("genesis", work);
  runWork("blocks", work);
  await exportTo(datadir, files.short, { first: 1 });
  runWork("transfers", { ...work, blocks: FULL_BLOCKS - WARM_BLOCKS });
  await exportTo(datadir, files.full, { first: blocks + 1 });
  await rm(datadir, { recursive: true });
  return files;
}

async function measureKnit(
  files: ChainFiles,
  place: string,
  { accounts, maxMemory }: BesideGoOptions,
): Promise<Figures> {
  const start = knitStarter(maxMemory);
  const datadir = join(place, "knit");
  const [initMs = Number.NaN] = runWork("genesis", { datadir, maxMemory, accounts, blocks: 0 }).times;
  const short = await importFile(datadir, files.short);
  const diskMiB = directoryBytes(datadir) / MIB;
  const starts = await figuresOfStarts(start, datadir, accounts);
  const full = await importFile(datadir, files.full);
  return roundAll({
    initSeconds: initMs / 1000,
    shortBlocksSeconds: short.seconds,
    diskMiB,
    ...starts,
    importedPerSecond: full.perSecond,
    importPeakMiB: full.peakMiB ?? Number.NaN,
    ...(await figuresOfMigration(start, datadir)),
  });
}

async function measureGo(files: ChainFiles, place: string, accounts: number): Promise<Figures> {
  const start = goStarter();
  const directory = join(place, "go");
  const datadir = join(directory, "data");
  await mkdir(directory);
  const begun = performance.now();
  initGoNode(files.genesis, datadir);
  const initSeconds = (performance.now() - begun) / 1000;
  const short = await importWithGo(directory, files.short);
  const diskMiB = directoryBytes(datadir) / MIB;
  const starts = await figuresOfStarts(start, datadir, accounts);
  const full = await importWithGo(directory, files.full);
  return roundAll({
    initSeconds,
    shortBlocksSeconds: short.seconds,
    diskMiB,
    ...starts,
    importedPerSecond: (FULL_BLOCKS * TRANSFERS) / full.seconds,
    importPeakMiB: full.peakMiB,
    ...(await figuresOfMigration(start, datadir)),
  });
}

async function importWithGo(
  directory: string,
  file: string,
): Promise<{ readonly seconds: number; readonly peakMiB: number }> {
  await using go = await startGoImporter({ directory });
  const seconds = await go.secondsOf(await readFile(file));
  return { seconds, peakMiB: go.peakMiB() ?? Number.NaN };
}

async function figuresOfStarts(start: StartNode, datadir: string, accounts: number): Promise<Figures> {
  const {
    firstAnswerMs,
    slotCallMs,
    residentMiB = Number.NaN,
  } = await measureStarts(start, datadir, accounts);
  return {
    firstAnswerMs: firstAnswerMs.p50,
    slotCallP50Ms: slotCallMs.p50,
    slotCallP99Ms: slotCallMs.p99,
    residentMiB,
  };
}

async function figuresOfMigration(start: StartNode, datadir: string): Promise<Figures> {
  await using node = await start({ datadir, isValidator: true });
  const { seconds, nodesPerSecond, before, meanwhile, peakMiB } = await measureNodeMigration(node);
  return {
    migrationSeconds: seconds,
    migratedPerSecond: nodesPerSecond,
    delayP99Ms: before.p99 ?? Number.NaN,
    migrationDelayP99Ms: meanwhile.p99 ?? Number.NaN,
    migrationPeakMiB: peakMiB[1] ?? Number.NaN,
  };
}

function roundAll(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, roundTo(value)]));
}

function ratiosOf(knit: Figures, go: Figures): Figures {
  const ratios = Object.entries(knit).map(([name, ours]) => {
    const theirs = go[name] ?? Number.NaN;
    return [name, name.endsWith("PerSecond") ? ours / theirs : theirs / ours];
  });
  return roundAll(Object.fromEntries(ratios));
}
