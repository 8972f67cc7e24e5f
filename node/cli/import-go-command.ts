/** `knit import-go`: makes a node of the data directory of a stopped Go node, with progress; safe to interrupt. */
import { toHex } from "../bytes/hex.ts";
import type { GoImportJob } from "../compose/go-jobs.ts";
import { resolvePath } from "../compose/paths.ts";
import type { GoImported } from "../go-data/import.ts";
import { goImportOptions } from "../go-data/options.ts";
import { openProgress } from "../observe/progress.ts";
import { optionValues } from "../options/resolve.ts";
import { type CommandJob, openJob } from "./chain-commands.ts";
import { isAbort } from "./failure.ts";
import type { Shell } from "./shell.ts";

/** `knit import-go DATADIR`: resolves to the exit code. */
export async function importGoCommand(job: CommandJob): Promise<number> {
  const { shell, resolved } = job;
  const [typed = ""] = job.arguments;
  const { head, from } = optionValues(goImportOptions, resolved);
  using work = await openJob(job, { label: "import", unit: "blocks" });
  using bars = openBars(shell);
  const { options, interrupt, node } = work;
  try {
    const imported = await node.importGoDatadir(options, {
      source: resolvePath(typed, shell.host),
      head,
      from,
      signal: interrupt.signal,
      onBlocks: bars.onBlocks,
      onState: bars.onState,
    });
    bars[Symbol.dispose]();
    work[Symbol.dispose]();
    shell.stdout.write(importedText(imported, bars.times, shell.clock.now()));
    return 0;
  } catch (error) {
    if (!isAbort(error)) throw error;
    bars[Symbol.dispose]();
    work[Symbol.dispose]();
    shell.stderr.write("import-go was interrupted: run the same command again to continue\n");
    return interrupt.exitCode;
  }
}

/** Times of an import in milliseconds: of its start, of the newest block, and of the newest row of the state. */
interface Times {
  readonly started: number;
  blocks: number;
  state: number;
}

interface Bars extends Disposable, Pick<GoImportJob, "onBlocks" | "onState"> {
  readonly times: Readonly<Times>;
}

/** The bars of an import, one after the other: blocks, then the rows of the state. */
function openBars({ stderr: stream, clock }: Shell): Bars {
  const started = clock.now();
  const times: Times = { started, blocks: started, state: started };
  let current = openProgress({ label: "blocks", unit: "blocks", total: undefined, stream, clock });
  let isState = false;
  let isOpen = true;
  return {
    times,
    onBlocks: (done, total) => {
      times.blocks = clock.now();
      current.update(done, total);
    },
    onState: (part, rows) => {
      if (!isState) {
        current[Symbol.dispose]();
        current = openProgress({ label: "state", unit: "rows", total: undefined, stream, clock });
      }
      isState = true;
      times.state = clock.now();
      current.update(rows, part > 0 ? Math.round(rows / part) : undefined);
    },
    [Symbol.dispose]: () => {
      if (isOpen) current[Symbol.dispose]();
      isOpen = false;
    },
  };
}

function importedText(
  { head, newest, accounts, slots }: GoImported,
  { started, blocks, state }: Readonly<Times>,
  ended: number,
): string {
  const { number } = head.header;
  const counts = `${accounts.toLocaleString("en")} accounts, ${slots.toLocaleString("en")} slots`;
  const behind = newest > number ? `; the Go node has ${newest - number} newer blocks` : "";
  const seconds = [
    ["blocks", blocks - started],
    ["state", state - blocks],
    ["verification", ended - state],
  ] as const;
  const times = seconds.map(([what, ms]) => `${what} ${(Math.max(0, ms) / 1000).toFixed(1)} s`).join(", ");
  return `imported the chain up to block ${number} ${toHex(head.hash)}: ${counts}${behind}\n${times}\n`;
}
