/** `admin`: what goes on in the databases of the state (service.md 3.3, rpc.md 2.1): migration, saved trie nodes. */

import { nothing, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { nullableSchema, objectSchema } from "../jsonrpc/schemas.ts";
import type { Migration, MigrationStart } from "../state/migration/migration.ts";
import type { SaveStart, SaveStatus } from "../state/trie/node-cache.ts";

/** What these methods steer. */
export interface AdminMigrationParts {
  readonly migration: Pick<Migration, "start" | "stop" | "status" | "last" | "room">;
  readonly nodeCache: { save(): SaveStart; readonly status: SaveStatus };
}

const NOT_STARTED: Readonly<Record<Exclude<MigrationStart, "asked">, string>> = {
  running: "migration already started",
  pruning: "state migration not supported with live pruning enabled",
};
const NOT_SAVED: Readonly<Record<Exclude<SaveStart, "started">, string>> = {
  off: "trie node cache is disabled, nothing to save to file",
  running: "saving trie node cache has been triggered already",
};
const steering = { privilege: "process", params: {}, result: nothing } as const;

/** See the head of this file. */
export function adminMigrationMethods({ migration, nodeCache }: AdminMigrationParts): Method[] {
  return [...steeringMethods(migration), ...tellingMethods(migration), ...savingMethods(nodeCache)];
}

function steeringMethods(migration: AdminMigrationParts["migration"]): Method[] {
  return [
    method({
      name: "admin_startStateMigration",
      summary:
        "Copies the state into a database of its own behind the next block, moves there and lets go of earlier states; a restart begins it anew.",
      ...steering,
      handle: async () => {
        const start = await migration.start();
        if (start !== "asked") throw failure(NOT_STARTED[start]);
      },
    }),
    method({
      name: "admin_stopStateMigration",
      summary: "Ends a running migration; the state stays where it was.",
      ...steering,
      handle: async () => {
        if (!(await migration.stop())) throw failure("not in migration");
      },
    }),
  ];
}

function tellingMethods(migration: AdminMigrationParts["migration"]): Method[] {
  return [
    method({
      name: "admin_stateMigrationStatus",
      summary: "How far the migration of the state is, or how the last one since the start ended.",
      params: {},
      result: plain<object>("migration status"),
      handle: () => statusView(migration),
    }),
    method({
      name: "admin_stateMigrationLast",
      summary:
        "The block and the error of the last migration, also before the start; null where there was none.",
      params: {},
      result: plain<object | null>(
        "migration record or null",
        nullableSchema(objectSchema("migration record")),
      ),
      handle: () => lastView(migration),
    }),
    method({
      name: "admin_stateMigrationRoom",
      summary: "Bytes that are free where the state lies, and bytes without which no migration begins.",
      params: {},
      result: plain<object>("room"),
      handle: async () => {
        const { free, needed } = await migration.room();
        return { free: Math.min(free, Number.MAX_SAFE_INTEGER), needed };
      },
    }),
  ];
}

function savingMethods(nodeCache: AdminMigrationParts["nodeCache"]): Method[] {
  return [
    method({
      name: "admin_saveTrieNodeToDisk",
      aliases: ["admin_saveTrieNodeCacheToDisk"],
      summary:
        "Starts to write the trie nodes in memory to `fastcache` in the data directory, for the next start.",
      ...steering,
      handle: () => {
        const start = nodeCache.save();
        if (start !== "started") throw failure(NOT_SAVED[start]);
      },
    }),
    method({
      name: "admin_saveTrieNodeStatus",
      summary: "Whether trie nodes are being saved, and how the last saving since the start ended.",
      params: {},
      result: plain<object>("saving status"),
      handle: () => {
        const { isSaving, bytes, error } = nodeCache.status;
        return { bytes, err: error ?? "null", isSaving };
      },
    }),
  ];
}

function statusView({ status }: Pick<Migration, "status">): object {
  const { isMigration, block, counts, progress, error } = status;
  return {
    committed: counts.committed,
    err: error ?? "null",
    isMigration,
    migrationBlockNumber: block,
    pending: counts.pending,
    progress,
    read: counts.read,
  };
}

function lastView({ last }: Pick<Migration, "last">): object | null {
  return last === undefined ? null : { err: last.error ?? "null", migrationBlockNumber: last.block };
}
