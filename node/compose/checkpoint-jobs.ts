/** Checkpoints of a node's databases, and the commands that create and verify them without a node. */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { createCheckpoint, databaseNames } from "../checkpoint/create.ts";
import { CheckpointError } from "../checkpoint/error.ts";
import {
  type CheckpointFile,
  type CheckpointManifest,
  DATABASES,
  readCheckpointManifest,
  requireSize,
} from "../checkpoint/manifest.ts";
import { ConsensusError } from "../consensus/error.ts";
import { verifyHeaderChain } from "../consensus/header-chain.ts";
import { verifySeals } from "../consensus/header-rules.ts";
import type { Governance } from "../governance/governance.ts";
import type { Progress } from "../observe/progress.ts";
import { systemClock } from "../runtime/clock.ts";
import { cloneLevel } from "../store/clone-level.ts";
import { openConsensusChain, storedHeaders } from "./consensus-chain.ts";
import { checkpointSource, type Database, openDatabase } from "./database.ts";
import { type Compared, compareDatabase, isEdited, jobLog } from "./offline-jobs.ts";
import type { NodeOptions } from "./options.ts";

/** A directory, and how far a command has come. */
export interface CheckpointJob {
  readonly directory: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Creates a checkpoint of a data directory that no node uses. Throws as `createCheckpoint`. */
export async function createCheckpointOffline(
  options: NodeOptions,
  { directory, progress, signal }: CheckpointJob,
): Promise<CheckpointManifest> {
  await using database = await openDatabase(options, jobLog(options));
  await database.state.ready; // before it the directory of the trie may not be whole
  return await createCheckpoint(checkpointSource(options, database), {
    directory,
    signal,
    onCopied: (done, total) => progress.update(done, total),
  });
}

/** A verified checkpoint; `compared` is set after a full verification. */
export interface VerifiedCheckpoint {
  readonly manifest: CheckpointManifest;
  readonly compared: Compared | undefined;
}

/** A verification. */
export interface VerifyJob extends CheckpointJob {
  /** Compares everything that the databases hold. */
  readonly full: boolean;
  /** Verifies all headers from block 0 on, for checkpoints of others. */
  readonly headers?: boolean;
}

/** Name of the clone that is opened, because opening changes files. */
const CLONE = "verify.partial";

/**
 * Verifies a checkpoint and leaves it unchanged: manifest, files, head and its seals; with `full` all that `knit db
 * verify` does. Throws `CheckpointError`, `StoreError` or `StateError` with the first thing that is wrong.
 */
export async function verifyCheckpoint(
  options: NodeOptions,
  { directory, progress, signal, full, headers }: VerifyJob,
): Promise<VerifiedCheckpoint> {
  const manifest = await readCheckpointManifest(directory);
  for (const file of manifest.files) await checkSize(directory, file);
  const clone = join(directory, CLONE);
  await rm(clone, { recursive: true, force: true });
  try {
    for (const database of await databaseNames(join(directory, DATABASES)))
      await cloneLevel(join(directory, DATABASES, database), join(clone, database));
    const opened = { ...options, paths: { ...options.paths, dataDirectory: clone, chainData: clone } };
    await using database = await openDatabase(opened, jobLog(options));
    const { chain, governance } = await openConsensusChain(database, jobLog(options), systemClock);
    checkChain(manifest, chain);
    checkHeadSeals(chain, governance);
    if (headers === true) await checkHeaders({ database, chain, governance, signal });
    if (!full) return { manifest, compared: undefined };
    return { manifest, compared: await compareDatabase(opened, database, { progress, signal }) };
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

async function checkSize(directory: string, file: CheckpointFile): Promise<void> {
  const { path } = file;
  const found = await stat(join(directory, path)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    const advice = "a node that ran in the checkpoint has changed it";
    throw new CheckpointError("bad-file", `${path} is missing: it was deleted, or ${advice}`, { cause });
  });
  requireSize(file, found.size);
}

/** Compares genesis, chain id and head with the manifest. */
function checkChain({ genesisHash, chainId, head }: CheckpointManifest, chain: Chain): void {
  const { header, hash } = chain.head();
  const facts: readonly (readonly [name: string, said: unknown, found: unknown])[] = [
    ["genesis", genesisHash, toHex(chain.genesisHash)],
    ["chain id", chainId, String(chain.config.chainId)],
    ["newest block", head.number, header.number],
    ["hash of the newest block", head.hash, toHex(hash)],
    ["state root", head.stateRoot, toHex(header.stateRoot)],
  ];
  for (const [name, said, found] of facts) {
    if (said !== found)
      throw new CheckpointError(
        "bad-chain",
        `the ${name} is ${String(found)}, the manifest says ${String(said)}`,
      );
  }
}

interface OpenedChain {
  readonly database: Database;
  readonly chain: Chain;
  readonly governance: Governance;
  readonly signal: AbortSignal;
}

/** Verifies every header. Throws `CheckpointError` `bad-chain`, or the signal's reason. */
async function checkHeaders({ database, chain, governance, signal }: OpenedChain): Promise<void> {
  if (isEdited(database.store))
    throw new CheckpointError("bad-chain", "a development chain whose states are not those of its headers");
  try {
    await verifyHeaderChain(storedHeaders(database.store, { chain, governance }, signal));
  } catch (cause) {
    if (!(cause instanceof ConsensusError)) throw cause;
    throw new CheckpointError("bad-chain", cause.message, { cause });
  }
}

/** Checks that a quorum of the council has sealed the head. Block 0 has no seals. */
function checkHeadSeals(chain: Chain, governance: Governance): void {
  const head = chain.head();
  const { number } = head.header;
  if (number === 0) return;
  try {
    verifySeals(head, governance.validators(number));
  } catch (cause) {
    if (!(cause instanceof ConsensusError)) throw cause;
    const message = `block ${number} is not sealed by its council: ${cause.message}`;
    throw new CheckpointError("bad-chain", message, { cause });
  }
}
