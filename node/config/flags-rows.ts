/** Rows of the flag table: the commands that accept flags, the headings of help, and a builder of rows for a heading. */
import type { Kind } from "./flags-kinds.ts";

/** The commands that accept flags. */
export type FlagCommand =
  | "run"
  | "dev"
  | "bootnode"
  | "init"
  | "import"
  | "export"
  | "verify"
  | "size"
  | "rewind"
  | "decode"
  | "dumpgenesis"
  | "rpc"
  | "save-cache"
  | "attach"
  | "console"
  | "wallet"
  | "config"
  | "genesis"
  | (typeof ACCOUNT)[number];

/** The commands for key files. */
export const ACCOUNT = [
  "account-list",
  "account-new",
  "account-update",
  "account-import",
  "account-export",
  "account-bls-new",
  "account-bls-info",
  "account-bls-import",
  "account-bls-export",
] as const;

/** The commands that write key files of accounts. */
export const KEY_WRITING: readonly FlagCommand[] = ["account-new", "account-update", "account-import"];
/** The commands that write key files of BLS keys. */
export const BLS_WRITING: readonly FlagCommand[] = ["account-bls-new", "account-bls-import"];

/** The headings of flags in help, in order. */
export const flagGroups = [
  "Development chain",
  "Chain file",
  "Decoding",
  "Public networks",
  "Network maker",
  "Genesis",
  "Calling a node",
  "Console",
  "Base",
  "Network",
  "HTTP",
  "WebSocket",
  "IPC",
  "RPC",
  "Accounts",
  "Transaction pool",
  "State and database",
  "Consensus",
  "Metrics",
  "Log",
] as const;

/** A heading of help. */
export type FlagGroup = (typeof flagGroups)[number];

/** One flag. `fallback` is its default; `undefined` means that the flag may be absent. */
export interface Flag<T> {
  readonly kind: Kind<T>;
  readonly fallback: T | undefined;
  readonly group: FlagGroup;
  readonly summary: string;
  /** The commands that accept the flag. */
  readonly commands: readonly FlagCommand[];
  /** Other names; the dotted ones are those of the Go node's settings file. */
  readonly aliases: readonly string[];
}

/** The commands that run a node, and `config`, which prints its settings. */
export const NODE: readonly FlagCommand[] = ["run", "dev", "console", "config"];
/** The commands that have a data directory. */
export const DATA: readonly FlagCommand[] = [
  "run",
  "dev",
  "console",
  "init",
  "import",
  "export",
  "verify",
  "size",
  "rewind",
  "config",
];

/** Returns builders of the rows under one heading. */
export function rows(group: FlagGroup, commands: readonly FlagCommand[]) {
  return {
    /** A flag with a default. */
    flag: <T>(kind: Kind<T>, fallback: T, summary: string, ...aliases: string[]) => {
      return { kind, fallback, group, summary, commands, aliases };
    },
    /** A flag that may be absent. */
    maybe: <T>(kind: Kind<T>, summary: string, ...aliases: string[]): Flag<T> => {
      return { kind, fallback: undefined, group, summary, commands, aliases };
    },
  };
}
