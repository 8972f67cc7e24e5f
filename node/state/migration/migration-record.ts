/** The result of the last migration, in a row that survives restarts. */
import { concatBytes } from "../../bytes/compare.ts";
import { bytesToNumber, fixedBytes } from "../../bytes/integer.ts";
import type { Batch, Rows } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";

/** A migration that ended. */
export interface MigrationRecord {
  /** The block whose state was copied. */
  readonly block: number;
  /** Undefined when the state moved. */
  readonly error: string | undefined;
}

const KEY = tables.meta.key("migrated");
const MAX_CHARACTERS = 1_000;

/** The record; undefined where no migration has ended. */
export function readMigrationRecord(rows: Rows): MigrationRecord | undefined {
  const row = rows.get(KEY);
  if (row === undefined) return undefined;
  const error = Buffer.from(row.subarray(6)).toString("utf8");
  return { block: bytesToNumber(row.subarray(0, 6)), error: error === "" ? undefined : error };
}

/** Puts the record in the place of the one before. */
export function putMigrationRecord(batch: Batch, { block, error = "" }: MigrationRecord): void {
  batch.put(KEY, concatBytes(fixedBytes(block, 6), Buffer.from(error.slice(0, MAX_CHARACTERS))));
}
