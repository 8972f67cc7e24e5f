/**
 * Where flags get their values: defaults, then the settings file, then the environment, then the command
 * line. Each later source replaces an earlier one; every value is checked whoever gave it.
 */
import { developmentDefaults, type FlagName, type FlagValues, flagNames, flags } from "./flags.ts";
import { nearest } from "./flags-nearest.ts";
import { type FlagCommand } from "./flags-rows.ts";
import { OptionError } from "./options-error.ts";

/** Texts by flag, from one source. */
export type FlagTexts = ReadonlyMap<FlagName, string>;

/** The places that may set flags, weakest first. */
export interface FlagSources {
  readonly command: FlagCommand;
  readonly file?: FlagTexts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly commandLine: FlagTexts;
}

/** Prefixes of environment variables, strongest first; the Go nodes read the other two. */
const PREFIXES = ["KNIT_", "KLAYTN_", "KAIA_"] as const;

/** Values of all flags, and which of them somebody gave. */
export interface ResolvedFlags {
  readonly values: FlagValues;
  readonly given: ReadonlySet<FlagName>;
}

/** Folds the sources. Throws `OptionError` `bad-value` that names the flag and where its value came from. */
export function resolveFlags({ command, file, environment, commandLine }: FlagSources): ResolvedFlags {
  const values: Record<string, unknown> = {};
  const given = new Set<FlagName>();
  const defaults: Partial<FlagValues> = command === "dev" ? developmentDefaults : {};
  for (const name of flagNames) {
    const found =
      commandLineText(name, commandLine) ?? environmentText(name, environment) ?? fileText(name, file);
    if (found) given.add(name);
    values[name] = found ? parseValue(name, found) : (defaults[name] ?? flags[name].fallback);
  }
  return { values: values as FlagValues, given }; // the loop went through every row of the table
}

/** The environment variable that sets a flag, for help: `KNIT_RPCPORT`. */
export function variableName(name: FlagName, prefix: string = PREFIXES[0]): string {
  return prefix + name.toUpperCase().replace(/[.-]/g, "_");
}

/** ` (did you mean --rpcport?)`, or nothing when no flag is near. */
export function suggestion(name: string, prefix = ""): string {
  const names = flagNames.flatMap((each) => [each, ...flags[each].aliases]);
  const near = nearest(name, names);
  return near === undefined ? "" : ` (did you mean ${prefix}${near}?)`;
}

interface GivenText {
  readonly text: string;
  readonly origin: string;
}

function commandLineText(name: FlagName, texts: FlagTexts): GivenText | undefined {
  const text = texts.get(name);
  return text === undefined ? undefined : { text, origin: `--${name}` };
}

/** An empty variable counts as unset: that is how shells and compose files leave one out. */
function environmentText(name: FlagName, environment: FlagSources["environment"]): GivenText | undefined {
  for (const prefix of PREFIXES) {
    const variable = variableName(name, prefix);
    const value = environment[variable];
    if (value !== undefined && value !== "") return { text: value, origin: variable };
  }
  return undefined;
}

function fileText(name: FlagName, texts: FlagTexts | undefined): GivenText | undefined {
  const text = texts?.get(name);
  return text === undefined || text === "" ? undefined : { text, origin: `${name} in the settings file` };
}

function parseValue(name: FlagName, { text, origin }: GivenText): unknown {
  const { kind } = flags[name];
  try {
    return kind.parse(text);
  } catch (error) {
    const shown = name === "nodekeyhex" ? "" : `, not ${JSON.stringify(text)}`;
    const wanted = (error as Error).message; // kinds throw errors that say what they want
    throw new OptionError("bad-value", `${origin} must be ${wanted}${shown}`, error);
  }
}
