/** What commands do with a data directory that no node runs on: init, import, export, verify. */
import { toHex } from "./bytes/hex.ts";
import { chainFileSize, writeBlockFile } from "./chain/block-file.ts";
import { rawBlock } from "./chain/block-rows.ts";
import { ChainError } from "./chain/error.ts";
import { writeGenesis } from "./chain/genesis-block.ts";
import { checkSupported } from "./config/forks-support.ts";
import { checkGenesis, parseGenesis } from "./config/genesis.ts";
import type { NodeOptions } from "./config/options.ts";
import { importInto, openConsensusChain } from "./consensus-chain.ts";
import { openRecoverer } from "./crypto/recoverer.ts";
import { openDatabase } from "./database.ts";
import { systemClock } from "./observe/clock.ts";
import { createLog, type Log } from "./observe/log.ts";
import type { Progress } from "./observe/progress.ts";

/** A chain file and how far it is; progress counts blocks. */
export interface FileJob {
  readonly file: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Which blocks to export; the whole chain where nothing is said. */
export interface ExportJob extends FileJob {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** Blocks taken or given, and the newest block of the chain. */
export interface FileResult {
  readonly blocks: number;
  readonly head: number;
}

/** What an import did, and how long it took without opening and closing the databases. */
export interface ImportResult extends FileResult {
  readonly transactions: number;
  readonly seconds: number;
}

/** Writes block 0. Throws `ConfigError` or `ChainError` with what is wrong with the genesis. */
export async function initDatadir(
  options: NodeOptions,
  genesisText: string,
): Promise<{ readonly hash: string }> {
  const genesis = parseGenesis(genesisText);
  checkGenesis(genesis);
  checkSupported(genesis.config);
  await using database = await openDatabase(options, logOf(options));
  await database.state.ready;
  const block = await writeGenesis(database, genesis);
  return { hash: toHex(block.hash) };
}

/** Imports a chain file; what was taken before an error or an interrupt stays. */
export async function importChain(options: NodeOptions, job: FileJob): Promise<ImportResult> {
  const log = logOf(options);
  const size = await chainFileSize(job.file);
  await using recoverer = openRecoverer(log);
  recoverer.start();
  await using database = await openDatabase(options, log);
  const open = openConsensusChain(database, log, systemClock);
  const started = performance.now();
  const done = await importInto(open, recoverer, job.file, {
    signal: job.signal,
    onProgress: ({ blocks, bytesRead }) =>
      job.progress.update(blocks, Math.round((blocks * size) / bytesRead)),
  });
  job.progress.update(done.blocks, done.blocks);
  job.signal.throwIfAborted();
  const { imported: blocks, transactions } = done;
  const seconds = (performance.now() - started) / 1000;
  return { blocks, transactions, seconds, head: open.chain.head().header.number };
}

/** Exports blocks in the form of the Go node. Throws `ChainError` `bad-file`. */
export async function exportChain(options: NodeOptions, job: ExportJob): Promise<FileResult> {
  const log = logOf(options);
  await using database = await openDatabase(options, log);
  const head = openConsensusChain(database, log, systemClock).chain.head().header.number;
  const first = job.first ?? 0;
  const last = job.last ?? head;
  if (first > last) {
    throw new ChainError("bad-file", `export failed: first (${first}) is greater than last (${last})`);
  }
  const total = last - first + 1;
  const { store } = database;
  await writeBlockFile(
    job.file,
    (function* () {
      for (let number = first; number <= last; number++) {
        job.signal.throwIfAborted();
        const raw = rawBlock(store, number);
        if (raw === undefined) throw new ChainError("bad-file", `export failed on #${number}: not found`);
        job.progress.update(number - first + 1, total);
        yield raw;
      }
    })(),
  );
  return { blocks: total, head };
}

/** Compares flat state, trie and root. Throws `StateError` `corrupt` at the first contradiction. */
export async function verifyDatabase(
  options: NodeOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ readonly accounts: number; readonly head: number }> {
  const log = logOf(options);
  await using database = await openDatabase(options, log);
  const { chain } = openConsensusChain(database, log, systemClock);
  await database.state.ready;
  const { accounts } = await database.state.verify((done) => {
    signal.throwIfAborted();
    progress.update(done);
  });
  return { accounts, head: chain.head().header.number };
}

/** Commands talk through their progress; only what needs attention is logged. */
function logOf({ log }: NodeOptions): Log {
  return createLog({ ...log, level: log.level === "info" ? "warn" : log.level });
}
