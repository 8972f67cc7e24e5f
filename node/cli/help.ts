/** Help, printed from the tables of commands and flags. */
import { type FlagName, flagNames, flags, spellings } from "../config/flags.ts";
import { flagGroups } from "../config/flags-rows.ts";
import { programVersion } from "../config/version.ts";
import { type Command, commands } from "./commands.ts";

/** `knit --help`. */
export function generalHelp(): string {
  const rows = commands.map((command) => [usage(command), command.summary] as const);
  return `knit ${programVersion()}, a node for Klaytn and Kaia chains

Usage: knit [command] [flags]

Commands
${table(rows)}

knit COMMAND --help lists a command's flags. A flag may also come from the environment (--rpcport 8551 as
KNIT_RPCPORT=8551; KLAYTN_ and KAIA_ are read too) or from a YAML file (--conf FILE). Flags win over the
environment, the environment over the file.
`;
}

/** `knit COMMAND --help`: its flags under their headings. */
export function commandHelp(command: Command): string {
  const names = flagNames.filter((name) => flags[name].commands.some((each) => each === command.name));
  const sections = flagGroups.map((group) => {
    const rows = names.filter((name) => flags[name].group === group).map(flagRow);
    return rows.length === 0 ? "" : `\n${group}\n${table(rows)}\n`;
  });
  const tail = names.length === 0 ? "" : " [flags]";
  const head = `knit ${command.words}: ${command.summary}\n\nUsage: knit ${usage(command)}${tail}\n`;
  return `${head}${sections.join("")}${command.details ?? ""}`;
}

function usage({ words, arguments: given = [] }: Command): string {
  return [words, ...given.map((each) => each.replace(/[<>]/g, ""))].join(" ");
}

function flagRow(name: FlagName): readonly [string, string] {
  const { kind, fallback, summary } = flags[name];
  const word = spellings.find((each) => each.flag === name)?.typed ?? name;
  const typed = kind.hint === "" ? `--${word}` : `--${word} ${kind.hint}`;
  const shown = fallbackText(name, fallback);
  return [typed, shown === "" ? summary : `${summary} (${shown})`];
}

/** Times are shown as they are typed, in the largest unit that holds them. */
function fallbackText(name: FlagName, fallback: (typeof flags)[FlagName]["fallback"]): string {
  if (fallback === undefined || typeof fallback === "boolean") return "";
  if (Array.isArray(fallback)) return fallback.filter((word) => typeof word === "string").join(",");
  if (typeof fallback === "object") return "";
  if (typeof fallback === "number" && flags[name].kind.hint === "TIME") return timeText(fallback);
  return typeof fallback === "number" || typeof fallback === "bigint" ? fallback.toString() : fallback;
}

function timeText(ms: number): string {
  const units = [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const;
  const found = units.find(([, size]) => ms >= size && ms % size === 0);
  return found ? `${ms / found[1]}${found[0]}` : `${ms}ms`;
}

const LONGEST_NAME = 34;

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(LONGEST_NAME, Math.max(...rows.map(([name]) => name.length)));
  return rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`).join("\n");
}
