/**
 * Settings as the Go node's daemon has them: a line for each property, as a shell assigns it (rpc.md 4.4). No shell
 * reads them: a value is plain text in which `$NAME` and `$((NAME + 1))` stand for properties of earlier lines.
 */
import { type FlagName, findFlag, flagNames, flags } from "./flags.ts";
import { absentFlags, absentNames, findAbsent } from "./flags-absent.ts";
import { nearest } from "./flags-nearest.ts";
import { type AnyName, type FlagTexts, variableNames } from "./flags-values.ts";
import { OptionError } from "./options-error.ts";

/** Flags by property, where the property is not the flag's environment variable. */
const FLAGS: Readonly<Record<string, AnyName>> = {
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

/** Properties that are no flag, but are read here, or by `knitd`. */
const OTHERS = ["NETWORK", "LOG_DIR", "ADDITIONAL", "AUTO_RESTART_NODE", "AUTO_RESTART_INTERVAL"] as const;

/** The daemon starts nodes and boot nodes. */
const started = flagNames.filter((name) =>
  flags[name].commands.some((each) => each === "run" || each === "bootnode"),
);

const byVariable = new Map<string, AnyName>(
  [...absentNames, ...started].flatMap((name) => variableNames(name).map((each) => [each, name] as const)),
);

/** True for text whose first line that says something assigns a property. */
export function isProperties(text: string): boolean {
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[A-Z][A-Z0-9_]*=/.test(text);
}

/**
 * Reads the lines; a property without a value sets nothing. Throws `OptionError` `bad-file`, `bad-value` or
 * `unknown-flag` with the line.
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
    if (flag === undefined && !OTHERS.some((each) => each === property))
      throw new OptionError("unknown-flag", `unknown property ${property} in ${where}${near(property)}`);
    if (flag !== undefined && value !== "") texts.set(flag, isSwitch(flag) ? String(value === "1") : value);
  }
  setOthers(properties, texts, fileName);
  return texts;
}

function assignment(line: string, where: string, earlier: ReadonlyMap<string, string>): [string, string] {
  const [, property = "", written = ""] = ASSIGNMENT.exec(line.trim()) ?? [];
  const value = property === "" ? undefined : valueOf(written, earlier);
  if (value !== undefined) return [property, value];
  throw new OptionError("bad-file", `${where} assigns no plain text to a property`);
}

/** A name and what stands behind it: in quotes, a sum, or without blanks; then nothing but a comment. */
const ASSIGNMENT = /^([A-Z][A-Z0-9_]*)=("[^"]*"|'[^']*'|\$\(\([^()]*\)\)|[^\s"'#]*)(?:\s+#.*)?$/;
/** What a shell would replace or act on. */
const SPECIAL = /[$`\\;&|<>()"']/;

/** The value without its quotes; `undefined` when it says something that only a shell understands. */
function valueOf(written: string, properties: ReadonlyMap<string, string>): string | undefined {
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
  return Object.hasOwn(FLAGS, property) ? FLAGS[property] : byVariable.get(property);
}

function isSwitch(name: AnyName): boolean {
  const found = findFlag(name);
  if (found !== undefined) return flags[found].kind.hint === "";
  const absent = findAbsent(name);
  return absent !== undefined && absentFlags[absent].isSwitch;
}

/** What the daemon does with the properties that are no flag. */
function setOthers(
  properties: ReadonlyMap<string, string>,
  texts: Map<AnyName, string>,
  fileName: string,
): void {
  const { NETWORK, LOG_DIR, ADDITIONAL } = Object.fromEntries(properties);
  if (NETWORK && !texts.has("networkid")) texts.set(networkOf(NETWORK, fileName), "true");
  if (LOG_DIR && !texts.has("log.file")) texts.set("log.file", `${LOG_DIR}/knitd.out`);
  for (const [name, text] of additional(ADDITIONAL ?? "", fileName)) texts.set(name, text);
}

function networkOf(word: string, fileName: string): FlagName {
  const found = findFlag(word);
  if (found === "mainnet" || found === "kairos") return found;
  throw new OptionError("bad-value", `NETWORK in ${fileName} must be mainnet or kairos, not ${word}`);
}

/** Flags as they would stand on the command line. */
function* additional(line: string, fileName: string): Generator<[AnyName, string]> {
  const words = line.split(/\s+/).filter((word) => word !== "");
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, typed = word, value] = /^--?([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    const name = word.startsWith("-") ? (findFlag(typed) ?? findAbsent(typed)) : undefined;
    if (name === undefined)
      throw new OptionError("unknown-flag", `ADDITIONAL in ${fileName}: there is no flag ${word}`);
    yield [name, value ?? (isSwitch(name) ? "true" : (words.shift() ?? ""))];
  }
}

function near(property: string): string {
  const found = nearest(property, [...Object.keys(FLAGS), ...OTHERS, ...byVariable.keys()]);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}
