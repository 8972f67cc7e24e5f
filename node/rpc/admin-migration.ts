/** `admin`: state migration and the saving of cached trie nodes. */

import { nothing, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { nullableSchema, plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";
import type { Migration, MigrationStart } from "../state/migration/migration.ts";
import type { SaveStart, SaveStatus } from "../state/trie/node-cache.ts";

/** Dependencies of the methods about migration. */
export interface AdminMigrationDeps {
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
const { text, integer, number, boolean } = plainSchemas;
/** The text of an error is `null` without one. */
const migrationSchema = recordSchema({
  committed: integer,
  err: text,
  isMigration: boolean,
  migrationBlockNumber: integer,
  pending: integer,
  progress: number,
  read: integer,
});
const recordedSchema = recordSchema({ err: text, migrationBlockNumber: integer });
const control = { privilege: "process", params: {}, result: nothing } as const;

/** The methods of `admin` about state migration and cached trie nodes. */
export function adminMigrationMethods({ migration, nodeCache }: AdminMigrationDeps): Method[] {
  return [...controlMethods(migration), ...statusMethods(migration), ...cacheMethods(nodeCache)];
}

function controlMethods(migration: AdminMigrationDeps["migration"]): Method[] {
  return [
    method({
      name: "admin_startStateMigration",
      summary:
        "Starts a state migration after the next block: copies the newest state into a new database, switches to it and deletes earlier states. A restart begins the copy again.",
      ...control,
      handle: async () => {
        const start = await migration.start();
        if (start !== "asked") throw failure(NOT_STARTED[start]);
      },
    }),
    method({
      name: "admin_stopStateMigration",
      summary: "Stops a running state migration. The state stays in the old database.",
      ...control,
      handle: async () => {
        if (!(await migration.stop())) throw failure("not in migration");
      },
    }),
  ];
}

function statusMethods(migration: AdminMigrationDeps["migration"]): Method[] {
  return [
    method({
      name: "admin_stateMigrationStatus",
      summary:
        "Returns the progress of the state migration, or the outcome of the last one since the node started.",
      params: {},
      result: plain<object>("migration status", migrationSchema),
      handle: () => statusJson(migration),
    }),
    method({
      name: "admin_stateMigrationLast",
      summary:
        "Returns the block and the error of the last state migration, also before a restart; null without one.",
      params: {},
      result: plain<object | null>("migration record or null", nullableSchema(recordedSchema)),
      handle: () => lastJson(migration),
    }),
    method({
      name: "admin_stateMigrationRoom",
      summary:
        "Returns the free bytes on the volume of the state, and the bytes that a migration needs to start.",
      params: {},
      result: plain<object>("room", recordSchema({ free: integer, needed: integer })),
      handle: async () => {
        const { free, needed } = await migration.room();
        return { free: Math.min(free, Number.MAX_SAFE_INTEGER), needed };
      },
    }),
  ];
}

function cacheMethods(nodeCache: AdminMigrationDeps["nodeCache"]): Method[] {
  return [
    method({
      name: "admin_saveTrieNodeToDisk",
      aliases: ["admin_saveTrieNodeCacheToDisk"],
      summary:
        "Starts to save the cached trie nodes to `fastcache` in the data directory, for the next start.",
      ...control,
      handle: () => {
        const start = nodeCache.save();
        if (start !== "started") throw failure(NOT_SAVED[start]);
      },
    }),
    method({
      name: "admin_saveTrieNodeStatus",
      summary: "Returns true while cached trie nodes are being saved, with the outcome of the last save.",
      params: {},
      result: plain<object>("saving status", recordSchema({ bytes: integer, err: text, isSaving: boolean })),
      handle: () => {
        const { isSaving, bytes, error } = nodeCache.status;
        return { bytes, err: error ?? "null", isSaving };
      },
    }),
  ];
}

function statusJson({ status }: Pick<Migration, "status">): object {
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

function lastJson({ last }: Pick<Migration, "last">): object | null {
  return last === undefined ? null : { err: last.error ?? "null", migrationBlockNumber: last.block };
}
