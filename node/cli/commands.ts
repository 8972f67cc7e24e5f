/** The commands of `knit`, and what they ask of the node. */

import type { DevelopmentAccount } from "../compose/accounts.ts";
import type { NodeEndpoints } from "../compose/node.ts";
import type {
  Compared,
  DatabaseSize,
  ExportJob,
  FileResult,
  ImportJob,
  ImportResult,
} from "../compose/offline-jobs.ts";
import type { FlagCommand } from "../config/flags-rows.ts";
import type { NodeOptions } from "../config/options.ts";
import type { AdjustableLog } from "../observe/log.ts";
import type { Progress } from "../observe/progress.ts";
import { decodeDetails } from "./decode-names.ts";

/** One command: a row of help and of the command line. */
export interface Command {
  readonly name: FlagCommand | "completion" | "version";
  /** As typed; words between spaces. */
  readonly words: string;
  /** What it is about, if anything: `<one>`, `<more...>`, `[may be left out]`. */
  readonly arguments?: readonly string[];
  /** What is said when the first argument is missing; the library's words when there is nothing better. */
  readonly missing?: string;
  readonly summary: string;
  /** What help says after the flags. */
  readonly details?: string;
}

const IMPORT_DETAILS = `
Blocks that are there already are skipped, so an import goes on where an earlier one ended, however that was.
Ctrl-C finishes the block under way and says how far the import came (exit code 130; 143 after SIGTERM); a second
one ends at once, and loses nothing that was reported. Blocks before a fault in a file stay (exit code 1).
`;

const RPC_DETAILS = `
PARAMS is one JSON array, or one word for each parameter: a word that is JSON is taken as that, any other as text.

  knit rpc chain_blockNumber
  knit rpc chain_getBalance 0x75a59b94889a05c03c66c3c84e9d2f8308ca4abd latest
  knit rpc --endpoint http://127.0.0.1:8551 eth_getLogs '[{"fromBlock":"0x1"}]'

Exit code 0 with the result, 2 with the node's error, 1 when there was no answer.
`;

const ATTACH_DETAILS = `
ENDPOINT is a URL (http, https, ws, wss) or a socket; the one in the data directory by default.

  knit attach
  knit attach http://127.0.0.1:8551
  knit attach --exec 'klay.getBlock("latest").number'

exit or Ctrl-D leaves, Ctrl-C drops what is typed, Tab completes. Commands are kept in <datadir>/history, but none
that takes a passphrase and none that begins with a space.
`;

const WALLET_DETAILS = `
FILE holds the words, - is standard input. The wallet is encrypted with the first line of --password FILE; what is
printed is its URL. On a running node it is opened, and accounts of it are kept, by two calls:

  knit rpc personal_openWallet hdwallet:///... PASSPHRASE
  knit rpc personal_deriveAccount hdwallet:///... "m/44'/60'/0'/0/0" true
`;

const UPDATE_DETAILS = `
An account is its address or its place in the list. Passphrases are asked for, or read from --password FILE: the first
line opens each account, the second is the new passphrase; with one line that stays as it is.
`;

const BLS_DETAILS = `
The key file (EIP-2335) is bls-keystore-ADDRESS.json in the working directory. knit account bls-export puts its key
where a node finds it, <datadir>/knit/bls-nodekey; a node without that file has the key that follows from its node key.
`;

const GENESIS_DETAILS = `
TYPE is what the network is to run on: local (a script starts processes), remote (files alone, for machines of their
own), compose or docker, kubernetes (manifests for knit-operator). Forks begin at block 0 unless something else is said.

  knit genesis --cn-num 4 --pn-num 1 --en-num 1 --test-num 2 local && ./knit-network/start.sh
  knit genesis --cn-num 4 --genesis-type kairos --osaka-compatible-blocknumber never kubernetes
`;

const COMPLETION_DETAILS = `
  source <(knit completion bash)                                    in ~/.bashrc
  source <(knit completion zsh)                                     in ~/.zshrc, behind compinit
  knit completion fish > ~/.config/fish/completions/knit.fish
`;

/** All commands in the order of help. */
export const commands: readonly Command[] = [
  { name: "run", words: "run", summary: "runs a node (what knit does without a command)" },
  {
    name: "dev",
    words: "dev",
    summary: "runs a new chain of one node with funded accounts, for development",
  },
  { name: "bootnode", words: "bootnode", summary: "runs a boot node, from which nodes find each other" },
  {
    name: "init",
    words: "init",
    arguments: ["<GENESIS>"],
    missing: "Must supply path to genesis JSON file",
    summary: "writes a genesis into a data directory",
  },
  {
    name: "genesis",
    words: "genesis",
    arguments: ["[TYPE]"],
    summary: "makes a network: keys, genesis, static nodes; for processes, compose or Kubernetes",
    details: GENESIS_DETAILS,
  },
  {
    name: "import",
    words: "import",
    arguments: ["<FILE...>"],
    summary: "imports blocks from files (.gz is unpacked); goes on where it was",
    details: IMPORT_DETAILS,
  },
  {
    name: "export",
    words: "export",
    arguments: ["<FILE>", "[FIRST]", "[LAST]"],
    summary: "writes blocks to a new file (.gz is packed)",
  },
  {
    name: "rewind",
    words: "db rewind",
    arguments: ["<NUMBER>"],
    summary: "takes the chain back to a recent block; later blocks are gone",
  },
  { name: "verify", words: "db verify", summary: "compares flat state, trie and state root" },
  { name: "size", words: "db size", summary: "tells what takes the disk, by kind" },
  { name: "dumpgenesis", words: "dumpgenesis", summary: "prints a public network's genesis file" },
  {
    name: "decode",
    words: "decode",
    arguments: ["<HEX|FILE>"],
    summary: "shows bytes of the chain as JSON: transactions, blocks, keys and more",
    details: decodeDetails(),
  },
  {
    name: "rpc",
    words: "rpc",
    arguments: ["<METHOD>", "[PARAMS...]"],
    summary: "calls a method of a running node and prints its answer",
    details: RPC_DETAILS,
  },
  {
    name: "save-cache",
    words: "save-cache",
    summary: "has a running node save its trie nodes for the next start, and waits for it",
  },
  {
    name: "attach",
    words: "attach",
    arguments: ["[ENDPOINT]"],
    summary: "opens a JavaScript console on a running node",
    details: ATTACH_DETAILS,
  },
  { name: "console", words: "console", summary: "runs a node with such a console; it stops with it" },
  { name: "account-list", words: "account list", summary: "prints the accounts of the key store" },
  { name: "account-new", words: "account new", summary: "makes an account and prints its address" },
  {
    name: "account-update",
    words: "account update",
    arguments: ["<ADDRESS...>"],
    missing: "No accounts specified to update",
    summary: "writes key files anew under another passphrase",
    details: UPDATE_DETAILS,
  },
  {
    name: "account-import",
    words: "account import",
    arguments: ["<KEYFILE>"],
    missing: "keyfile must be given as argument",
    summary: "makes an account of a private key (64 hex digits in a file)",
  },
  {
    name: "account-export",
    words: "account export",
    summary: "makes a key file's key the node key of the data directory",
  },
  {
    name: "account-bls-new",
    words: "account bls-new",
    summary: "makes a BLS key that does not follow from the node key, as a key file",
    details: BLS_DETAILS,
  },
  {
    name: "account-bls-info",
    words: "account bls-info",
    arguments: ["[ENDPOINT]"],
    summary: "writes what a validator registers: its BLS public key and the proof that it has the key",
  },
  {
    name: "account-bls-import",
    words: "account bls-import",
    summary: "writes the node's BLS key as a key file",
    details: BLS_DETAILS,
  },
  {
    name: "account-bls-export",
    words: "account bls-export",
    summary: "makes a BLS key file's key the BLS key of the data directory",
  },
  {
    name: "wallet",
    words: "wallet import",
    arguments: ["<FILE>"],
    summary: "keeps a mnemonic (12 to 24 English words) as an encrypted HD wallet",
    details: WALLET_DETAILS,
  },
  {
    name: "config",
    words: "config",
    arguments: ["[FLAG...]"],
    summary: "shows what a node would run with, and where it is from; the bare values of FLAGs",
  },
  {
    name: "completion",
    words: "completion",
    arguments: ["<SHELL>"],
    summary: "prints what makes bash, zsh or fish complete commands and flags",
    details: COMPLETION_DETAILS,
  },
  { name: "version", words: "version", summary: "prints the version" },
];

/** A node that is open. Disposing it closes everything in reverse order. */
export interface RunningNode extends AsyncDisposable {
  readonly endpoints: Partial<NodeEndpoints>;
  /** Set on a development chain. */
  readonly developmentAccounts?: readonly DevelopmentAccount[] | undefined;
  /** Resolves with the reason when the node cannot go on by itself, as when its disk fails. */
  readonly failure?: Promise<Error> | undefined;
}

/** What commands do with a node; loaded when a command needs it, so that `knit version` stays fast. */
export interface NodeCommands {
  openNode(options: NodeOptions, signal: AbortSignal, log: AdjustableLog): Promise<RunningNode>;
  /** Writes block 0; `hash` is its `0x` text. */
  initDatadir(options: NodeOptions, genesisText: string): Promise<{ readonly hash: string }>;
  importChain(options: NodeOptions, job: ImportJob): Promise<ImportResult>;
  exportChain(options: NodeOptions, job: ExportJob): Promise<FileResult>;
  /** Takes the chain back to a block; `head` is the newest block then. */
  rewindChain(options: NodeOptions, number: number): Promise<FileResult>;
  /** Bytes of each kind of row, and from which block on the history is whole. */
  measureDatabase(options: NodeOptions): Promise<DatabaseSize>;
  /** Throws when something disagrees. */
  verifyDatabase(options: NodeOptions, progress: Progress, signal: AbortSignal): Promise<Compared>;
}
