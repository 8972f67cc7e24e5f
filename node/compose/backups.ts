/**
 * Backups of a running node: a checkpoint beside the databases is sent to an archive and deleted, then old checkpoints
 * of the archive are. One at a time, in the background, while blocks go on.
 */
import { join } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { FILES } from "../checkpoint/archive.ts";
import { type BackupTarget, readBackupTarget, readVariables } from "../checkpoint/backup-target.ts";
import type { Checkpoints } from "../checkpoint/checkpoints.ts";
import { removeCheckpoint } from "../checkpoint/create.ts";
import { CheckpointError } from "../checkpoint/error.ts";
import { keepNewest, readBack } from "../checkpoint/keep.ts";
import { readArchived } from "../checkpoint/pull.ts";
import { pushCheckpoint } from "../checkpoint/push.ts";
import type { TableHashes } from "../checkpoint/table-hashes.ts";
import type { Log } from "../observe/log.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import type { Clock } from "../runtime/clock.ts";
import { openArchive } from "./archive-jobs.ts";
import type { NodeOptions } from "./options.ts";

/** A backup that the archive has. */
export interface BackupResult {
  /** Name of the checkpoint in the archive. */
  readonly checkpoint: string;
  readonly archive: string;
  /** Number of its newest block. */
  readonly block: number;
  readonly bytes: number;
  readonly sentBytes: number;
  /** True when all of it was read back. */
  readonly isVerified: boolean;
}

/** Progress of a backup, and the outcome of the last one since the node started. */
export interface BackupStatus {
  readonly isRunning: boolean;
  readonly step: "creating" | "sending" | "verifying" | "deleting" | null;
  /** Bytes of the step, and of all of it. */
  readonly done: number;
  readonly total: number;
  /** Error of the last backup; null when it succeeded. */
  readonly err: string | null;
  readonly last: BackupResult | null;
}

/** The backups of a node. */
export interface Backups extends AsyncDisposable {
  /** Starts a backup. Throws `CheckpointError` `busy` or `no-target`. */
  start(): Promise<void>;
  /** Ends the backup that runs; false when none does. What it has sent stays for the next one. */
  stop(): boolean;
  readonly status: BackupStatus;
}

/** Parts of the node. */
export interface BackupDeps {
  readonly options: Pick<NodeOptions, "backupFile" | "paths">;
  readonly checkpoints: Pick<Checkpoints, "create">;
  readonly nodeKey: NodeKey;
  /** Shared with other copies of the node. */
  readonly hashes: TableHashes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Name of the checkpoint beside the databases, on their file system, so that it is made of links. */
const STAGING = "backup.partial";
/** Age from which a file that no checkpoint needs is deleted: another sender may be about to name a younger one. */
const UNUSED_MS = 86_400_000;
const IDLE: BackupStatus = { isRunning: false, step: null, done: 0, total: 0, err: null, last: null };

/** Opens them, and deletes the checkpoint that a killed process has left. */
export async function openBackups(deps: BackupDeps): Promise<Backups> {
  const staging = join(deps.options.paths.chainData, STAGING);
  await removeCheckpoint(staging);
  let status = IDLE;
  let running: { readonly work: Promise<void>; readonly ending: AbortController } | undefined;
  let isStarting = false;
  const run = async (target: BackupTarget, signal: AbortSignal): Promise<void> => {
    const report = (step: BackupStatus["step"], done = 0, total = 0): void => {
      status = { ...status, step, done, total };
    };
    let outcome: BackupStatus;
    try {
      const last = await backUp(deps, { target, staging, signal, report });
      outcome = { ...IDLE, last };
      deps.log.info({ ...last }, "backup sent");
    } catch (error) {
      const err = signal.aborted ? "the backup was stopped" : messageOf(error);
      outcome = { ...IDLE, last: status.last, err };
      deps.log.warn({ error: err }, "backup failed");
    }
    await removeCheckpoint(staging).catch((error: unknown) => {
      deps.log.warn({ error: messageOf(error) }, "checkpoint of a backup cannot be deleted"); // the next one tries again
    });
    running = undefined;
    status = outcome;
  };
  return {
    get status() {
      return status;
    },
    async start() {
      if (running !== undefined || isStarting) throw new CheckpointError("busy", "a backup already runs");
      isStarting = true;
      try {
        const target = await readBackupTarget(deps.options.backupFile);
        const ending = new AbortController();
        status = { ...status, isRunning: true, step: "creating", err: null };
        running = { ending, work: run(target, ending.signal) };
      } finally {
        isStarting = false;
      }
    },
    stop() {
      running?.ending.abort();
      return running !== undefined;
    },
    async [Symbol.asyncDispose]() {
      running?.ending.abort();
      await running?.work;
    },
  };
}

interface BackupJob {
  readonly target: BackupTarget;
  /** Absent directory for the checkpoint. */
  readonly staging: string;
  readonly signal: AbortSignal;
  readonly report: (step: BackupStatus["step"], done?: number, total?: number) => void;
}

async function backUp(
  { checkpoints, nodeKey, hashes, clock }: BackupDeps,
  { target, staging, signal, report }: BackupJob,
): Promise<BackupResult> {
  const { url, keep, verify, credentials } = target;
  const variables = credentials === undefined ? process.env : await readVariables(credentials);
  const store = await openArchive(url, variables);
  const { head, genesisHash } = await checkpoints.create(staging, signal);
  const { key, address } = nodeKey;
  const onBytes = (done: number, total: number): void => report("sending", done, total);
  const push = { directory: staging, key, address, hashes, signal, onBytes };
  const pushed = await pushCheckpoint(store, push);
  const { name, bytes, sentBytes } = pushed;
  if (verify) {
    const manifest = await readArchived(store, name, { genesisHash }, signal);
    await readBack(store, manifest, {
      signal,
      onBytes: (done, total) => report("verifying", done, total),
      resend: async (file) => {
        const found = await hashes.read(staging, file);
        await store.write(FILES + found.sha256, found.bytes, found.sha256, signal);
      },
    });
  }
  report("deleting");
  const before = clock.now() - UNUSED_MS;
  await keepNewest(store, { genesisHash, keep, pushed: name, before, signal });
  return { checkpoint: name, archive: url, block: head.number, bytes, sentBytes, isVerified: verify };
}
