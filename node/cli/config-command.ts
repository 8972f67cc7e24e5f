/** `knit config [FLAG...]`: what a node would run with, and where each value comes from. */
import { type FlagName, findFlag, flagNames, flags } from "../config/flags.ts";
import { secretFlags, suggestion } from "../config/flags-values.ts";
import { nodeOptions } from "../config/options-check.ts";
import { OptionError } from "../config/options-error.ts";
import type { Job } from "./chain-commands.ts";
import { flagText } from "./flag-text.ts";

/**
 * Prints a line for each flag of `knit run`, or the bare values of those that are named. Throws what would keep a
 * node from starting with them.
 */
export function showConfig({ shell, resolved, arguments: asked }: Job): void {
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

/** Throws `OptionError` `unknown-flag` with a near miss. */
function flagCalled(word: string): FlagName {
  const name = findFlag(word.replace(/^--?/, ""));
  if (name !== undefined) return name;
  throw new OptionError("unknown-flag", `unknown flag ${word}${suggestion(word)}`);
}

/** For scripts: empty where nothing is set. */
function plainText(name: FlagName, resolved: Resolved): string {
  const text = valueText(name, resolved);
  return text === NOTHING ? "" : text;
}

const NOTHING = "-";

type Resolved = Job["resolved"];

function valueText(name: FlagName, { values, origins }: Resolved): string {
  const given = origins.get(name);
  if (given !== undefined) return secretFlags.has(name) ? "(not shown)" : given.text;
  return flagText(name, values[name]) || NOTHING;
}

function originText(name: FlagName, { origins }: Resolved): string {
  return origins.get(name)?.origin ?? "default";
}
