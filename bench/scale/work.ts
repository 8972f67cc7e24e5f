/** Work of the scale bench in a process of its own, so that memory and written bytes are those of the work alone. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { limitHeap, limitHeapGrowth } from "../../node/compose/heap-limit.ts";
import type { NodeOptions } from "../../node/compose/options.ts";
import { bytesWritten, peakMemory } from "../support/built-knit.ts";
import {
  addBlocks,
  type ChainSize,
  growDirectory,
  limitedOptions,
  makeTransfers,
  writeGrownGenesis,
} from "../support/grown-chain.ts";

/** Transfers of a full block. */
export const TRANSFERS = 500;

/** Work by name, on a data directory. Returns the milliseconds of its blocks, where they count. */
const works = {
  grow: (options, size) => growDirectory(options, size).then(() => []),
  genesis: async (options, { accounts }) => [await writeGrownGenesis(options, accounts)],
  blocks: (options, size) => addBlocks(options, size).then(() => []),
  transfers: (options, size) => makeTransfers(options, { ...size, transfers: TRANSFERS }),
} as const satisfies Record<string, (options: NodeOptions, size: ChainSize) => Promise<number[]>>;

/** Name of work. */
export type WorkName = keyof typeof works;

/** Result of work. */
export interface WorkResult {
  readonly seconds: number;
  readonly written: number;
  /** Milliseconds of each block. */
  readonly times: readonly number[];
  readonly peakMiB: number;
}

/** Work that is given as words of the command line. */
export interface Work extends ChainSize {
  readonly datadir: string;
  readonly maxMemory: string;
}

/** Does the work in this process and prints its result. Throws for a name that there is not. */
export async function doWork(name: string, { datadir, maxMemory, ...size }: Work): Promise<void> {
  if (!isWorkName(name)) throw new Error(`${name} is none of ${Object.keys(works).join(", ")}`);
  const options = limitedOptions(datadir, maxMemory);
  limitHeapGrowth(); // as the program does
  if (name !== "genesis") limitHeap(options.memory.shares.heap); // block 0 is one batch
  const before = bytesWritten();
  const begun = performance.now();
  const times = await works[name](options, size);
  const seconds = (performance.now() - begun) / 1000;
  const written = bytesWritten() - before;
  process.stdout.write(`${JSON.stringify({ seconds, written, times, peakMiB: peakMemory(process.pid) })}\n`);
}

function isWorkName(name: string): name is WorkName {
  return Object.hasOwn(works, name);
}

/** Runs the work in a process of its own. Throws when it fails. */
export function runWork(name: WorkName, { datadir, maxMemory, accounts, blocks }: Work): WorkResult {
  const program = fileURLToPath(new URL("../scale.ts", import.meta.url));
  const line = [program, name, datadir, `${accounts}`, `${blocks}`, "--max-memory", maxMemory];
  const { stdout, status } = spawnSync(process.execPath, line, {
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return JSON.parse(stdout) as WorkResult; // as `doWork` writes it
}
