/**
 * Creates a checkpoint: a directory that holds the databases as of one block and opens as a data directory. The trie is
 * cloned first and the chain after it, so that the chain is never behind the trie, and the rows of blocks last: those of
 * the chain's head are there then. The directory appears at once, whole, by a rename.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { equalOptional } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { BlockRows } from "../chain/block-rows.ts";
import { markRecordIncomplete } from "../chain/continuity.ts";
import { oldestBody, putOldestBody } from "../chain/kept-blocks.ts";
import { storedConfig } from "../chain/stored-config.ts";
import { programVersion } from "../config/version.ts";
import { FILES_AT_ONCE, inParallel } from "../runtime/parallel.ts";
import { syncDirectory, syncFile, writeSynced } from "../runtime/synced-file.ts";
import { readGeneration, readHead } from "../state/rows.ts";
import { openChainStore } from "../store/chain-store.ts";
import { cloneLevel } from "../store/clone-level.ts";
import type { Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { CheckpointError } from "./error.ts";
import {
  CHECKPOINT_FORMAT,
  type CheckpointFile,
  type CheckpointManifest,
  DATABASES,
  MANIFEST_FILE,
} from "./manifest.ts";

/** Open databases of a node or of a command. */
export interface CheckpointSource {
  /** Directory of the databases: `chain`, `blocks`, and `trie` with its generations. */
  readonly directory: string;
  readonly rows: Rows;
  /** Returns the block whose trie is on disk; undefined where none is. */
  readonly flushedTo: () => number | undefined;
}

/** Target of a checkpoint. */
export interface CheckpointTarget {
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Called while files are copied to another file system, with bytes. */
  readonly onCopied?: ((done: number, total: number) => void) | undefined;
}

/** Blocks between two clones can outrun the undo records only where few are kept. */
const MAX_ATTEMPTS = 5;
/** Directories of the chain database, in the order in which they are cloned. */
const CHAIN_PARTS: readonly string[] = ["chain", "blocks"];
/** Name of a clone beside the databases that is then copied to another file system. */
const STAGING = "checkpoint.partial";
/** Name of an empty file beside the databases, by which the file systems are compared. */
const PROBE = `${STAGING}.probe`;

/**
 * Creates a checkpoint in a directory that is absent or empty. Blocks go on meanwhile. Throws `CheckpointError` `exists`
 * or `failed`, `StoreError`, or the signal's reason; then nothing is left.
 */
export async function createCheckpoint(
  source: CheckpointSource,
  { directory: given, signal, onCopied }: CheckpointTarget,
): Promise<CheckpointManifest> {
  const directory = resolve(given);
  await refuseFilled(directory);
  const draft = draftOf(directory);
  const staging = join(source.directory, STAGING);
  try {
    await mkdir(dirname(directory), { recursive: true });
    for (const leftover of [draft, staging]) await rm(leftover, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    if (await canLink(source.directory, draft)) await cloneDatabases(source, join(draft, DATABASES));
    else {
      await cloneDatabases(source, staging);
      await copyTree(staging, join(draft, DATABASES), { signal, onCopied });
      await rm(staging, { recursive: true, force: true });
    }
    signal.throwIfAborted();
    const manifest = await describe(draft, source.rows);
    await writeSynced(join(draft, MANIFEST_FILE), Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`));
    await syncDirectory(draft);
    await rename(draft, directory);
    await syncDirectory(dirname(directory));
    return manifest;
  } catch (error) {
    for (const leftover of [draft, staging]) await rm(leftover, { recursive: true, force: true });
    throw isSystemError(error)
      ? new CheckpointError("failed", `cannot create ${directory}: ${messageOf(error)}`, { cause: error })
      : error;
  }
}

/** Returns the name of a checkpoint that is not whole yet. */
export function draftOf(directory: string): string {
  return `${directory}.partial`;
}

/** Removes a checkpoint, and what a killed process has left of one that was not whole. */
export async function removeCheckpoint(directory: string): Promise<void> {
  for (const each of [directory, draftOf(directory)]) await rm(each, { recursive: true, force: true });
}

/** Removes what a killed process has left beside the databases. */
export async function removeStaging(databases: string): Promise<void> {
  for (const name of [STAGING, PROBE]) await rm(join(databases, name), { recursive: true, force: true });
}

/** Throws `CheckpointError` `exists` for a directory with anything in it, `failed` for one that cannot be read. */
export async function refuseFilled(directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    throw new CheckpointError("failed", `cannot create ${directory}: ${error.message}`, { cause: error });
  });
  if (names.length > 0)
    throw new CheckpointError("exists", `${directory} is not empty: give a directory that does not exist`);
}

/** True when both directories are on one file system; mounts of one file system count as two. */
async function canLink(from: string, to: string): Promise<boolean> {
  const [one, other] = [join(from, PROBE), join(to, "probe")];
  await rm(one, { force: true });
  await writeFile(one, "");
  try {
    await rename(one, other);
    await rm(other);
    return true;
  } catch (error) {
    await rm(one, { force: true });
    if ((error as NodeJS.ErrnoException).code === "EXDEV") return false;
    throw error;
  }
}

/**
 * Clones the databases; once more when blocks have meanwhile deleted undo records that the older trie needs, or the chain
 * was taken back.
 */
async function cloneDatabases({ directory, rows, flushedTo }: CheckpointSource, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const generation = readGeneration(rows);
    const marker = flushedTo();
    const trie = join("trie", String(generation));
    let isCloned = true;
    await cloneLevel(join(directory, trie), join(to, trie)).catch((error: unknown) => {
      if (readGeneration(rows) === generation) throw error;
      isCloned = false; // a migration has removed the generation meanwhile
    });
    const head = tables.header.key(Math.max(0, readHead(rows).number));
    const header = rows.get(head);
    for (const part of isCloned ? CHAIN_PARTS : []) await cloneLevel(join(directory, part), join(to, part));
    const needed = marker === undefined || readHead(rows).firstUndo <= marker + 1;
    const isSound = isCloned && readGeneration(rows) === generation && equalOptional(header, rows.get(head));
    if (isSound && (needed || attempt >= MAX_ATTEMPTS)) break; // without the records the trie is rebuilt when it opens
    if (attempt >= 2 * MAX_ATTEMPTS)
      throw new CheckpointError(
        "failed",
        "the state is migrated or the chain taken back again and again: try later",
      );
    await rm(to, { recursive: true, force: true });
  }
  for (const path of [to, join(to, "trie"), dirname(to)]) await syncDirectory(path);
}

/** Opens the chain of a new checkpoint, which merges its logs, and reads the head that it holds. */
async function describe(draft: string, rows: Rows): Promise<CheckpointManifest> {
  const facts = await readFacts(join(draft, DATABASES, "chain"), oldestBody(rows));
  return {
    format: CHECKPOINT_FORMAT,
    program: `Knit/v${programVersion()}`,
    ...facts,
    files: await listFiles(draft),
  };
}

/** Chain and head of a manifest. */
type ChainFacts = Pick<CheckpointManifest, "chainId" | "genesisHash" | "head">;

async function readFacts(chain: string, oldest: number): Promise<ChainFacts> {
  await using store = await openChainStore(chain, { checksTables: false });
  await closeRecord(store);
  await skipPruned(store, oldest);
  const { number, root } = readHead(store);
  const rows = new BlockRows(store);
  const [genesis, head] = number < 0 ? [] : [rows.header(0), rows.header(number)];
  if (genesis === undefined || head === undefined)
    throw new CheckpointError("failed", "the data directory holds no chain yet");
  return {
    chainId: String(storedConfig(store).chainId),
    genesisHash: toHex(genesis.hash),
    head: { number, hash: toHex(head.hash), stateRoot: toHex(root) },
  };
}

/** The node goes on signing: a validator that starts from the copy must not take the record in it for complete. */
async function closeRecord(store: Store): Promise<void> {
  const rows = (["signer", "signed"] as const).map((name) => store.get(tables.meta.key(name)));
  if (rows.every((row) => row === undefined)) return;
  const batch = store.createBatch();
  markRecordIncomplete(batch);
  await store.write(batch, { sync: true });
}

/** Blocks that were pruned after the chain was cloned have no rows in the clone, whose oldest whole block is a later one. */
async function skipPruned(store: Store, oldest: number): Promise<void> {
  if (oldestBody(store) >= oldest) return;
  const batch = store.createBatch();
  putOldestBody(batch, oldest);
  await store.write(batch, { sync: true });
}

/** Returns the names of the directories of the databases that lie in one; earlier releases had no `blocks`. */
export async function databaseNames(databases: string): Promise<readonly string[]> {
  const tries = await readdir(join(databases, "trie"));
  const parts = CHAIN_PARTS.filter((name) => existsSync(join(databases, name)));
  return [...parts, ...tries.map((name) => `trie/${name}`)];
}

/** Lists the files of the databases of a checkpoint. The engine's own log and lock are left out. */
export async function listFiles(checkpoint: string): Promise<readonly CheckpointFile[]> {
  const files: CheckpointFile[] = [];
  for (const database of await databaseNames(join(checkpoint, DATABASES))) {
    const directory = `${DATABASES}/${database}`;
    const names = (await readdir(join(checkpoint, directory)))
      .filter((name) => name !== "LOCK" && !name.startsWith("LOG"))
      .toSorted();
    const described = await inParallel(names, FILES_AT_ONCE, async (name) => {
      const path = `${directory}/${name}`;
      return { path, size: (await stat(join(checkpoint, path))).size };
    });
    files.push(...described);
  }
  return files;
}

type CopyOptions = Pick<CheckpointTarget, "signal" | "onCopied">;

async function copyTree(from: string, to: string, { signal, onCopied }: CopyOptions): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  for (const [i, path] of files.entries()) {
    signal.throwIfAborted();
    const target = join(to, path.slice(from.length));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(path, target);
    await syncFile(target);
    done += sizes[i] ?? 0;
    onCopied?.(done, total);
  }
  for (const path of new Set(files.map((each) => dirname(join(to, each.slice(from.length))))))
    await syncDirectory(path);
}

function isSystemError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "syscall" in error; // of any realm
}
