/**
 * The settings file: either YAML under flag names or the Go node's dotted names, nested or flat, or the properties of
 * the Go node's daemon (`kcnd.conf`), one shell assignment a line. No shell reads the properties: a value is plain text
 * in which `$NAME` and `$((NAME + 1))` refer to properties of earlier lines.
 */
import { readFile } from "node:fs/promises";
import { type FlagName, findFlag, flagNames, flags } from "./flags.ts";
import { absentFlags, absentNames, findAbsentFlag } from "./flags-absent.ts";
import { type AnyName, type FlagTexts, suggestion, variableNames } from "./flags-values.ts";
import { nearestWord } from "./nearest-word.ts";
import { OptionError } from "./options-error.ts";

/** Reads the file at `fileName`. Throws `OptionError` `bad-file` or `unknown-flag`. */
export async function readSettingsFile(fileName: string): Promise<FlagTexts> {
  return readSettings(await readText(fileName), fileName);
}

/** Reads a file of properties. Throws as `readSettingsFile`. */
export async function readPropertiesFile(fileName: string): Promise<FlagTexts> {
  return readProperties(await readText(fileName), fileName);
}

function readText(fileName: string): Promise<string> {
  return readFile(fileName, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new OptionError("bad-file", `cannot read the settings file: ${error.message}`, error);
  });
}

/** Reads the text of a settings file; `fileName` appears in messages. */
export async function readSettings(text: string, fileName: string): Promise<FlagTexts> {
  return hasProperties(text) ? readProperties(text, fileName) : readYaml(text, fileName);
}

async function readYaml(yamlText: string, fileName: string): Promise<FlagTexts> {
  const texts = new Map<AnyName, string>();
  for (const [key, value] of flatten(await parseYaml(yamlText, fileName), "")) {
    const name = findFlag(key) ?? findAbsentFlag(key);
    if (!name)
      throw new OptionError("unknown-flag", `unknown setting ${key} in ${fileName}${suggestion(key)}`);
    texts.set(name, value);
  }
  return texts;
}

/** Parses YAML. Scalars stay text, so that the parsers of the flags receive `0x..` and `1.10` as written. */
async function parseYaml(yamlText: string, fileName: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(yamlText, { schema: "failsafe" });
  } catch (error) {
    const [firstLine] = (error as Error).message.split("\n"); // the library throws errors
    throw new OptionError("bad-file", `${fileName} is not YAML: ${firstLine}`, error);
  }
}

function* flatten(value: unknown, prefix: string): Generator<[string, string]> {
  if (typeof value === "string") yield [prefix, value];
  else if (Array.isArray(value))
    yield [prefix, value.map((item) => (typeof item === "string" ? item : "")).join(",")];
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value))
      yield* flatten(inner, prefix === "" ? key : `${prefix}.${key}`);
  }
}

/** Flags by property, for properties that differ from the flag's environment variable. */
const FLAGS_BY_PROPERTY: Readonly<Record<string, AnyName>> = {
  NETWORK_ID: "networkid",
  SERVER_TYPE: "srvtype",
  LDBCACHESIZE: "db.leveldb.cache-size",
  PDBCACHESIZE: "db.pebbledb.cache-size",
  TXPOOL_LIFE_TIME: "txpool.lifetime",
  RPC_ENABLE: "rpc",
  RPC_API: "rpcapi",
  RPC_PORT: "rpcport",
  RPC_ADDR: "rpcaddr",
  RPC_CORSDOMAIN: "rpccorsdomain",
  RPC_VHOSTS: "rpcvhosts",
  RPC_READ_TIMEOUT: "rpcreadtimeout",
  RPC_WRITE_TIMEOUT: "rpcwritetimeout",
  RPC_IDLE_TIMEOUT: "rpcidletimeout",
  RPC_EXECUTION_TIMEOUT: "rpcexecutiontimeout",
  WS_ENABLE: "ws",
  WS_API: "wsapi",
  WS_PORT: "wsport",
  WS_ADDR: "wsaddr",
  WS_ORIGINS: "wsorigins",
  NO_DISCOVER: "nodiscover",
  AUTO_RESTART: "autorestart.enable",
  LOG_MAXBACKUPS: "log.maxbackups",
  KEY_PATH: "nodekey",
  DATA_DIR: "datadir",
  DB_TYPE: "dbtype",
  DB_DYNAMO_TABLENAME: "db.dynamo.tablename",
  DB_DYNAMO_REGION: "db.dynamo.region",
  STATEDB_REDIS_ENDPOINTS: "statedb.cache.redis.endpoints",
  STATEDB_REDIS_CLUSTER: "statedb.cache.redis.cluster",
  STATEDB_REDIS_PUBLISH: "statedb.cache.redis.publish",
  STATEDB_REDIS_SUBSCRIBE: "statedb.cache.redis.subscribe",
  SC_MAIN_BRIDGE: "mainbridge",
  SC_MAIN_BRIDGE_PORT: "mainbridgeport",
  SC_MAIN_BRIDGE_INDEXING: "childchainindexing",
  KES_NODETYPE_SERVICE_ENABLE: "kes.nodetype.service",
};

/** Properties without a flag; this file or `knitd` reads them. */
const OTHER_PROPERTIES = [
  "NETWORK",
  "LOG_DIR",
  "ADDITIONAL",
  "AUTO_RESTART_NODE",
  "AUTO_RESTART_INTERVAL",
] as const;

/** Flags of nodes and boot nodes, which are the programs of the daemon. */
const daemonFlags = flagNames.filter((name) =>
  flags[name].commands.some((each) => each === "run" || each === "bootnode"),
);

const byVariable = new Map<string, AnyName>(
  [...absentNames, ...daemonFlags].flatMap((name) =>
    variableNames(name).map((each) => [each, name] as const),
  ),
);

/** True when the first line that is neither blank nor a comment assigns a property. */
export function hasProperties(text: string): boolean {
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[A-Z][A-Z0-9_]*=/.test(text);
}

/**
 * Reads properties; one without a value sets nothing. Throws `OptionError` `bad-file`, `bad-value` or `unknown-flag`
 * with the line.
 */
export function readProperties(text: string, fileName: string): FlagTexts {
  const properties = new Map<string, string>();
  const texts = new Map<AnyName, string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const where = `line ${index + 1} of ${fileName}`;
    const [property, value] = assignment(line, where, properties);
    properties.set(property, value);
    const flag = flagOf(property);
    if (flag === undefined && !OTHER_PROPERTIES.some((each) => each === property))
      throw new OptionError(
        "unknown-flag",
        `unknown property ${property} in ${where}${propertySuggestion(property)}`,
      );
    if (flag !== undefined && value !== "") texts.set(flag, isSwitch(flag) ? String(value === "1") : value);
  }
  applyOthers(properties, texts, fileName);
  return texts;
}

function assignment(line: string, where: string, earlier: ReadonlyMap<string, string>): [string, string] {
  const [, property = "", written = ""] = ASSIGNMENT.exec(line.trim()) ?? [];
  const value = property === "" ? undefined : plainValue(written, earlier);
  if (value !== undefined) return [property, value];
  throw new OptionError("bad-file", `${where} assigns no plain text to a property`);
}

/** A name, then a quoted text, a sum or a word, then at most a comment. */
const ASSIGNMENT = /^([A-Z][A-Z0-9_]*)=("[^"]*"|'[^']*'|\$\(\([^()]*\)\)|[^\s"'#]*)(?:\s+#.*)?$/;
/** Characters that a shell would expand or interpret. */
const SPECIAL = /[$`\\;&|<>()"']/;

/** Returns the value without its quotes, or `undefined` when it needs a shell. */
function plainValue(written: string, properties: ReadonlyMap<string, string>): string | undefined {
  if (written.startsWith("'")) return written.slice(1, -1);
  const inner = written.startsWith('"') ? written.slice(1, -1) : written;
  const replaced = inner
    .replace(/\$\(\( *([A-Z][A-Z0-9_]*) *\+ *(\d{1,9}) *\)\)/g, (all: string, name: string, more: string) =>
      /^\d{1,9}$/.test(properties.get(name) ?? "")
        ? String(Number(properties.get(name)) + Number(more))
        : all,
    )
    .replace(
      /\$(?:([A-Z][A-Z0-9_]*)|\{([A-Z][A-Z0-9_]*)\})/g,
      (all: string, plain?: string, braced?: string) => {
        return properties.get(plain ?? braced ?? "") ?? all;
      },
    );
  return SPECIAL.test(replaced) ? undefined : replaced;
}

function flagOf(property: string): AnyName | undefined {
  return Object.hasOwn(FLAGS_BY_PROPERTY, property) ? FLAGS_BY_PROPERTY[property] : byVariable.get(property);
}

function isSwitch(name: AnyName): boolean {
  const found = findFlag(name);
  if (found !== undefined) return flags[found].kind.hint === "";
  const absent = findAbsentFlag(name);
  return absent !== undefined && absentFlags[absent].isSwitch;
}

/** Applies the properties without a flag as the Go node's daemon does. */
function applyOthers(
  properties: ReadonlyMap<string, string>,
  texts: Map<AnyName, string>,
  fileName: string,
): void {
  const { NETWORK, LOG_DIR, ADDITIONAL } = Object.fromEntries(properties);
  if (NETWORK && !texts.has("networkid")) texts.set(networkOf(NETWORK, fileName), "true");
  if (LOG_DIR && !texts.has("log.file")) texts.set("log.file", `${LOG_DIR}/knitd.out`);
  for (const [name, text] of additionalFlags(ADDITIONAL ?? "", fileName)) texts.set(name, text);
}

function networkOf(word: string, fileName: string): FlagName {
  const found = findFlag(word);
  if (found === "mainnet" || found === "kairos") return found;
  throw new OptionError("bad-value", `NETWORK in ${fileName} must be mainnet or kairos, not ${word}`);
}

/** Parses `ADDITIONAL`, whose flags are written as on the command line. */
function* additionalFlags(line: string, fileName: string): Generator<[AnyName, string]> {
  const words = line.split(/\s+/).filter((word) => word !== "");
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, typed = word, value] = /^--?([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    const name = word.startsWith("-") ? (findFlag(typed) ?? findAbsentFlag(typed)) : undefined;
    if (name === undefined)
      throw new OptionError("unknown-flag", `ADDITIONAL in ${fileName}: there is no flag ${word}`);
    yield [name, value ?? (isSwitch(name) ? "true" : (words.shift() ?? ""))];
  }
}

function propertySuggestion(property: string): string {
  const found = nearestWord(property, [
    ...Object.keys(FLAGS_BY_PROPERTY),
    ...OTHER_PROPERTIES,
    ...byVariable.keys(),
  ]);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}
