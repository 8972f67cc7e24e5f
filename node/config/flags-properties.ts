/** Settings as the Go node's daemon has them: a line for each property, as a shell assigns it (rpc.md 4.4). */
import { type FlagName, findFlag } from "./flags.ts";
import { nearest } from "./flags-nearest.ts";
import type { FlagTexts } from "./flags-values.ts";
import { OptionError } from "./options-error.ts";

/** Flags by property, where the names are not one but for their case. */
const FLAGS: Readonly<Record<string, FlagName>> = {
  NETWORK_ID: "networkid",
  SERVER_TYPE: "srvtype",
  TXPOOL_EXEC_SLOTS_ALL: "txpool.exec-slots.all",
  TXPOOL_NONEXEC_SLOTS_ALL: "txpool.nonexec-slots.all",
  TXPOOL_EXEC_SLOTS_ACCOUNT: "txpool.exec-slots.account",
  TXPOOL_NONEXEC_SLOTS_ACCOUNT: "txpool.nonexec-slots.account",
  TXPOOL_LIFE_TIME: "txpool.lifetime",
  RPC_ENABLE: "rpc",
  RPC_API: "rpcapi",
  RPC_PORT: "rpcport",
  RPC_ADDR: "rpcaddr",
  RPC_CORSDOMAIN: "rpccorsdomain",
  RPC_VHOSTS: "rpcvhosts",
  RPC_CONCURRENCYLIMIT: "rpc.concurrencylimit",
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
  KEY_PATH: "nodekey",
  AUTHORIZED_NODES: "authorized-nodes",
  DATA_DIR: "datadir",
};

/** Properties that are 1 or 0. */
const SWITCHES: ReadonlySet<string> = new Set([
  "RPC_ENABLE",
  "WS_ENABLE",
  "METRICS",
  "PROMETHEUS",
  "NO_DISCOVER",
]);

/** True for text whose first line that says something assigns a property. */
export function isProperties(text: string): boolean {
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[A-Z][A-Z0-9_]*=/.test(text);
}

/** Reads the lines; a property without a value sets nothing. Throws `OptionError` `bad-file` or `unknown-flag`. */
export function readProperties(text: string, fileName: string): FlagTexts {
  const texts = new Map<FlagName, string>();
  for (const [index, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const where = `line ${index + 1} of ${fileName}`;
    const [, property = "", plain, double, single] = ASSIGNMENT.exec(trimmed) ?? [];
    const value = plain ?? double ?? single;
    if (value === undefined) {
      throw new OptionError("bad-file", `${where} assigns no plain text to a property`);
    }
    const flag = flagOf(property);
    if (flag === undefined)
      throw new OptionError("unknown-flag", `unknown property ${property} in ${where}${near(property)}`);
    if (value !== "") texts.set(flag, SWITCHES.has(property) ? String(value === "1") : value);
  }
  return texts;
}

/** A name and a text, in quotes or without blanks; nothing that a shell would put in its place. */
const ASSIGNMENT = /^([A-Z][A-Z0-9_]*)=(?:([^\s"'$`\\#;&|<>()]*)|"([^"$`\\]*)"|'([^']*)')(?:\s+#.*)?$/;

function flagOf(property: string): FlagName | undefined {
  return Object.hasOwn(FLAGS, property) ? FLAGS[property] : findFlag(property.toLowerCase());
}

function near(property: string): string {
  const found = nearest(property, Object.keys(FLAGS));
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}
