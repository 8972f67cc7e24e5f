/** Blocks of 500 transfers to accounts anywhere in the state: made, sealed and written; then imported into a copy. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { exportTo } from "../../test/support/offline-jobs.ts";
import { runBuilt } from "../support/built-knit.ts";
import { type Quantiles, quantilesOf } from "../support/figures.ts";
import type { Grown } from "./grown.ts";
import { runWork, TRANSFERS } from "./work.ts";

const BLOCKS = 200;

/** Figures of the blocks. */
export interface FullBlocks {
  readonly blockMs: Quantiles;
  readonly transfersPerSecond: number;
  readonly writtenKiBPerBlock: number;
  readonly makerPeakMiB: number;
  /** Without a limit of memory, as imports run. */
  readonly importedPerSecond: number;
  readonly importPeakMiB: number | undefined;
}

/** Makes the blocks on one copy and imports them into another one. */
export async function measureFullBlocks(grown: Grown): Promise<FullBlocks> {
  const { accounts, blocks, maxMemory, scratch } = grown;
  const [maker, importer] = [await grown.copy(), await grown.copy()];
  const made = runWork("transfers", { datadir: maker, maxMemory, accounts, blocks: BLOCKS });
  const seconds = made.times.reduce((sum, ms) => sum + ms, 0) / 1000;
  const file = join(scratch, "full-blocks.rlp");
  await exportTo(maker, file, { first: blocks + 1 });
  const imported = await importFile(importer, file);
  await rm(file);
  return {
    blockMs: quantilesOf(made.times),
    transfersPerSecond: Math.round((BLOCKS * TRANSFERS) / seconds),
    writtenKiBPerBlock: Math.round(made.written / BLOCKS / 1024),
    makerPeakMiB: made.peakMiB,
    importedPerSecond: imported.perSecond,
    importPeakMiB: imported.peakMiB,
  };
}

/** An import by the built program. */
export interface FileImport {
  /** Of the import itself, as the command says it. */
  readonly seconds: number;
  readonly transactions: number;
  readonly perSecond: number;
  readonly peakMiB: number | undefined;
}

/** Imports a file of blocks. */
export async function importFile(datadir: string, file: string): Promise<FileImport> {
  const { output, peakMiB } = await runBuilt("import", "--datadir", datadir, file);
  const said = /with (\d+) transactions in ([\d.]+) s/.exec(output);
  if (said === null) throw new Error(`no figures in ${JSON.stringify(output)}`);
  const [transactions = 0, seconds = Number.NaN] = said.slice(1).map(Number);
  return { seconds, transactions, perSecond: Math.round(transactions / seconds), peakMiB };
}
