/** How rows of the flag table are made: the commands, the headings of help, and a maker of rows for each heading. */
import type { Kind } from "./flags-kinds.ts";

/** The commands that take flags. */
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

/** The commands about key files. */
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

/** The commands that write key files of BLS keys. */
export const BLS_WRITING: readonly FlagCommand[] = ["account-bls-new", "account-bls-import"];

/** The headings under which help shows flags, in its order. */
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

/** One flag. A default of `undefined` means that its absence has a meaning of its own. */
export interface Flag<T> {
  readonly kind: Kind<T>;
  readonly fallback: T | undefined;
  readonly group: FlagGroup;
  readonly summary: string;
  /** The commands that take it. */
  readonly commands: readonly FlagCommand[];
  /** Other names; the Go node's settings file uses the dotted ones. */
  readonly aliases: readonly string[];
}

/** The commands that run a node, and the one that shows what it would run with. */
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

/** Makes the rows of one heading: kind, default, summary, and the other names. */
export function rows(group: FlagGroup, commands: readonly FlagCommand[]) {
  return {
    /** A flag with a default. */
    flag: <T>(kind: Kind<T>, fallback: T, summary: string, ...aliases: string[]) => {
      return { kind, fallback, group, summary, commands, aliases };
    },
    /** A flag whose absence means something. */
    maybe: <T>(kind: Kind<T>, summary: string, ...aliases: string[]): Flag<T> => {
      return { kind, fallback: undefined, group, summary, commands, aliases };
    },
  };
}
