/** `knit import` and `knit export`: chain files, with progress; safe to interrupt at any time. */
import { exportOptions } from "../chain/options.ts";
import type { ImportResult } from "../compose/offline-jobs.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import type { CommandJob } from "./chain-commands.ts";
import { openJob } from "./chain-commands.ts";
import { isAbort } from "./failure.ts";

/** Far more than an import uses. The limit brings the allocator's settings, which save 20 MiB. */
const IMPORT_HEAP_BYTES = 2 ** 31;

/**
 * `knit import FILE...`: imports blocks. Reports its progress before it throws. Resolves to the exit code.
 */
export async function importFiles(job: CommandJob): Promise<number> {
  job.shell.limitHeap(IMPORT_HEAP_BYTES); // before other work: the process may be replaced
  using work = await openJob(job, { label: "import", unit: "blocks", alsoUnit: "tx" });
  const { options, progress, interrupt, node } = work;
  const result = await node.importChain(options, {
    files: job.arguments,
    progress,
    signal: interrupt.signal,
  });
  work[Symbol.dispose](); // the bar ends before the answer begins
  job.shell.stdout.write(`${importedText(result)}\n`);
  if (result.failure !== undefined) throw result.failure;
  return result.interrupted ? interrupt.exitCode : 0;
}

function importedText({ blocks, transactions, seconds, known, head, interrupted }: ImportResult): string {
  const done = `imported ${blocks} blocks with ${transactions} transactions in ${seconds.toFixed(2)} s`;
  const skipped = known === 0 ? "" : `; already there: ${known}`;
  const newest = `; the newest block is ${head}`;
  const advice = interrupted ? "; interrupted: run the same command again to continue" : "";
  return `${done}${skipped}${newest}${advice}`;
}

/** `knit export FILE [FIRST [LAST]]`: exports blocks. Resolves to the exit code. */
export async function exportFile(job: CommandJob): Promise<number> {
  const [file = ""] = job.arguments;
  const range = blockRange(job);
  using work = await openJob(job, { label: "export", unit: "blocks" });
  const { options, progress, interrupt, node } = work;
  try {
    const { blocks } = await node.exportChain(options, {
      file,
      ...range,
      progress,
      signal: interrupt.signal,
    });
    work[Symbol.dispose]();
    job.shell.stdout.write(`exported ${blocks} blocks to ${file}\n`);
    return 0;
  } catch (error) {
    if (!isAbort(error)) throw error;
    work[Symbol.dispose]();
    job.shell.stdout.write(`export was interrupted: nothing was written to ${file}\n`);
    return interrupt.exitCode;
  }
}

function blockRange({ resolved, arguments: [, ...typed] }: CommandJob): {
  first: number | undefined;
  last: number | undefined;
} {
  const { first, last } = optionValues(exportOptions, resolved);
  if (typed.length === 0) return { first, last };
  if (first !== undefined || last !== undefined) {
    throw new OptionError("clash", "the range is given twice: behind the file and by --first or --last");
  }
  const [from, to] = typed.map(blockNumber);
  return { first: from, last: to };
}

function blockNumber(typed: string): number {
  const number = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new OptionError("bad-value", `${JSON.stringify(typed)} is not a block number`);
}
