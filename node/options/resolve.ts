/**
 * Values of flags from their sources: defaults, then the settings file, then the environment, then the command
 * line. A later source overrides an earlier one; values of all sources are checked.
 */
import { absentFlags, absentNames, checksAbsentFlags } from "./absent-flags.ts";
import { OptionError } from "./error.ts";
import { absentVariableNames, type FlagTable, variableNames } from "./flag-table.ts";
import type { FlagCommand, OptionRow, OptionRows, ValuesOf } from "./rows.ts";

/** Texts of flags from one source, by name. */
export type FlagTexts = ReadonlyMap<string, string>;

/** The sources of flags. */
export interface FlagSources {
  readonly command: FlagCommand;
  /** Defaults by flag that override those of the rows: those of the name of the executable. */
  readonly defaults?: ReadonlyMap<string, unknown>;
  readonly file?: FlagTexts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly commandLine: FlagTexts;
}

/** Prefixes of environment variables in order of precedence; the last two are those of the Go nodes. */
const PREFIXES = ["KNIT_", "KLAYTN_", "KAIA_"] as const;

/** Values of all flags and their origins. */
export interface ResolvedFlags {
  /** Values of all flags by name; `optionValues` returns those of some rows with their types. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly given: ReadonlySet<string>;
  /** Texts and origins of the given flags, for messages. */
  readonly origins: ReadonlyMap<string, GivenText>;
  /** Warnings about flags without effect. */
  readonly warnings: readonly string[];
}

/**
 * Merges the sources. Throws `OptionError` `bad-value` with the flag and the origin of its value, and `absent-flag` for
 * a refused flag of the Go nodes.
 */
export function resolveFlags(table: FlagTable, sources: FlagSources): ResolvedFlags {
  const values = new Map<string, unknown>();
  const origins = new Map<string, GivenText>();
  for (const row of table.rows) {
    const found = givenText(row.flag, variableNames(row), sources);
    if (found) origins.set(row.flag, found);
    values.set(row.flag, found ? parseValue(row, found) : defaultOf(row, sources));
  }
  const warnings = checksAbsentFlags(sources.command) ? checkAbsentFlags(sources) : [];
  return { values, given: new Set(origins.keys()), origins, warnings };
}

/** Returns the values of some options. */
export function optionValues<Rows extends OptionRows>(
  rows: Rows,
  { values }: Pick<ResolvedFlags, "values">,
): ValuesOf<Rows> {
  const entries = Object.entries(rows).map(([member, { flag }]) => [member, values.get(flag)]);
  return Object.fromEntries(entries) as ValuesOf<Rows>; // `resolveFlags` parsed each with the kind of its row
}

/** Returns the default of an option for a command. */
function defaultOf(row: OptionRow<unknown>, { command, defaults }: FlagSources): unknown {
  if (command === "dev" && row.development !== undefined) return row.development;
  return defaults?.has(row.flag) ? defaults.get(row.flag) : row.default;
}

/** The text of a flag and its origin. */
export interface GivenText {
  readonly text: string;
  readonly origin: string;
}

function givenText(
  name: string,
  variables: readonly string[],
  { commandLine, environment, file }: Pick<FlagSources, "commandLine" | "environment" | "file">,
): GivenText | undefined {
  const text = commandLine.get(name);
  if (text !== undefined) return { text, origin: `--${name}` };
  return environmentText(variables, environment) ?? fileText(name, file);
}

/** An empty variable counts as unset, as in shells and compose files. */
function environmentText(
  variables: readonly string[],
  environment: FlagSources["environment"],
): GivenText | undefined {
  for (const prefix of PREFIXES) {
    for (const variable of variables) {
      const value = environment[prefix + variable];
      if (value !== undefined && value !== "") return { text: value, origin: prefix + variable };
    }
  }
  return undefined;
}

function fileText(name: string, texts: FlagTexts | undefined): GivenText | undefined {
  const text = texts?.get(name);
  return text === undefined || text === "" ? undefined : { text, origin: `${name} in the settings file` };
}

function parseValue({ kind }: OptionRow<unknown>, { text, origin }: GivenText): unknown {
  try {
    return kind.parse(text);
  } catch (error) {
    const found = kind.isSecret ? "" : `, not ${JSON.stringify(text)}`;
    const expected = (error as Error).message; // errors of `Kind.parse`
    throw new OptionError("bad-value", `${origin} must be ${expected}${found}`, error);
  }
}

/** A larger number of ignored flags gives one warning: a settings file of a Go node may have dozens. */
const MAX_LISTED_WARNINGS = 3;

function checkAbsentFlags(sources: FlagSources): string[] {
  const ignored: (GivenText & { readonly why: string })[] = [];
  for (const name of absentNames) {
    const found = givenText(name, absentVariableNames(name), sources);
    const { verdict, why, harmless } = absentFlags[name];
    if (found === undefined || found.text.toLowerCase() === harmless?.toLowerCase()) continue;
    if (verdict === "refused") throw new OptionError("absent-flag", `${found.origin} is refused: ${why}`);
    ignored.push({ ...found, why });
  }
  if (ignored.length <= MAX_LISTED_WARNINGS)
    return ignored.map(({ origin, why }) => `${origin} does nothing: ${why}`);
  const first = ignored.slice(0, MAX_LISTED_WARNINGS).map(({ origin }) => flagOfOrigin(origin));
  return [`${ignored.length} settings do nothing here (${first.join(", ")}, ...): docs/flags.md says why`];
}

function flagOfOrigin(origin: string): string {
  return origin.replace(/ in the settings file$/, "");
}
