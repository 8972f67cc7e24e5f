/** Commands that work on a data directory and end: init, import, export, db verify. */
import { readFile } from "node:fs/promises";
import type { FlagCommand } from "../config/flags.ts";
import type { ResolvedFlags } from "../config/flags-values.ts";
import type { NodeOptions } from "../config/options.ts";
import { nodeOptions } from "../config/options-check.ts";
import { OptionError } from "../config/options-error.ts";
import { createLog, type Log } from "../observe/log.ts";
import { openProgress, type Progress } from "../observe/progress.ts";
import { prepareDatadir } from "./datadir.ts";
import { isAbort } from "./failure.ts";
import type { Shell } from "./shell.ts";
import { openShutdownSignal } from "./signals.ts";

/** A command to carry out. */
export interface Job {
  readonly shell: Shell;
  readonly resolved: ResolvedFlags;
  readonly command: FlagCommand;
  /** The command's argument; empty for commands without one. */
  readonly argument: string;
}

/** `knit init GENESIS`. */
export async function initDatadir(job: Job): Promise<void> {
  const { options, log } = prepare(job);
  const text = await readFile(job.argument, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new OptionError("bad-file", `Failed to read genesis file: ${error.message}`, error);
  });
  await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  const { hash } = await node.initDatadir(options, text);
  log.info({ database: "chaindata", hash }, "Successfully wrote genesis state");
}

/** `knit import FILE`. */
export async function importFile(job: Job): Promise<void> {
  const { options, log } = prepare(job);
  await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  const { blocks, transactions, seconds, head } = await watched(job, log, "import", (progress, signal) =>
    node.importChain(options, { file: job.argument, progress, signal }),
  );
  const done = `imported ${blocks} blocks with ${transactions} transactions in ${seconds.toFixed(2)} s`;
  job.shell.stdout.write(`${done}; the newest block is ${head}\n`);
}

/** `knit export FILE`. */
export async function exportFile(job: Job): Promise<void> {
  const { options, log } = prepare(job);
  await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  const { first, last } = job.resolved.values;
  const { blocks } = await watched(job, log, "export", (progress, signal) =>
    node.exportChain(options, { file: job.argument, first, last, progress, signal }),
  );
  job.shell.stdout.write(`exported ${blocks} blocks to ${job.argument}\n`);
}

/** `knit db verify`. */
export async function verifyDatabase(job: Job): Promise<void> {
  const { options, log } = prepare(job);
  await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  const { accounts, head } = await watched(job, log, "verify", (progress, signal) =>
    node.verifyDatabase(options, progress, signal),
  );
  job.shell.stdout.write(`flat state, trie and root agree at block ${head}: ${accounts} accounts\n`);
}

/** These commands talk through progress and one line at the end, so their log begins at warnings. */
function prepare({ shell, resolved, command }: Job): { options: NodeOptions; log: Log } {
  const { options, warnings } = nodeOptions(command, resolved, shell.surroundings);
  const log = createLog({ ...options.log, stream: shell.stderr });
  for (const warning of warnings) log.warn({ warning }, "check the flags");
  return { options, log };
}

type LongWork<T> = (progress: Progress, signal: AbortSignal) => Promise<T>;

async function watched<T>({ shell }: Job, log: Log, label: string, work: LongWork<T>): Promise<T> {
  using shutdown = openShutdownSignal(shell.signals, log);
  const unit = label === "verify" ? "accounts" : "blocks";
  using progress = openProgress({ label, total: undefined, unit, stream: shell.stderr, clock: shell.clock });
  try {
    return await work(progress, shutdown.signal);
  } catch (error) {
    if (!isAbort(error)) throw error;
    throw new Error(`${label} was interrupted; what it had done is kept`, { cause: error });
  }
}
