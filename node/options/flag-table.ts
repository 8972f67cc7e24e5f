/** The flag table: the option rows of all rooms by flag, and the names under which sources set them. */
import { type AbsentName, absentVariables, findAbsentFlag } from "./absent-flags.ts";
import { nearestWord } from "./nearest-word.ts";
import type { FlagCommand, OptionRow, OptionRows } from "./rows.ts";

/** All flags of a program. */
export interface FlagTable {
  /** In the order of help. */
  readonly rows: readonly OptionRow<unknown>[];
  /** Finds a flag by its name or an alias. */
  find(name: string): OptionRow<unknown> | undefined;
}

/** Collects rows. */
export function createFlagTable(parts: readonly OptionRows[]): FlagTable {
  const rows = parts.flatMap((part) => Object.values(part));
  const byName = new Map(rows.flatMap((row) => [row.flag, ...row.aliases].map((name) => [name, row])));
  return { rows, find: (name) => byName.get(name) };
}

/** Finds the name of a flag, or of an absent flag of the Go nodes, by its name or an alias. */
export function findFlagName(table: FlagTable, name: string): string | undefined {
  return table.find(name)?.flag ?? findAbsentFlag(name);
}

/** Returns the flags that a command accepts. */
export function flagsOfCommand({ rows }: FlagTable, command: string): readonly OptionRow<unknown>[] {
  return rows.filter(({ commands }) => commands.some((each: FlagCommand) => each === command));
}

/** Returns the environment variables of a flag without their prefixes, such as RPCPORT for `--rpcport`. */
export function variableNames({ flag, variable }: OptionRow<unknown>): readonly string[] {
  return variable === undefined ? [regularName(flag)] : [regularName(flag), variable];
}

/** Returns the environment variables of an absent flag of the Go nodes. */
export function absentVariableNames(name: AbsentName): readonly string[] {
  const other = absentVariables[name];
  return other === undefined ? [regularName(name)] : [regularName(name), other];
}

function regularName(flag: string): string {
  return flag.toUpperCase().replace(/[.-]/g, "_");
}

/** Returns ` (did you mean --rpcport?)`, or an empty text when no flag is similar. */
export function suggestion({ rows }: FlagTable, name: string, prefix = ""): string {
  const near = nearestWord(
    name,
    rows.flatMap(({ flag, aliases }) => [flag, ...aliases]),
  );
  return near === undefined ? "" : ` (did you mean ${prefix}${near}?)`;
}
