/** `knit config [FLAG...]`: prints the settings of a node and their origins. */
import { type FlagName, findFlag, flagNames, flags } from "../config/flags.ts";
import { secretFlags, suggestion } from "../config/flags-values.ts";
import { nodeOptions } from "../config/options-check.ts";
import { OptionError } from "../config/options-error.ts";
import type { CommandJob } from "./chain-commands.ts";
import { flagText } from "./flag-text.ts";

/**
 * Prints one line for each flag of `knit run`, or the bare values of the given flags. Throws the error that
 * the node would not start with.
 */
export function showConfig({ shell, resolved, arguments: asked }: CommandJob): void {
  const { warnings } = nodeOptions("run", resolved, shell.host);
  if (asked.length > 0) {
    const names = asked.map(flagCalled);
    shell.stdout.write(names.map((name) => `${plainText(name, resolved)}\n`).join(""));
    return;
  }
  const rows = flagNames
    .filter((name) => flags[name].commands.includes("run"))
    .map((name) => [name, valueText(name, resolved), originText(name, resolved)] as const);
  const [names, values] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const [name, value, origin] of rows) {
    shell.stdout.write(`${name.padEnd(names ?? 0)}  ${value.padEnd(Math.min(values ?? 0, 40))}  ${origin}\n`);
  }
  for (const warning of warnings) shell.stderr.write(`warning: ${warning}\n`);
}

/** Finds a flag. Throws `OptionError` `unknown-flag` with a suggestion. */
function flagCalled(word: string): FlagName {
  const name = findFlag(word.replace(/^--?/, ""));
  if (name !== undefined) return name;
  throw new OptionError("unknown-flag", `unknown flag ${word}${suggestion(word)}`);
}

/** Returns the value for scripts; empty for an absent value. */
function plainText(name: FlagName, resolved: Resolved): string {
  const text = valueText(name, resolved);
  return text === NOTHING ? "" : text;
}

const NOTHING = "-";

type Resolved = CommandJob["resolved"];

function valueText(name: FlagName, { values, origins }: Resolved): string {
  const given = origins.get(name);
  if (given !== undefined) return secretFlags.has(name) ? "(not shown)" : given.text;
  return flagText(name, values[name]) || NOTHING;
}

function originText(name: FlagName, { origins }: Resolved): string {
  return origins.get(name)?.origin ?? "default";
}
