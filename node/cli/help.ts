/** Help texts from the tables of commands and flags. */
import { programVersion } from "../config/version.ts";
import { flagsOfCommand } from "../options/flag-table.ts";
import { flagGroups, type OptionRow } from "../options/rows.ts";
import { type Command, commands } from "./commands.ts";
import { flagText } from "./flag-text.ts";
import { flags } from "./flags.ts";

/** Returns the text of `knit --help`. */
export function generalHelp(): string {
  const rows = commands.map((command) => [usage(command), command.summary] as const);
  return `knit ${programVersion()}, a node for Klaytn and Kaia chains

Usage: knit [command] [flags]

Commands
${table(rows)}

knit COMMAND --help lists a command's flags. A flag may also come from the environment (--rpcport 8551 as
KNIT_RPCPORT=8551; KLAYTN_ and KAIA_ are read too) or from a file (--conf FILE: YAML, or lines such as RPC_ENABLE=1).
Flags override the environment, which overrides the settings file; knit config prints the origins. Executed under
the name kcn, kpn or ken, knit is a core node, a proxy or an endpoint.

Exit codes: 0 done, 1 refused or failed (one line on stderr says why), 2 a node answered with an error, 130 and 143
interrupted by SIGINT or SIGTERM before the work was done.
`;
}

/** Returns the text of `knit WORD` for the first word of several commands, such as `db`. */
export function groupHelp(word: string): string {
  const rows = commands.filter(({ words }) => words.startsWith(`${word} `));
  const lines = rows.map((command) => [usage(command), command.summary] as const);
  return `knit ${word}: one of these commands\n\n${table(lines)}\n\nknit ${word} COMMAND --help lists a command's flags.\n`;
}

/** Returns the text of `knit COMMAND --help`: the command's flags under their headings. */
export function commandHelp(command: Command): string {
  const own = flagsOfCommand(flags, command.name);
  const sections = flagGroups.map((group) => {
    const rows = own.filter((row) => row.group === group).map(flagRow);
    return rows.length === 0 ? "" : `\n${group}\n${table(rows)}\n`;
  });
  const tail = own.length === 0 ? "" : " [flags]";
  const head = `knit ${command.words}: ${command.summary}\n\nUsage: knit ${usage(command)}${tail}\n`;
  return `${head}${sections.join("")}${command.details ?? ""}`;
}

function usage({ words, arguments: given = [] }: Command): string {
  return [words, ...given.map((each) => each.replace(/[<>]/g, ""))].join(" ");
}

function flagRow(row: OptionRow<unknown>): readonly [string, string] {
  const { kind, summary, default: value } = row;
  const word = row.typed ?? row.flag;
  const typed = kind.hint === "" ? `--${word}` : `--${word} ${kind.hint}`;
  const shown = typeof value === "boolean" || value instanceof Uint8Array ? "" : flagText(row, value);
  return [typed, shown === "" ? summary : `${summary} (${shown})`];
}

const MAX_NAME_WIDTH = 34;

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(MAX_NAME_WIDTH, Math.max(...rows.map(([name]) => name.length)));
  return rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`).join("\n");
}
