/**
 * Option rows. Each room says its options as rows in its `options.ts`; the types of its options follow from them, and
 * `cli/flags.ts` collects the rows of all rooms. Here are the shape of a row, the commands that accept flags and the
 * headings of help.
 */
import type { Kind } from "./kinds.ts";

/** The commands that accept flags. */
export type FlagCommand =
  | "run"
  | "dev"
  | "bootnode"
  | "init"
  | "import"
  | "import-go"
  | "export"
  | "verify"
  | "size"
  | "rewind"
  | "checkpoint-create"
  | "checkpoint-verify"
  | "checkpoint-push"
  | "checkpoint-pull"
  | "checkpoint-list"
  | "decode"
  | "dumpgenesis"
  | "rpc"
  | "save-cache"
  | "attach"
  | "console"
  | "wallet"
  | "config"
  | "genesis"
  | "version"
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
  "Checkpoint",
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

/** The commands that run a node, and `config`, which prints its settings. */
export const NODE: readonly FlagCommand[] = ["run", "dev", "console", "config"];
/** The commands that have a data directory. */
export const DATA: readonly FlagCommand[] = [
  "run",
  "dev",
  "console",
  "init",
  "import",
  "import-go",
  "export",
  "verify",
  "size",
  "rewind",
  "checkpoint-create",
  "checkpoint-push",
  "config",
];

/** One option and the flag that sets it: help, documentation, checks and completion are made from such rows. */
export interface OptionRow<T> {
  /** Name of the flag, without dashes. */
  readonly flag: string;
  readonly kind: Kind<unknown>;
  /** `undefined` for an option that may be absent. */
  readonly default: T;
  /** Default of `knit dev`, where it differs. */
  readonly development: T | undefined;
  readonly group: FlagGroup;
  readonly summary: string;
  /** The commands that accept the flag. */
  readonly commands: readonly FlagCommand[];
  /** Name under which the commands accept it, where another command has a flag of that name. */
  readonly typed: string | undefined;
  /** Other names; the dotted ones are those of the Go node's settings file. */
  readonly aliases: readonly string[];
  /** The Go node's environment variable without its prefix, where it differs from the flag's name. */
  readonly variable: string | undefined;
  /** Properties of the Go node's daemon (`kcnd.conf`) that differ from the environment variables. */
  readonly properties: readonly string[];
  /** True when neither the Go nodes nor their network maker have the flag. */
  readonly own: boolean;
  /** Difference from the flag of the Go node; `undefined` for none. */
  readonly differs: string | undefined;
}

/** A row as a room writes it. */
interface WrittenRow<T> {
  readonly flag: string;
  readonly kind: Kind<T>;
  readonly summary: string;
  readonly development?: NoInfer<T>;
  readonly typed?: string;
  readonly aliases?: readonly string[];
  readonly variable?: string;
  readonly properties?: readonly string[];
  readonly own?: true;
  readonly differs?: string;
}

/** Creates rows of one heading and of the same commands. A row without a default may be absent. */
interface RowBuilder {
  <T>(row: WrittenRow<T> & { readonly default: NoInfer<T> }): OptionRow<T>;
  <T>(row: WrittenRow<T>): OptionRow<T | undefined>;
}

/** Returns the builder of the rows that a heading of help and some commands share. */
export function optionGroup(group: FlagGroup, commands: readonly FlagCommand[]): RowBuilder {
  return <T>(row: WrittenRow<T> & { readonly default?: T }): OptionRow<T> => ({
    development: undefined,
    typed: undefined,
    aliases: [],
    variable: undefined,
    properties: [],
    own: false,
    differs: undefined,
    ...row,
    default: row.default as T, // `undefined` for the signature without a default, whose T includes it
    group,
    commands,
  });
}

/** The options of one part of the program, by the member of its options. */
export type OptionRows = Readonly<Record<string, OptionRow<unknown>>>;

/** Values of options. */
export type ValuesOf<Rows extends OptionRows> = {
  readonly [Member in keyof Rows]: Rows[Member] extends OptionRow<infer T> ? T : never;
};

/** Returns the defaults. */
export function defaultsOf<Rows extends OptionRows>(rows: Rows): ValuesOf<Rows> {
  const entries = Object.entries(rows).map(([member, row]) => [member, row.default]);
  return Object.fromEntries(entries) as ValuesOf<Rows>; // the members and defaults of `rows`
}
