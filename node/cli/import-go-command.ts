/** `knit import-go`: makes a node of the data directory of a stopped Go node, with progress; safe to interrupt. */
import { toHex } from "../bytes/hex.ts";
import { resolvePath } from "../compose/paths.ts";
import type { GoImported } from "../go-data/import.ts";
import { goImportOptions } from "../go-data/options.ts";
import { openProgress } from "../observe/progress.ts";
import { optionValues } from "../options/resolve.ts";
import { type CommandJob, openJob } from "./chain-commands.ts";
import { isAbort } from "./failure.ts";

/** `knit import-go DATADIR`: resolves to the exit code. */
export async function importGoCommand(job: CommandJob): Promise<number> {
  const { shell, resolved } = job;
  const [typed = ""] = job.arguments;
  const { head, from } = optionValues(goImportOptions, resolved);
  const { stderr: stream, clock } = shell;
  using work = await openJob(job, { label: "blocks", unit: "blocks" });
  using state = openProgress({ label: "state", unit: "rows", total: undefined, stream, clock });
  const { options, progress, interrupt, node } = work;
  try {
    const imported = await node.importGoDatadir(options, {
      source: resolvePath(typed, shell.host),
      head,
      from,
      signal: interrupt.signal,
      onBlocks: (done, total) => {
        progress.update(done, total);
        if (done === total) progress[Symbol.dispose](); // the next bar takes its line
      },
      onState: (part, rows) => state.update(rows, part > 0 ? Math.round(rows / part) : undefined),
    });
    state[Symbol.dispose]();
    work[Symbol.dispose]();
    shell.stdout.write(importedText(imported));
    return 0;
  } catch (error) {
    if (!isAbort(error)) throw error;
    state[Symbol.dispose]();
    work[Symbol.dispose]();
    shell.stderr.write("import-go was interrupted: run the same command again to continue\n");
    return interrupt.exitCode;
  }
}

function importedText({ head, newest, accounts, slots }: GoImported): string {
  const { number } = head.header;
  const counts = `${accounts.toLocaleString("en")} accounts, ${slots.toLocaleString("en")} slots`;
  const behind =
    newest > number ? `; the Go node had ${newest - number} more, whose state it had not stored` : "";
  return `imported the chain up to block ${number} ${toHex(head.hash)}: ${counts}${behind}\n`;
}
