/** The databases of a data directory: the chain's rows and the state over them. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { settleDamage } from "../chain/continuity.ts";
import { dropLostBlocks } from "../chain/lost-blocks.ts";
import { raiseSchema } from "../chain/stored-config.ts";
import { type CheckpointSource, databaseNames, removeStaging } from "../checkpoint/create.ts";
import { type DiskSpace, openDiskSpace } from "../observe/disk-space.ts";
import type { Log } from "../observe/log.ts";
import { createPause } from "../runtime/scheduler.ts";
import { runInThread } from "../state/migration/migration-run.ts";
import { openState } from "../state/open-state.ts";
import type { State } from "../state/state.ts";
import { trieDirectories } from "../state/trie/generations.ts";
import { NodeCache } from "../state/trie/node-cache.ts";
import { type ChainStore, type ChainStoreOptions, openChainStore, trimBlocks } from "../store/chain-store.ts";
import { StoreError } from "../store/error.ts";
import type { Store } from "../store/store.ts";
import { openTablesOf } from "./memory-plan.ts";
import type { NodeOptions } from "./options.ts";

/** Both databases, open; disposing closes them. */
export interface Database extends AsyncDisposable {
  readonly store: Store;
  readonly state: State;
}

/** The same with the trie nodes that are kept in memory, and the room on the disk. */
export interface NodeDatabase extends Database {
  readonly store: ChainStore;
  readonly nodeCache: NodeCache;
  readonly disk: DiskSpace;
}

/** Directory of the chain database, which reader threads open too. */
export function chainDirectory({ paths }: NodeOptions): string {
  return join(paths.chainData, "chain");
}

/** Directory of the generations of the trie database, likewise. */
export function triesDirectory({ paths }: NodeOptions): string {
  return join(paths.chainData, "trie");
}

/** One that is filled and one that is written. */
const BUFFERS_AT_A_TIME = 2;

/** Blocks to which a development chain can be taken back. */
const DEVELOPMENT_WINDOW = 100_000;

/** The directories of the databases as they are on disk, the chain's first. */
export async function databaseDirectories(options: NodeOptions): Promise<readonly string[]> {
  const { chainData } = options.paths;
  return (await databaseNames(chainData)).map((name) => join(chainData, name));
}

/** Opens or creates the databases. Throws `StoreError` `in-use` when another process has them. */
export async function openDatabase(options: NodeOptions, log: Log): Promise<NodeDatabase> {
  await mkdir(options.paths.chainData, { recursive: true, mode: 0o700 });
  await using parts = new AsyncDisposableStack();
  const disk = parts.use(await openDiskSpace({ ...options.disk, directory: options.paths.chainData, log }));
  const { cacheSaveMs, ...history } = options.state;
  const { isTemporary } = options;
  const { databaseCache, trieCache, trieBuffers, dirtyNodes, copier } = options.memory.shares;
  const openTables = openTablesOf(options.memory.shares);
  const store = parts.use(
    await openChain(chainDirectory(options), { cacheBytes: databaseCache, openTables, isTemporary }),
  );
  await removeStaging(options.paths.chainData);
  const tries = triesDirectory(options);
  const writeBufferBytes = Math.floor(trieBuffers / BUFFERS_AT_A_TIME);
  const trie = trieDirectories(tries, { writeBufferBytes, openTables, isTemporary });
  const startRun = runInThread(chainDirectory(options), tries, copier);
  const path = join(options.paths.dataDirectory, "fastcache", "nodes");
  const cache = { log, bytes: trieCache, path, saveMs: cacheSaveMs };
  const nodeCache = parts.use(new NodeCache(cache));
  const state = parts.use(
    await openState({
      chain: store,
      trie,
      log,
      ...history,
      slab: nodeCache.slab,
      startRun,
      flushBytes: dirtyNodes,
      ...(options.development && { window: DEVELOPMENT_WINDOW }),
    }),
  );
  await dropLostBlocks(store, state, log);
  await trimBlocks(store, state.number);
  await raiseSchema(store);
  await settleDamage(store, state.number, log, createPause());
  const open = parts.move();
  return { store, state, nodeCache, disk, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** The tries can be rebuilt from it, but nothing else has its rows. */
async function openChain(directory: string, options: ChainStoreOptions): Promise<ChainStore> {
  try {
    return await openChainStore(directory, options);
  } catch (cause) {
    if (!(cause instanceof StoreError) || cause.code !== "corrupt") throw cause;
    const advice = "put a copy of the data directory back, or move it away and import or catch up again";
    throw new StoreError("corrupt", `${cause.message}; ${advice}`, { cause });
  }
}

/** The databases of a node as the source of checkpoints. */
export function checkpointSource({ paths }: NodeOptions, { store, state }: Database): CheckpointSource {
  return {
    directory: paths.chainData,
    rows: store,
    flushedTo: () => state.figures().flushedTo,
  };
}
