/** What commands that work on a data directory and end have in common; the small ones of them. */
import { readFile } from "node:fs/promises";
import type { Compared } from "../compose/offline-jobs.ts";
import type { FlagCommand } from "../config/flags-rows.ts";
import type { ResolvedFlags } from "../config/flags-values.ts";
import type { NodeOptions } from "../config/options.ts";
import { nodeOptions } from "../config/options-check.ts";
import { OptionError } from "../config/options-error.ts";
import { createLog, type Log } from "../observe/log.ts";
import { openProgress, type Progress } from "../observe/progress.ts";
import type { NodeCommands } from "./commands.ts";
import { prepareDatadir } from "./datadir.ts";
import { isAbort } from "./failure.ts";
import type { Shell } from "./shell.ts";
import { type Interrupt, openInterrupt } from "./signals.ts";

/** A command to carry out. */
export interface Job {
  readonly shell: Shell;
  readonly resolved: ResolvedFlags;
  readonly command: FlagCommand;
  /** What stands behind the command, without flags. */
  readonly arguments: readonly string[];
}

/** `knit init GENESIS`. */
export async function initDatadir(job: Job): Promise<void> {
  const { options, log } = prepare(job);
  const [file = ""] = job.arguments;
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new OptionError("bad-file", `Failed to read genesis file: ${error.message}`, error);
  });
  await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  const { hash } = await node.initDatadir(options, text);
  log.info({ database: "chaindata", hash }, "Successfully wrote genesis state");
}

/** `knit db verify`. */
export async function verifyDatabase(job: Job): Promise<number> {
  using work = await openJob(job, { label: "verify", unit: "accounts" });
  const { options, progress, interrupt, node } = work;
  try {
    const compared = await node.verifyDatabase(options, progress, interrupt.signal);
    work[Symbol.dispose]();
    job.shell.stdout.write(comparedText(compared));
    return 0;
  } catch (error) {
    if (!isAbort(error)) throw error;
    work[Symbol.dispose]();
    job.shell.stdout.write("verify was interrupted: nothing was found until then\n");
    return interrupt.exitCode;
  }
}

function comparedText({ head, accounts, slots, codes, changes }: Compared): string {
  const parts = [`${accounts} accounts`, `${slots} slots`, `${codes} codes`];
  if (changes > 0) parts.push(`${changes} changes of older states`);
  return `flat state, trie and root agree at block ${head}: ${parts.join(", ")}\n`;
}

/** `knit db size`: the largest kind first. */
export async function tellSizes(job: Job): Promise<void> {
  using work = await openJob(job, { label: "size", unit: "kinds" });
  const { kinds, oldestBody, head } = await work.node.measureDatabase(work.options);
  const uses = kinds.toSorted((a, b) => b.bytes - a.bytes);
  const all = uses.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = uses
    .filter(({ bytes }) => bytes > 0)
    .map((use) => sizeLine(use.bytes, `${use.kind}: ${use.holds}`));
  const whole =
    oldestBody > 1 ? [`bodies and receipts are those of block 0 and of ${oldestBody} to ${head}`] : [];
  job.shell.stdout.write([...rows, sizeLine(all, "in all"), ...whole, ""].join("\n"));
}

function sizeLine(bytes: number, what: string): string {
  return `${bytes.toLocaleString("en").padStart(19)}  ${what}`;
}

/** `knit db rewind NUMBER`. */
export async function rewindDatabase(job: Job): Promise<void> {
  const [typed = ""] = job.arguments;
  if (!/^\d{1,15}$/.test(typed)) {
    throw new OptionError("bad-value", `${JSON.stringify(typed)} is not a block number`);
  }
  using work = await openJob(job, { label: "rewind", unit: "blocks" });
  const { blocks, head } = await work.node.rewindChain(work.options, Number(typed));
  job.shell.stdout.write(`removed ${blocks} blocks; the newest block is ${head}\n`);
}

/** Long work on a data directory. Disposing it ends the progress line and the listening for signals. */
export interface OpenJob extends Disposable {
  readonly options: NodeOptions;
  readonly node: NodeCommands;
  readonly progress: Progress;
  readonly interrupt: Interrupt;
}

/** What the progress of a job is called and counts. */
export interface JobCounts {
  readonly label: string;
  readonly unit: string;
  readonly alsoUnit?: string;
}

/** Prepares the data directory and everything that long work needs. */
export async function openJob(job: Job, counts: JobCounts): Promise<OpenJob> {
  const { options, log } = prepare(job);
  const { stderr: stream, signals, clock } = job.shell;
  await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  using parts = new DisposableStack();
  const interrupt = parts.use(openInterrupt(signals, log));
  const progress = parts.use(openProgress({ ...counts, total: undefined, stream, clock }));
  const open = parts.move();
  return { options, node, progress, interrupt, [Symbol.dispose]: () => open.dispose() };
}

/** These commands talk through progress and one line at the end, so their log begins at warnings. */
function prepare({ shell, resolved, command }: Job): { options: NodeOptions; log: Log } {
  const { options, warnings } = nodeOptions(command, resolved, shell.host);
  const log = createLog({ ...options.log, stream: shell.stderr });
  for (const warning of warnings) log.warn({ warning }, "check the flags");
  return { options, log };
}
