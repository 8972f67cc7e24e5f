/**
 * Where flags get their values: defaults, then the settings file, then the environment, then the command
 * line. Each later source replaces an earlier one; every value is checked whoever gave it.
 */
import { developmentDefaults, type FlagName, type FlagValues, flagNames, flags } from "./flags.ts";
import { type AbsentName, absentFlags, absentNames, judgesAbsent } from "./flags-absent.ts";
import { nearest } from "./flags-nearest.ts";
import { type FlagCommand } from "./flags-rows.ts";
import { OptionError } from "./options-error.ts";

/** A flag that knit has, or one that only the Go nodes have. */
export type AnyName = FlagName | AbsentName;

/** Texts by flag, from one source. */
export type FlagTexts = ReadonlyMap<AnyName, string>;

/** The places that may set flags, weakest first. */
export interface FlagSources {
  readonly command: FlagCommand;
  /** What the name under which the program was started stands for. */
  readonly type?: FlagValues["type"] | undefined;
  readonly file?: FlagTexts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly commandLine: FlagTexts;
}

/** Prefixes of environment variables, strongest first; the Go nodes read the other two. */
const PREFIXES = ["KNIT_", "KLAYTN_", "KAIA_"] as const;

/** Variables of the Go nodes that do not follow from the flag's name; they are read after those that do. */
const VARIABLES: Partial<Record<AnyName, string>> = {
  v3: "KEYSTORE_V3",
  mainnet: "CYPRESS",
  kairos: "BAOBAB",
  "upstream-en": "RPC_UPSTREAM_EN",
  "db.pebbledb.cache-size": "DB_PEBBLE_CACHE_SIZE",
  "snapshot.async-gen": "SNAPSHOT_BACKGROUND_GENERATION",
  "state.experimental-flat-trie": "STATE_FLAT_TRIE",
  "db.dst.rocksdb.dump-memory-stat": "DB_DST_ROCKSDB_DUMP_MALLOC_STAT",
  "log.format": "LOGFORMAT",
  "log.file": "LOGFILE",
  "log.rotate": "LOGROTATE",
  "log.maxsize": "LOGMAXSIZE",
  "log.maxbackups": "LOGMAXBACKUPS",
  "log.maxage": "LOGMAXAGE",
  "log.compress": "LOGCOMPRESS",
};

/** Values of all flags, and which of them somebody gave. */
export interface ResolvedFlags {
  readonly values: FlagValues;
  readonly given: ReadonlySet<FlagName>;
  /** Where the values of the given flags come from, for people, and their texts. */
  readonly origins: ReadonlyMap<FlagName, GivenText>;
  /** Flags that do nothing here. */
  readonly warnings: readonly string[];
}

/**
 * Folds the sources. Throws `OptionError` `bad-value` that names the flag and where its value came from, and
 * `absent-flag` for a flag of the Go nodes without which a node would not be what was asked for.
 */
export function resolveFlags(sources: FlagSources): ResolvedFlags {
  const values: Record<string, unknown> = {};
  const origins = new Map<FlagName, GivenText>();
  const defaults = defaultsOf(sources);
  for (const name of flagNames) {
    const found = givenText(name, sources);
    if (found) origins.set(name, found);
    values[name] = found ? parseValue(name, found) : (defaults[name] ?? flags[name].fallback);
  }
  const warnings = judgesAbsent(sources.command) ? judgeAbsent(sources) : [];
  // the loop went through every row of the table
  return { values: values as FlagValues, given: new Set(origins.keys()), origins, warnings };
}

/** What flags are that nobody gives. */
export function defaultsOf({ command, type }: Pick<FlagSources, "command" | "type">): Partial<FlagValues> {
  const named = type === undefined ? {} : { type };
  return command === "dev" ? { ...named, ...developmentDefaults } : named;
}

/** The environment variables that set a flag, without their prefixes: `RPCPORT`. */
export function variableNames(name: AnyName): readonly string[] {
  const regular = name.toUpperCase().replace(/[.-]/g, "_");
  const other = VARIABLES[name];
  return other === undefined ? [regular] : [regular, other];
}

/** ` (did you mean --rpcport?)`, or nothing when no flag is near. */
export function suggestion(name: string, prefix = ""): string {
  const names = flagNames.flatMap((each) => [each, ...flags[each].aliases]);
  const near = nearest(name, names);
  return near === undefined ? "" : ` (did you mean ${prefix}${near}?)`;
}

/** What somebody gave, and where. */
export interface GivenText {
  readonly text: string;
  readonly origin: string;
}

function givenText(
  name: AnyName,
  { commandLine, environment, file }: Pick<FlagSources, "commandLine" | "environment" | "file">,
): GivenText | undefined {
  const text = commandLine.get(name);
  if (text !== undefined) return { text, origin: `--${name}` };
  return environmentText(name, environment) ?? fileText(name, file);
}

/** An empty variable counts as unset: that is how shells and compose files leave one out. */
function environmentText(name: AnyName, environment: FlagSources["environment"]): GivenText | undefined {
  for (const prefix of PREFIXES) {
    for (const variable of variableNames(name)) {
      const value = environment[prefix + variable];
      if (value !== undefined && value !== "") return { text: value, origin: prefix + variable };
    }
  }
  return undefined;
}

function fileText(name: AnyName, texts: FlagTexts | undefined): GivenText | undefined {
  const text = texts?.get(name);
  return text === undefined || text === "" ? undefined : { text, origin: `${name} in the settings file` };
}

/** Flags whose value nobody repeats. */
export const secretFlags: ReadonlySet<FlagName> = new Set<FlagName>(["nodekeyhex", "bls-nodekeyhex"]);

function parseValue(name: FlagName, { text, origin }: GivenText): unknown {
  const { kind } = flags[name];
  try {
    return kind.parse(text);
  } catch (error) {
    const shown = secretFlags.has(name) ? "" : `, not ${JSON.stringify(text)}`;
    const wanted = (error as Error).message; // kinds throw errors that say what they want
    throw new OptionError("bad-value", `${origin} must be ${wanted}${shown}`, error);
  }
}

/** More than so many idle flags are told in one line: a settings file of a Go node may have dozens. */
const TOLD_ONE_BY_ONE = 3;

function judgeAbsent(sources: FlagSources): string[] {
  const idle: (GivenText & { readonly why: string })[] = [];
  for (const name of absentNames) {
    const found = givenText(name, sources);
    const { verdict, why, harmless } = absentFlags[name];
    if (found === undefined || found.text.toLowerCase() === harmless?.toLowerCase()) continue;
    if (verdict === "refused") throw new OptionError("absent-flag", `${found.origin} is refused: ${why}`);
    idle.push({ ...found, why });
  }
  if (idle.length <= TOLD_ONE_BY_ONE) return idle.map(({ origin, why }) => `${origin} does nothing: ${why}`);
  const some = idle.slice(0, TOLD_ONE_BY_ONE).map(({ origin }) => bare(origin));
  return [`${idle.length} settings do nothing here (${some.join(", ")}, ...): docs/flags.md says why`];
}

function bare(origin: string): string {
  return origin.replace(/ in the settings file$/, "");
}
