/** Commands on a data directory: verify, size and rewind, and the common parts of such commands. */
import type { Compared } from "../compose/offline-jobs.ts";
import type { NodeOptions } from "../compose/options.ts";
import { nodeOptions } from "../compose/options.ts";
import { createLog, type Log } from "../observe/log.ts";
import { openProgress, type Progress } from "../observe/progress.ts";
import { OptionError } from "../options/error.ts";
import type { ResolvedFlags } from "../options/resolve.ts";
import type { FlagCommand } from "../options/rows.ts";
import type { NodeCommands } from "./commands.ts";
import { prepareDatadir } from "./datadir.ts";
import { isAbort } from "./failure.ts";
import type { Shell } from "./shell.ts";
import { type Interrupt, openInterrupt } from "./signals.ts";

/** One execution of a command. */
export interface CommandJob {
  readonly shell: Shell;
  readonly resolved: ResolvedFlags;
  readonly command: FlagCommand;
  /** Arguments after the command, without flags. */
  readonly arguments: readonly string[];
}

/** `knit db verify`: verifies blocks, and compares flat state, trie and root. Resolves to the exit code. */
export async function verifyCommand(job: CommandJob): Promise<number> {
  using work = await openJob(job, { label: "verify", unit: "blocks", alsoUnit: "accounts" });
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

/** Returns the result of a verification as a line. */
export function comparedText(compared: Compared): string {
  const { head, accounts, slots, codes, changes, blocks, transactions } = compared;
  const parts = [`${accounts} accounts`, `${slots} slots`, `${codes} codes`];
  if (changes > 0) parts.push(`${changes} changes of older states`);
  return `flat state, trie and root agree at block ${head}: ${parts.join(", ")}\n${blocks} blocks with ${transactions} transactions have the roots of their headers\n`;
}

/** `knit db size`: prints the size of each kind of row, the largest first. */
export async function sizeCommand(job: CommandJob): Promise<void> {
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

/** `knit db rewind NUMBER`: removes the blocks after a block. */
export async function rewindCommand(job: CommandJob): Promise<void> {
  const [typed = ""] = job.arguments;
  if (!/^\d{1,15}$/.test(typed)) {
    throw new OptionError("bad-value", `${JSON.stringify(typed)} is not a block number`);
  }
  using work = await openJob(job, { label: "rewind", unit: "blocks" });
  const { blocks, head } = await work.node.rewindDatadir(work.options, Number(typed));
  job.shell.stdout.write(`removed ${blocks} blocks; the newest block is ${head}\n`);
}

/** A long job on a data directory. Disposing it ends the progress line and the handling of signals. */
export interface OpenJob extends Disposable {
  readonly options: NodeOptions;
  readonly node: NodeCommands;
  readonly progress: Progress;
  readonly interrupt: Interrupt;
}

/** Label and units of the progress line of a job. */
export interface JobCounts {
  readonly label: string;
  readonly unit: string;
  readonly alsoUnit?: string;
  /** False for a job that does not use the data directory; true by default. */
  readonly usesDatadir?: boolean;
}

/** Prepares the data directory and opens progress and interrupt of a long job. */
export async function openJob(
  job: CommandJob,
  { usesDatadir = true, ...counts }: JobCounts,
): Promise<OpenJob> {
  const { options, log } = prepare(job);
  const { stderr: stream, signals, clock } = job.shell;
  if (usesDatadir) await prepareDatadir(options.paths);
  const node = await job.shell.loadNode();
  using parts = new DisposableStack();
  const interrupt = parts.use(openInterrupt(signals, log));
  const progress = parts.use(openProgress({ ...counts, total: undefined, stream, clock }));
  const open = parts.move();
  return { options, node, progress, interrupt, [Symbol.dispose]: () => open.dispose() };
}

/**
 * Creates options and log. The log starts at warnings, because these commands print progress and a result.
 */
export function prepare({ shell, resolved, command }: CommandJob): { options: NodeOptions; log: Log } {
  const { options, warnings } = nodeOptions(command, resolved, shell.host);
  const log = createLog({ ...options.log, stream: shell.stderr });
  for (const warning of warnings) log.warn({ warning }, "check the flags");
  return { options, log };
}
