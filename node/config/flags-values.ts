/**
 * Values of flags from their sources: defaults, then the settings file, then the environment, then the command
 * line. A later source overrides an earlier one; values of all sources are checked.
 */
import { developmentDefaults, type FlagName, type FlagValues, flagNames, flags } from "./flags.ts";
import { type AbsentName, absentFlags, absentNames, checksAbsentFlags } from "./flags-absent.ts";
import { type FlagCommand } from "./flags-rows.ts";
import { nearestWord } from "./nearest-word.ts";
import { OptionError } from "./options-error.ts";

/** Name of a flag of knit or of an absent flag of the Go nodes. */
export type AnyName = FlagName | AbsentName;

/** Texts of flags from one source. */
export type FlagTexts = ReadonlyMap<AnyName, string>;

/** The sources of flags. */
export interface FlagSources {
  readonly command: FlagCommand;
  /** The node type that the name of the executable stands for. */
  readonly type?: FlagValues["type"] | undefined;
  readonly file?: FlagTexts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly commandLine: FlagTexts;
}

/** Prefixes of environment variables in order of precedence; the last two are those of the Go nodes. */
const PREFIXES = ["KNIT_", "KLAYTN_", "KAIA_"] as const;

/** Variables of the Go nodes that differ from the flag's name; they are read after the regular ones. */
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

/** Values of all flags and their origins. */
export interface ResolvedFlags {
  readonly values: FlagValues;
  readonly given: ReadonlySet<FlagName>;
  /** Texts and origins of the given flags, for messages. */
  readonly origins: ReadonlyMap<FlagName, GivenText>;
  /** Warnings about flags without effect. */
  readonly warnings: readonly string[];
}

/**
 * Merges the sources. Throws `OptionError` `bad-value` with the flag and the origin of its value, and `absent-flag` for
 * a refused flag of the Go nodes.
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
  const warnings = checksAbsentFlags(sources.command) ? checkAbsentFlags(sources) : [];
  // the loop went through every row of the table
  return { values: values as FlagValues, given: new Set(origins.keys()), origins, warnings };
}

/** Returns the defaults that a command or a node type overrides. */
export function defaultsOf({ command, type }: Pick<FlagSources, "command" | "type">): Partial<FlagValues> {
  const named = type === undefined ? {} : { type };
  return command === "dev" ? { ...named, ...developmentDefaults } : named;
}

/** Returns the environment variables of a flag without their prefixes, such as RPCPORT for `--rpcport`. */
export function variableNames(name: AnyName): readonly string[] {
  const regular = name.toUpperCase().replace(/[.-]/g, "_");
  const other = VARIABLES[name];
  return other === undefined ? [regular] : [regular, other];
}

/** Returns ` (did you mean --rpcport?)`, or an empty text when no flag is similar. */
export function suggestion(name: string, prefix = ""): string {
  const names = flagNames.flatMap((each) => [each, ...flags[each].aliases]);
  const near = nearestWord(name, names);
  return near === undefined ? "" : ` (did you mean ${prefix}${near}?)`;
}

/** The text of a flag and its origin. */
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

/** An empty variable counts as unset, as in shells and compose files. */
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

/** Flags whose values are never printed. */
export const secretFlags: ReadonlySet<FlagName> = new Set<FlagName>(["nodekeyhex", "bls-nodekeyhex"]);

function parseValue(name: FlagName, { text, origin }: GivenText): unknown {
  const { kind } = flags[name];
  try {
    return kind.parse(text);
  } catch (error) {
    const found = secretFlags.has(name) ? "" : `, not ${JSON.stringify(text)}`;
    const expected = (error as Error).message; // errors of `Kind.parse`
    throw new OptionError("bad-value", `${origin} must be ${expected}${found}`, error);
  }
}

/** A larger number of ignored flags gives one warning: a settings file of a Go node may have dozens. */
const MAX_LISTED_WARNINGS = 3;

function checkAbsentFlags(sources: FlagSources): string[] {
  const ignored: (GivenText & { readonly why: string })[] = [];
  for (const name of absentNames) {
    const found = givenText(name, sources);
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
