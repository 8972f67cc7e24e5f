/** Options of single commands, and of the settings file. */
import { booleanKind, duration, path, textKind } from "../options/kinds.ts";
import { ACCOUNT, DATA, optionGroup } from "../options/rows.ts";

const decoding = optionGroup("Decoding", ["decode"]);
const calling = optionGroup("Calling a node", ["rpc", "save-cache"]);
const reaching = optionGroup("Calling a node", ["rpc", "save-cache", "checkpoint-create"]);
const printing = optionGroup("Calling a node", ["rpc"]);
const version = optionGroup("Public networks", ["version"]);
const settings = optionGroup("Base", [
  ...DATA,
  ...ACCOUNT,
  "rpc",
  "save-cache",
  "attach",
  "wallet",
  "bootnode",
  "genesis",
]);

/** Rows of `knit decode`. */
export const decodeOptions = {
  type: decoding({
    flag: "decode.type",
    kind: textKind,
    summary: "type of the input; detected by default and reported on stderr",
    typed: "type",
    own: true,
  }),
};

/** Rows of `knit version`. */
export const versionOptions = {
  forks: version({
    flag: "forks",
    kind: booleanKind,
    default: false,
    summary: "print the forks that this version has rules for, with their blocks on the public networks",
    own: true,
  }),
};

/** Rows of the commands that call a running node. */
export const callingOptions = {
  endpoint: reaching({
    flag: "endpoint",
    kind: textKind,
    summary:
      "URL (http, https, ws, wss) or IPC socket of the node; the socket in the data directory by default",
    own: true,
  }),
  raw: printing({
    flag: "raw",
    kind: booleanKind,
    default: false,
    summary: "print the result unformatted, on one line",
    own: true,
  }),
  timeoutMs: calling({
    flag: "timeout",
    kind: duration,
    default: 60_000,
    summary: "time to wait for the response",
    own: true,
  }),
};

/** Rows of the settings file. */
export const settingsOptions = {
  file: settings({
    flag: "conf",
    kind: path,
    summary: "settings file: YAML, or properties such as RPC_ENABLE=1",
    aliases: ["homi-yaml", "yaml"],
    differs: "accepts properties, too",
  }),
  properties: settings({
    flag: "properties",
    kind: path,
    summary: "settings file with properties, as read by the Go node's daemon",
    own: true,
  }),
};
