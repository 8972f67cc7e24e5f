/** Rows that a range of blocks changed, with their values before it. */
import { mapKey } from "../../bytes/hex.ts";
import type { Rows } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { decodeUndo, type Undone } from "./undo-record.ts";

/** Rows by `mapKey` of their keys, as they were after some block. */
export type ChangedRows = ReadonlyMap<string, Undone>;

/**
 * Rows that the blocks after `number` up to and including `upTo` changed, as they were after `number`, in steps of
 * a block: all as views of the undo records, or copies of those that a reader wants by their names. Throws `StateError`
 * `trie-damaged` when an undo record is missing.
 */
export function* changedRows(
  rows: Rows,
  number: number,
  upTo: number,
  isWanted?: (name: string) => boolean,
): Generator<undefined, ChangedRows> {
  const changed = new Map<string, Undone>();
  for (let block = number + 1; block <= upTo; block++) {
    const record = rows.get(tables.undo.key(block));
    if (record === undefined) throw new StateError("trie-damaged", `no undo record of block ${block}`);
    for (const undone of decodeUndo(record)) {
      const name = mapKey(undone.key);
      if (changed.has(name)) continue;
      if (isWanted === undefined) changed.set(name, undone);
      else if (isWanted(name)) changed.set(name, copyOf(undone)); // the record need not stay in memory
    }
    yield;
  }
  return changed;
}

function copyOf({ key, before }: Undone): Undone {
  return { key: key.slice(), before: before?.slice() };
}
