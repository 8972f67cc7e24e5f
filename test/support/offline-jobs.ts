/** Runs the commands for a data directory that no node runs on, without a process for each. */
import { mkdir, readFile } from "node:fs/promises";
import * as jobs from "../../node/compose/offline-jobs.ts";
import { optionsOf } from "./whole-directory.ts";

const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();

/** Writes block 0 of a genesis file into a new directory. */
export async function initFrom(datadir: string, genesis: string): Promise<void> {
  await mkdir(optionsOf(datadir).paths.instance, { recursive: true });
  await jobs.initDatadir(optionsOf(datadir), await readFile(genesis, "utf8"));
}

/** Imports a file to its end; the newest block then. Throws what stopped it. */
export async function importAll(datadir: string, file: string): Promise<number> {
  const { failure, head } = await jobs.importChain(optionsOf(datadir), { files: [file], progress, signal });
  if (failure !== undefined) throw failure;
  return head;
}

/** Exports all blocks, or one or those from one on; the newest block of the chain. */
export async function exportTo(
  datadir: string,
  file: string,
  range: { readonly first?: number; readonly last?: number } = {},
): Promise<number> {
  const { first, last } = range;
  return (await jobs.exportChain(optionsOf(datadir), { file, first, last, progress, signal })).head;
}

/** Takes the chain back to a block. Throws `ChainError` `no-block` where its state was not kept. */
export async function rewindTo(datadir: string, number: number): Promise<void> {
  await jobs.rewindDatadir(optionsOf(datadir), number);
}

/** Checks all table files, and that flat state, trie and root agree; how many accounts and slots there are. */
export function verifyDirectory(datadir: string): Promise<jobs.Compared> {
  return jobs.verifyDatabase(optionsOf(datadir), progress, signal);
}

/** The oldest block after block 0 that has its body and receipts. */
export async function oldestWhole(datadir: string): Promise<number> {
  return (await jobs.measureDatabase(optionsOf(datadir))).oldestBody;
}
