/** The commands of `knit`, one row each, and the functions of the node that they call. */

import type { ArchiveManifest } from "../checkpoint/archive.ts";
import type { CheckpointManifest } from "../checkpoint/manifest.ts";
import type { Pushed } from "../checkpoint/push.ts";
import type { DevelopmentAccount } from "../compose/accounts.ts";
import type { ListedCheckpoint, PullJob, TransferJob } from "../compose/archive-jobs.ts";
import type { BootstrapJob } from "../compose/bootstrap.ts";
import type { CheckpointJob, VerifiedCheckpoint } from "../compose/checkpoint-jobs.ts";
import type { StateFiles } from "../compose/development.ts";
import type { GoImportJob } from "../compose/go-jobs.ts";
import type { NodeEndpoints } from "../compose/node.ts";
import type {
  Compared,
  DatabaseSize,
  ExportJob,
  FileResult,
  ImportJob,
  ImportResult,
} from "../compose/offline-jobs.ts";
import type { NodeOptions } from "../compose/options.ts";
import type { MiningMode } from "../consensus/miner.ts";
import type { GoImported } from "../go-data/import.ts";
import type { AdjustableLog } from "../observe/log.ts";
import type { Progress } from "../observe/progress.ts";
import type { FlagCommand } from "../options/rows.ts";
import { decodeDetails } from "./decode-names.ts";

/** A command: a row of help and of the command line. */
export interface Command {
  readonly name: FlagCommand | "completion";
  /** The words of the command, separated by spaces. */
  readonly words: string;
  /** Its arguments: `<one>`, `<more...>` or `[optional]`. */
  readonly arguments?: readonly string[];
  /** Error text for a missing first argument; the library's by default. */
  readonly missing?: string;
  readonly summary: string;
  /** Text of help after the flags. */
  readonly details?: string;
}

const IMPORT_DETAILS = `
Existing blocks are skipped, so an import continues where an earlier one ended. Ctrl-C finishes the current block and
reports the progress (exit code 130; 143 after SIGTERM); a second one exits at once and loses no reported block.
Blocks before an error in a file are kept (exit code 1).
`;

const IMPORT_GO_DETAILS = `
DATADIR is the data directory of a stopped Go node (Kaia v2, Klaytn v1.12; LevelDB), or its chaindata directory.
Nothing is written there. Blocks and the state of one block go into an empty data directory, each part compared with
its hash; it becomes a chain when all is verified. After an interrupt or a crash the same command goes on.
`;

const CHECKPOINT_DETAILS = `
A checkpoint is a data directory: knit run --datadir DIR starts a node from it. On the file system of the databases it
takes a moment and no room, because table files are linked; on another one they are copied. Blocks go on meanwhile.
`;

const ARCHIVE_DETAILS = `
FROM and TO are archives: a directory, s3://BUCKET/PREFIX, or - for a tar stream. S3 stores take their keys from
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN or from the file of AWS_SHARED_CREDENTIALS_FILE, and
their place from AWS_ENDPOINT_URL and AWS_REGION. A command that was interrupted goes on when it is run again.
`;

const RPC_DETAILS = `
PARAMS is one JSON array, or one word for each parameter: a word that is valid JSON is JSON, any other is text.

  knit rpc chain_blockNumber
  knit rpc chain_getBalance 0x75a59b94889a05c03c66c3c84e9d2f8308ca4abd latest
  knit rpc --endpoint http://127.0.0.1:8551 eth_getLogs '[{"fromBlock":"0x1"}]'

Exit code 0 with the result, 2 with the node's error, 1 without a response.
`;

const ATTACH_DETAILS = `
ENDPOINT is a URL (http, https, ws, wss) or a socket; the one in the data directory by default.

  knit attach
  knit attach http://127.0.0.1:8551
  knit attach --exec 'klay.getBlock("latest").number'

exit or Ctrl-D leaves the console, Ctrl-C clears the line, Tab completes. The history is in <datadir>/history, without
commands that take a passphrase or begin with a space.
`;

const WALLET_DETAILS = `
FILE contains the words; - is standard input. The first line of --password FILE encrypts the wallet. The command prints
its URL. Two calls open the wallet on a running node and add an account of it:

  knit rpc personal_openWallet hdwallet:///... PASSPHRASE
  knit rpc personal_deriveAccount hdwallet:///... "m/44'/60'/0'/0/0" true
`;

const UPDATE_DETAILS = `
An account is an address or an index in the list. Passphrases come from a prompt or from --password FILE: the first
line opens each account, the second is the new passphrase; with one line the passphrase does not change.
`;

const BLS_DETAILS = `
The key file (EIP-2335) is bls-keystore-ADDRESS.json in the working directory. knit account bls-export writes its
key to <datadir>/knit/bls-nodekey, from which a node reads it; without that file the key is derived from the node key.
`;

const GENESIS_DETAILS = `
TYPE is the platform of the network: local (a script starts processes), remote (files only, for separate machines),
compose or docker, kubernetes (manifests for knit-operator). Forks are active from block 0 unless a flag sets another.

  knit genesis --cn-num 4 --pn-num 1 --en-num 1 --test-num 2 local && ./knit-network/start.sh
  knit genesis --cn-num 4 --genesis-type kairos --osaka-compatible-blocknumber never kubernetes
`;

const COMPLETION_DETAILS = `
  source <(knit completion bash)                                    in ~/.bashrc
  source <(knit completion zsh)                                     in ~/.zshrc, after compinit
  knit completion fish > ~/.config/fish/completions/knit.fish
`;

/** All commands in the order of help. */
export const commands: readonly Command[] = [
  { name: "run", words: "run", summary: "runs a node (the default command)" },
  {
    name: "dev",
    words: "dev",
    summary: "runs a new chain of one node with funded accounts, for development",
  },
  { name: "bootnode", words: "bootnode", summary: "runs a boot node for node discovery" },
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
    summary: "creates a network: keys, genesis, static nodes for processes, compose, Kubernetes",
    details: GENESIS_DETAILS,
  },
  {
    name: "import",
    words: "import",
    arguments: ["<FILE...>"],
    summary: "imports blocks from files (.gz is decompressed); continues an earlier import",
    details: IMPORT_DETAILS,
  },
  {
    name: "import-go",
    words: "import-go",
    arguments: ["<DATADIR>"],
    summary: "imports blocks and state from the data directory of a stopped Go node",
    details: IMPORT_GO_DETAILS,
  },
  {
    name: "export",
    words: "export",
    arguments: ["<FILE>", "[FIRST]", "[LAST]"],
    summary: "exports blocks to a new file (.gz is compressed)",
  },
  {
    name: "rewind",
    words: "db rewind",
    arguments: ["<NUMBER>"],
    summary: "rewinds the chain to a recent block; deletes later blocks",
  },
  {
    name: "verify",
    words: "db verify",
    summary: "verifies blocks, and compares flat state, trie and state root",
  },
  {
    name: "checkpoint-create",
    words: "checkpoint create",
    arguments: ["<DIR>"],
    summary: "creates a copy of the databases in a new directory, also of a running node",
    details: CHECKPOINT_DETAILS,
  },
  {
    name: "checkpoint-verify",
    words: "checkpoint verify",
    arguments: ["<DIR>"],
    summary: "verifies a checkpoint: manifest, head and seals, or everything",
  },
  {
    name: "checkpoint-push",
    words: "checkpoint push",
    arguments: ["<DIR>", "[TO]"],
    summary: "sends a checkpoint to a directory, an S3 store or a stream",
    details: ARCHIVE_DETAILS,
  },
  {
    name: "checkpoint-pull",
    words: "checkpoint pull",
    arguments: ["<FROM>", "[DIR]", "[NAME]"],
    summary: "fetches the newest or the named checkpoint of an archive and verifies it",
    details: ARCHIVE_DETAILS,
  },
  {
    name: "checkpoint-list",
    words: "checkpoint list",
    arguments: ["<FROM>"],
    summary: "prints the checkpoints of an archive, the newest first",
    details: ARCHIVE_DETAILS,
  },
  { name: "size", words: "db size", summary: "prints the disk usage by kind of data" },
  { name: "dumpgenesis", words: "dumpgenesis", summary: "prints a public network's genesis file" },
  {
    name: "decode",
    words: "decode",
    arguments: ["<HEX|FILE>"],
    summary: "prints chain data as JSON: transactions, blocks, keys and more",
    details: decodeDetails(),
  },
  {
    name: "rpc",
    words: "rpc",
    arguments: ["<METHOD>", "[PARAMS...]"],
    summary: "calls a method of a running node and prints the result",
    details: RPC_DETAILS,
  },
  {
    name: "save-cache",
    words: "save-cache",
    summary: "makes a running node save its trie node cache for the next start",
  },
  {
    name: "attach",
    words: "attach",
    arguments: ["[ENDPOINT]"],
    summary: "opens a JavaScript console on a running node",
    details: ATTACH_DETAILS,
  },
  {
    name: "console",
    words: "console",
    summary: "runs a node with a JavaScript console; the node stops with it",
  },
  { name: "account-list", words: "account list", summary: "prints the accounts of the keystore" },
  { name: "account-new", words: "account new", summary: "creates an account and prints its address" },
  {
    name: "account-update",
    words: "account update",
    arguments: ["<ADDRESS...>"],
    missing: "No accounts specified to update",
    summary: "rewrites key files with a new passphrase",
    details: UPDATE_DETAILS,
  },
  {
    name: "account-import",
    words: "account import",
    arguments: ["<KEYFILE>"],
    missing: "keyfile must be given as argument",
    summary: "imports a private key (64 hex digits in a file) as an account",
  },
  {
    name: "account-export",
    words: "account export",
    summary: "exports the key of a key file as the node key of the data directory",
  },
  {
    name: "account-bls-new",
    words: "account bls-new",
    summary: "creates a key file with a random BLS key",
    details: BLS_DETAILS,
  },
  {
    name: "account-bls-info",
    words: "account bls-info",
    arguments: ["[ENDPOINT]"],
    summary: "writes the BLS public key and the proof of possession that a validator registers",
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
    summary: "exports the key of a BLS key file as the BLS key of the data directory",
  },
  {
    name: "wallet",
    words: "wallet import",
    arguments: ["<FILE>"],
    summary: "imports a mnemonic (12 to 24 English words) as an encrypted HD wallet",
    details: WALLET_DETAILS,
  },
  {
    name: "config",
    words: "config",
    arguments: ["[FLAG...]"],
    summary: "prints the settings of a node and their origins, or the bare values of FLAGs",
  },
  {
    name: "completion",
    words: "completion",
    arguments: ["<SHELL>"],
    summary: "prints a completion script for bash, zsh or fish",
    details: COMPLETION_DETAILS,
  },
  { name: "version", words: "version", summary: "prints the version, or the forks that it has rules for" },
];

/** An open node. Disposing it closes all its parts in reverse order. */
export interface RunningNode extends AsyncDisposable {
  readonly endpoints: Partial<NodeEndpoints>;
  /** Accounts of a development chain. */
  readonly developmentAccounts?: readonly DevelopmentAccount[] | undefined;
  /** State of a development chain as a file. */
  readonly stateFiles?: StateFiles | undefined;
  /** Conditions under which a development chain makes blocks; undefined where this node makes none. */
  readonly makesBlocks?: MiningMode | undefined;
  /** Resolves with the reason when the node cannot continue, as after a disk failure. */
  readonly failure?: Promise<Error> | undefined;
}

/** Functions of the node for commands. They are loaded on demand, so that `knit version` stays fast. */
export interface NodeCommands {
  openNode(options: NodeOptions, signal: AbortSignal, log: AdjustableLog): Promise<RunningNode>;
  /** Returns the hash of block 0 of a genesis as `0x` text. */
  genesisHash(genesisText: string): Promise<string>;
  /** Writes block 0; `hash` is its `0x` text. */
  initDatadir(options: NodeOptions, genesisText: string): Promise<{ readonly hash: string }>;
  importChain(options: NodeOptions, job: ImportJob): Promise<ImportResult>;
  /** Imports the databases of a Go node into an empty data directory. */
  importGoDatadir(options: NodeOptions, job: GoImportJob): Promise<GoImported>;
  exportChain(options: NodeOptions, job: ExportJob): Promise<FileResult>;
  /** Rewinds the chain to a block; `head` is the newest block afterwards. */
  rewindDatadir(options: NodeOptions, number: number): Promise<FileResult>;
  /** Returns the bytes of each kind of row, and the first block of the complete history. */
  measureDatabase(options: NodeOptions): Promise<DatabaseSize>;
  createCheckpoint(options: NodeOptions, job: CheckpointJob): Promise<CheckpointManifest>;
  verifyCheckpoint(
    options: NodeOptions,
    job: CheckpointJob & { readonly full: boolean },
  ): Promise<VerifiedCheckpoint>;
  pushCheckpoint(
    options: NodeOptions,
    job: TransferJob & { readonly directory: string; readonly url: string },
  ): Promise<Pushed>;
  /** Returns a checkpoint as a tar stream. */
  streamCheckpoint(options: NodeOptions, directory: string): Promise<AsyncIterable<Uint8Array>>;
  pullCheckpoint(options: NodeOptions, job: PullJob): Promise<ArchiveManifest>;
  listCheckpoints(
    url: string,
    job: Pick<TransferJob, "signal" | "environment">,
  ): Promise<readonly ListedCheckpoint[]>;
  /** Fills an empty data directory from an archive. */
  bootstrap(options: NodeOptions, job: BootstrapJob): Promise<void>;
  /** Compares flat state, trie and root. Throws at the first difference. */
  verifyDatabase(options: NodeOptions, progress: Progress, signal: AbortSignal): Promise<Compared>;
}
