/** The commands of `knit`, and what they ask of the node. */
import type { FlagCommand } from "../config/flags.ts";
import type { NodeOptions } from "../config/options.ts";
import type { Progress } from "../observe/progress.ts";

/** One command: a row of help and of the command line. */
export interface Command {
  readonly name: FlagCommand | "version";
  /** As typed; words between spaces. */
  readonly words: string;
  /** Its argument, if it takes one. */
  readonly argument?: string;
  readonly summary: string;
}

/** All commands in the order of help. */
export const commands: readonly Command[] = [
  { name: "run", words: "run", summary: "runs a node (what knit does without a command)" },
  {
    name: "dev",
    words: "dev",
    summary: "runs a new chain of one node with funded accounts, for development",
  },
  { name: "init", words: "init", argument: "GENESIS", summary: "writes a genesis into a data directory" },
  {
    name: "import",
    words: "import",
    argument: "FILE",
    summary: "imports blocks from a file (.gz is unpacked)",
  },
  { name: "export", words: "export", argument: "FILE", summary: "writes blocks to a file (.gz is packed)" },
  { name: "verify", words: "db verify", summary: "compares flat state, trie and state root" },
  { name: "version", words: "version", summary: "prints the version" },
];

/** Where a running node answers; what is not served is missing. */
export interface Endpoints {
  readonly http?: string | undefined;
  readonly ws?: string | undefined;
  readonly ipc?: string | undefined;
  readonly metrics?: string | undefined;
}

/** A funded account of a development chain, `0x` texts. */
export interface DevelopmentAccount {
  readonly address: string;
  readonly privateKey: string;
}

/** A node that is open. Disposing it closes everything in reverse order. */
export interface RunningNode extends AsyncDisposable {
  readonly endpoints: Endpoints;
  /** Set on a development chain. */
  readonly developmentAccounts?: readonly DevelopmentAccount[] | undefined;
  /** Resolves with the reason when the node cannot go on by itself, as when its disk fails. */
  readonly failure?: Promise<Error> | undefined;
}

/** Which blocks to export. */
export interface BlockRange {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** What a chain file's import or export did. */
export interface ChainFileResult {
  /** Blocks imported or written. */
  readonly blocks: number;
  /** The newest block of the chain. */
  readonly head: number;
}

/** A chain file and how far it is; progress counts blocks. */
export interface ChainFileJob {
  readonly file: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What commands do with a node; loaded when a command needs it, so that `knit version` stays fast. */
export interface NodeCommands {
  openNode(options: NodeOptions, signal: AbortSignal): Promise<RunningNode>;
  /** Writes block 0; `hash` is its `0x` text. */
  initDatadir(options: NodeOptions, genesisText: string): Promise<{ readonly hash: string }>;
  importChain(options: NodeOptions, job: ChainFileJob): Promise<ChainFileResult>;
  exportChain(options: NodeOptions, job: ChainFileJob & BlockRange): Promise<ChainFileResult>;
  /** Throws when something disagrees; `accounts` is how many were compared. */
  verifyDatabase(
    options: NodeOptions,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<{ readonly accounts: number; readonly head: number }>;
}
