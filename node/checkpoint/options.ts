/** Options of the commands about checkpoints, and of a start from an archive. */
import { addressKind, booleanKind, integerKind, type Kind, textKind } from "../options/kinds.ts";
import { optionValues, type ResolvedFlags } from "../options/resolve.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const verification = optionGroup("Checkpoint", ["checkpoint-verify", "checkpoint-pull"]);
const pull = optionGroup("Checkpoint", ["checkpoint-pull"]);
const start = optionGroup("Checkpoint", ["run", "config", "init"]);
const running = optionGroup("Checkpoint", NODE);

const hashKind: Kind<string> = {
  hint: "HASH",
  parse: (text) => {
    if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new Error("0x and 64 hex digits");
    return text.toLowerCase();
  },
};

const numberText: Kind<string> = {
  hint: "N",
  parse: (text) => {
    if (!/^\d{1,78}$/.test(text)) throw new Error("a decimal number");
    return text.replace(/^0+(?=\d)/, "");
  },
};

/** Rows of `knit checkpoint verify` and `knit checkpoint pull`. */
export const checkpointOptions = {
  full: verification({
    flag: "full",
    kind: booleanKind,
    default: false,
    summary: "verify every table file, block, account, slot and trie node as `knit db verify` does",
    own: true,
  }),
};

/** Rows of `knit checkpoint pull`. */
export const pullOptions = {
  genesisHash: pull({
    flag: "genesis-hash",
    kind: hashKind,
    summary: "hash of block 0 that the checkpoint must have",
    own: true,
  }),
  chainId: pull({
    flag: "checkpoint.chain-id",
    typed: "chain-id",
    kind: numberText,
    summary: "chain id that the checkpoint must have",
    own: true,
  }),
  creator: pull({
    flag: "creator",
    kind: addressKind,
    summary: "address of the node key that has signed the checkpoint",
    own: true,
  }),
};

/** Archive of a start and the chain that its checkpoint must be of. */
export type BootstrapOptions = ValuesOf<typeof bootstrapOptions>;

/** Rows of a start from an archive. */
export const bootstrapOptions = {
  url: start({
    flag: "bootstrap",
    kind: textKind,
    summary: "archive whose newest good checkpoint fills an empty data directory",
    own: true,
  }),
  genesisHash: start({
    flag: "bootstrap.genesis-hash",
    kind: hashKind,
    summary: "hash of block 0; of the genesis file or public network by default",
    own: true,
  }),
  siblings: start({
    flag: "bootstrap.siblings",
    kind: textKind,
    summary: "file with gateways of nodes whose checkpoint fills an empty data directory",
    own: true,
  }),
  creator: start({
    flag: "bootstrap.creator",
    kind: addressKind,
    summary: "address of the node key that must have signed the checkpoint; its state is trusted then",
    own: true,
  }),
};

/** Backups and copies that a running node gives away. */
export type BackupOptions = ValuesOf<typeof backupOptions>;

/** Mebibytes a second: a disk that is shared with blocks has no room for more. */
const RATE = 64;

/** Rows of the backups of a running node, and of the copies that it gives away. */
export const backupOptions = {
  backupFile: running({
    flag: "backup.file",
    kind: textKind,
    summary: "file with the archive of `admin_startBackup`, read at each backup",
    own: true,
  }),
  giveRate: running({
    flag: "checkpoint.rate",
    kind: integerKind(1),
    default: RATE,
    summary: "mebibytes a second of the checkpoint that `admin_serveCheckpoint` sends",
    own: true,
  }),
};

/** Options of a node about checkpoints. */
export interface CheckpointSettings extends BackupOptions {
  readonly bootstrap: BootstrapOptions;
}

/** Returns the options of a node about checkpoints. */
export function checkpointSettings(resolved: ResolvedFlags): CheckpointSettings {
  return { bootstrap: optionValues(bootstrapOptions, resolved), ...optionValues(backupOptions, resolved) };
}
