/** `knit config [FLAG...]`: prints the settings of a node and their origins. */
import { nodeOptions } from "../compose/options.ts";
import { OptionError } from "../options/error.ts";
import { flagsOfCommand, suggestion } from "../options/flag-table.ts";
import type { OptionRow } from "../options/rows.ts";
import type { CommandJob } from "./chain-commands.ts";
import { flagText } from "./flag-text.ts";
import { flags } from "./flags.ts";

/**
 * Prints one line for each flag of `knit run` and `knit dev`, or the bare values of the given flags. Throws the error that
 * the node would not start with.
 */
export function showConfig({ shell, resolved, arguments: asked }: CommandJob): void {
  const { warnings } = nodeOptions("run", resolved, shell.host);
  if (asked.length > 0) {
    const rows = asked.map(flagCalled);
    shell.stdout.write(rows.map((row) => `${plainText(row, resolved)}\n`).join(""));
    return;
  }
  const rows = flagsOfCommand(flags, "config").map(
    (row) => [row.flag, valueText(row, resolved), originText(row, resolved)] as const,
  );
  const [names, values] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const [name, value, origin] of rows) {
    shell.stdout.write(`${name.padEnd(names ?? 0)}  ${value.padEnd(Math.min(values ?? 0, 40))}  ${origin}\n`);
  }
  for (const warning of warnings) shell.stderr.write(`warning: ${warning}\n`);
}

/** Finds a flag. Throws `OptionError` `unknown-flag` with a suggestion. */
function flagCalled(word: string): OptionRow<unknown> {
  const row = flags.find(word.replace(/^--?/, ""));
  if (row !== undefined) return row;
  throw new OptionError("unknown-flag", `unknown flag ${word}${suggestion(flags, word)}`);
}

/** Returns the value for scripts; empty for an absent value. */
function plainText(row: OptionRow<unknown>, resolved: Resolved): string {
  const text = valueText(row, resolved);
  return text === NOTHING ? "" : text;
}

const NOTHING = "-";

type Resolved = CommandJob["resolved"];

function valueText(row: OptionRow<unknown>, { values, origins }: Resolved): string {
  const given = origins.get(row.flag);
  if (given !== undefined) return row.kind.isSecret ? "(not shown)" : given.text;
  return flagText(row, values.get(row.flag)) || NOTHING;
}

function originText({ flag }: OptionRow<unknown>, { origins }: Resolved): string {
  return origins.get(flag)?.origin ?? "default";
}
