/** Jobs of commands on a data directory without a running node: init, import, export, verify. */
import { setFlagsFromString } from "node:v8";
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { isAmended } from "../chain/amended.ts";
import { chainFileSize, readBlockFile } from "../chain/block-file.ts";
import { storedHeader } from "../chain/block-rows.ts";
import { ChainError } from "../chain/error.ts";
import { exportBlocks } from "../chain/exporter.ts";
import { createGenesisBlock, writeGenesis } from "../chain/genesis-block.ts";
import type { ImportOutcome, ImportProgress } from "../chain/importer.ts";
import { oldestBody } from "../chain/kept-blocks.ts";
import { verifyBlocks } from "../chain/verify-blocks.ts";
import { checkGenesis, parseGenesis } from "../config/genesis.ts";
import { openRecoverer } from "../crypto/recoverer.ts";
import { createLog, type Log } from "../observe/log.ts";
import type { Progress } from "../observe/progress.ts";
import { keptFork } from "../rpc/fork-rows.ts";
import { systemClock } from "../runtime/clock.ts";
import { createPause, runInSlices } from "../runtime/scheduler.ts";
import { enlargeYoungSpace } from "../runtime/young-space.ts";
import { checkAllTables } from "../store/check-tables.ts";
import type { Rows } from "../store/store.ts";
import { importInto, openConsensusChain } from "./consensus-chain.ts";
import {
  chainDirectory,
  type Database,
  databaseDirectories,
  openDatabase,
  triesDirectory,
} from "./database.ts";
import { diskUse, type KindUse } from "./disk-use.ts";
import type { NodeOptions } from "./options.ts";
import { renewPublicConfig } from "./public-network.ts";

/** Chain files to take in, one after the other; progress counts blocks. */
export interface ImportJob {
  readonly files: readonly string[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** A chain file to write, and which blocks to: the whole chain where nothing is said. */
export interface ExportJob {
  readonly file: string;
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Blocks taken or given, and the newest block of the chain. */
export interface FileResult {
  readonly blocks: number;
  readonly head: number;
}

/** Result of an import, its duration without opening and closing the databases. */
export interface ImportResult extends FileResult {
  readonly transactions: number;
  /** Blocks of the files that were in the chain already. */
  readonly known: number;
  readonly seconds: number;
  readonly interrupted: boolean;
  /** The error that ended it, with the file's name. */
  readonly failure: Error | undefined;
}

/** Returns the hash of block 0, which is written nowhere. Throws `ConfigError` with what is wrong with the genesis. */
export async function genesisHash(genesisText: string): Promise<string> {
  const genesis = parseGenesis(genesisText);
  checkGenesis(genesis);
  return toHex((await createGenesisBlock(genesis)).hash);
}

/** Writes block 0. Throws `ConfigError` or `ChainError` with what is wrong with the genesis. */
export async function initDatadir(
  options: NodeOptions,
  genesisText: string,
): Promise<{ readonly hash: string }> {
  const genesis = parseGenesis(genesisText);
  checkGenesis(genesis);
  const log = jobLog(options);
  await using database = await openDatabase(options, log);
  await database.state.ready;
  const block = await writeGenesis(database, genesis);
  await renewPublicConfig(database, log);
  return { hash: toHex(block.hash) };
}

/** Percent by which the heap of an import may grow beyond what is in use: one that grew to 220 took 40 MiB more. */
const IMPORT_GROWTH = 60;
/** Nobody reads the blocks of an import again but the next one. */
const IMPORT_KEPT_TRANSACTIONS = 1_000;

/** Imports chain files. Throws when one cannot be read at all, before anything is done. */
export async function importChain(options: NodeOptions, job: ImportJob): Promise<ImportResult> {
  const log = jobLog(options);
  const sizes = await Promise.all(job.files.map(chainFileSize));
  enlargeYoungSpace();
  setFlagsFromString(`--heap-growing-percent=${IMPORT_GROWTH}`);
  await using recoverer = openRecoverer(log);
  recoverer.start();
  await using database = await openDatabase(options, log);
  await renewPublicConfig(database, log);
  const kept = { ...database, keptTransactions: IMPORT_KEPT_TRANSACTIONS };
  const open = await openConsensusChain(kept, log, systemClock);
  const started = performance.now();
  let sum = NOTHING_YET;
  for (const [i, path] of job.files.entries()) {
    const parts = { recoverer, clock: systemClock, files: readBlockFile(path) };
    const before = sum;
    const onProgress = (file: ImportProgress): void =>
      show(job.progress, addResults(before, file, sizes[i]), sizes);
    const done = await importInto(open, parts, { signal: job.signal, onProgress });
    sum = {
      ...addResults(before, done, sizes[i]),
      interrupted: done.interrupted,
      failure: failureOf(path, done),
    };
    if (sum.interrupted || sum.failure !== undefined) break;
  }
  const { bytes: _, ...counts } = sum;
  const seconds = (performance.now() - started) / 1000;
  return { ...counts, seconds, head: open.chain.head().header.number };
}

/** Sum over all files so far; `bytes` counts them on disk. */
type ImportSum = Omit<ImportResult, "seconds" | "head"> & { readonly bytes: number };

const NOTHING_YET: ImportSum = {
  blocks: 0,
  transactions: 0,
  known: 0,
  bytes: 0,
  interrupted: false,
  failure: undefined,
};

function addResults(sum: ImportSum, file: ImportProgress, size = 0): ImportSum {
  return {
    ...sum,
    blocks: sum.blocks + file.imported,
    known: sum.known + file.blocks - file.imported,
    transactions: sum.transactions + file.transactions,
    bytes: sum.bytes + Math.min(size, file.bytesRead),
  };
}

/** Below this, bytes that were read ahead would make the estimate of a total too low. */
const MIN_ESTIMATE_BYTES = 16 * 2 ** 20;

/** Draws the progress. The total of blocks is estimated from the bytes once enough were read. */
function show(
  progress: Progress,
  { blocks, known, bytes, transactions }: ImportSum,
  sizes: readonly number[],
): void {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const taken = blocks + known;
  const total = bytes < MIN_ESTIMATE_BYTES ? undefined : Math.round((taken * all) / bytes);
  progress.update(taken, total, transactions);
}

/** A file without blocks is a mistake of somebody, so it is said. */
function failureOf(path: string, { failure, interrupted, blocks }: ImportOutcome): Error | undefined {
  if (failure !== undefined) return new Error(`${path}: ${failure.message}`, { cause: failure });
  if (blocks > 0 || interrupted) return undefined;
  return new ChainError("bad-file", `${path} is empty: there is no block in it`);
}

/** Exports blocks in the form of the Go node. Throws `ChainError` `bad-file`, or the signal's reason. */
export async function exportChain(options: NodeOptions, job: ExportJob): Promise<FileResult> {
  const log = jobLog(options);
  await using database = await openDatabase(options, log);
  const { chain } = await openConsensusChain(database, log, systemClock);
  const { file, first, last, signal, progress } = job;
  const blocks = await exportBlocks(
    {
      rows: database.store,
      head: chain.head().header.number,
      pause: createPause(),
      disk: database.disk,
    },
    { file, first, last, signal, onBlock: (done, total) => progress.update(done, total) },
  );
  return { blocks, head: chain.head().header.number };
}

/** Result of a verification and its block. */
export interface Compared {
  readonly head: number;
  readonly accounts: number;
  readonly slots: number;
  /** Contracts' code. */
  readonly codes: number;
  /** Changes in the index of an archive node or a long retention. */
  readonly changes: number;
  /** Blocks with body and receipts, and their transactions. */
  readonly blocks: number;
  readonly transactions: number;
}

/** Takes the chain back to a block. Throws `ChainError` `no-block` with nothing changed. */
export async function rewindDatadir(options: NodeOptions, number: number): Promise<FileResult> {
  const log = jobLog(options);
  await using database = await openDatabase(options, log);
  const { chain, writer } = await openConsensusChain(database, log, systemClock);
  const before = chain.head().header.number;
  await writer.exclusively(() => writer.setHead(number));
  const head = chain.head().header.number;
  return { blocks: before - head, head };
}

/** Disk use, and the range of whole blocks besides block 0. */
export interface DatabaseSize {
  readonly kinds: readonly KindUse[];
  readonly oldestBody: number;
  readonly head: number;
}

/** Looks up what takes the disk, kind by kind. */
export async function measureDatabase(options: NodeOptions): Promise<DatabaseSize> {
  await using database = await openDatabase(options, jobLog(options));
  await database.state.ready;
  const { store, state } = database;
  return { kinds: await diskUse(database), oldestBody: oldestBody(store), head: state.number };
}

/**
 * Checks every table file, verifies all blocks, and compares flat state, trie and root. Throws `StoreError` or
 * `StateError` `corrupt` at the first contradiction.
 */
export async function verifyDatabase(
  options: NodeOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<Compared> {
  const log = jobLog(options);
  await using database = await openDatabase(options, log);
  await openConsensusChain(database, log, systemClock);
  return await compareDatabase(options, database, { progress, signal });
}

/** The same for databases that are open. */
export async function compareDatabase(
  options: NodeOptions,
  { state, store }: Database,
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<Compared> {
  await state.ready;
  for (const directory of await databaseDirectories(options)) {
    signal.throwIfAborted();
    await checkAllTables(directory, (steps) => runInSlices(steps, signal));
  }
  const head = state.number;
  const done = { blocks: 0, accounts: 0 };
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const note = (news: Partial<typeof done>): void => {
    ended.throwIfAborted();
    const { blocks, accounts } = Object.assign(done, news);
    progress.update(blocks, head + 1, accounts);
  };
  const work = [
    verifyBlocks({
      rows: store,
      head,
      pause: createPause(),
      onBlock: (number) => note({ blocks: number + 1 }),
    }),
    state.verify({
      progress: (accounts) => note({ accounts }),
      directories: { chain: chainDirectory(options), tries: triesDirectory(options) },
      rootAt: isEdited(store) ? undefined : (number) => requireRoot(store, number),
    }),
  ] as const;
  for (const each of work) each.catch((error: unknown) => failed.abort(error));
  await Promise.allSettled(work);
  const [verified, compared] = await Promise.all(work);
  return { head, ...compared, ...verified };
}

/** True for a development chain whose states are not those of its headers: it was edited, or forks another one. */
export function isEdited(rows: Rows): boolean {
  return isAmended(rows) || keptFork(rows) !== undefined;
}

function requireRoot(rows: Rows, number: number): Hash {
  const header = storedHeader(rows, number);
  if (header === undefined) throw new RangeError(`block ${number} is missing`);
  return header.stateRoot;
}

/** Commands talk through their progress; only what needs attention is logged. */
export function jobLog({ log }: NodeOptions): Log {
  return createLog({ ...log, level: log.level === "info" ? "warn" : log.level });
}
