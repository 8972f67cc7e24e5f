/**
 * Brings a trie that lies behind the flat state up to it: every row that was changed since the marker, as the
 * undo records tell, gets its present value. No block is executed again.
 */
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import { bytesToNumber } from "../../bytes/integer.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import type { Rows } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { type AccountRecord, leafOf, recordOf, slotLeaf } from "../flat/flat-rows.ts";
import { type ChangedRows, changedRows } from "../history/changed-rows.ts";
import type { Undone } from "../history/undo-record.ts";
import type { Point } from "../rows.ts";
import type { TrieSet } from "./trie-set.ts";

/** Parts of a slot's key: prefix 1, account hash 32, incarnation 6, slot hash 32. */
const ACCOUNT_AT = 1;
const INCARNATION_AT = 33;
const SLOT_AT = 39;
/** Rows between two yields. */
const STEP = 64;

/** Applies the changes between marker and head in steps. Throws `StateError` `trie-damaged` when that fails. */
export function* catchUp(rows: Rows, tries: TrieSet, marker: Point, head: Point): Generator<undefined> {
  yield* applyChanged(rows, tries, yield* changedRows(rows, marker.number, head.number), head);
}

/**
 * Puts rows into tries that hold what `changed` says of them before; then the tries are those of `head`. Throws
 * `StateError` `trie-damaged` when they are not.
 */
export function* applyChanged(
  rows: Rows,
  tries: TrieSet,
  changed: ChangedRows,
  head: Point,
): Generator<undefined> {
  // neighbours in key order share nodes: 40 percent faster than in the order of the blocks
  const sorted = [...changed.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const slots = sorted.filter((name) => name.charCodeAt(0) === tables.slot.prefix);
  yield* applySlots(rows, tries, changed, slots);
  let step = 0;
  for (const name of sorted) {
    if (name.charCodeAt(0) !== tables.account.prefix) continue;
    const { key, before } = changed.get(name) as Undone; // names are those of the map
    const flat = rows.get(key);
    const expected = before && leafOf(before);
    if (flat === undefined) tries.accounts.delete(key.subarray(ACCOUNT_AT), expected);
    else tries.accounts.put(key.subarray(ACCOUNT_AT), leafOf(flat), expected);
    if (++step % STEP === 0) yield;
  }
  if (!equalBytes(tries.accounts.hash(), head.root)) {
    throw new StateError("trie-damaged", `the stored trie does not lead to block ${head.number}`);
  }
}

/** Applies the changed slots; those of accounts that were deleted or recreated since belong to no trie any more. */
function* applySlots(
  rows: Rows,
  tries: TrieSet,
  changed: ChangedRows,
  names: readonly string[],
): Generator<undefined> {
  let step = 0;
  for (const [key, ...others] of groups(names, changed)) {
    const accountHash = key.subarray(ACCOUNT_AT, INCARNATION_AT);
    const incarnation = bytesToNumber(key.subarray(INCARNATION_AT, SLOT_AT));
    const accountKey = tables.account.key(accountHash);
    const now = recordOf(accountHash, rows.get(accountKey));
    if (now.incarnation !== incarnation) continue;
    const was = recordOf(accountHash, changed.get(mapKey(accountKey))?.before);
    const trie = tries.storage(accountHash, incarnation, rootOf(was, incarnation));
    for (const slotKey of [key, ...others]) {
      const value = rows.get(slotKey);
      const slotHash = slotKey.subarray(SLOT_AT);
      if (value === undefined) trie.delete(slotHash);
      else trie.put(slotHash, slotLeaf(value));
      if (++step % STEP === 0) yield;
    }
    if (!equalBytes(trie.hash(), rootOf(now, incarnation))) {
      throw new StateError("trie-damaged", "a storage trie does not lead to its account's storage root");
    }
  }
}

function rootOf(record: AccountRecord, incarnation: number): Hash {
  return (record.incarnation === incarnation ? record.account?.storageRoot : undefined) ?? EMPTY_TRIE_ROOT;
}

/** Keys of slots by account and incarnation; names come sorted. */
function groups(names: readonly string[], changed: ChangedRows): [Uint8Array, ...Uint8Array[]][] {
  const all = new Map<string, [Uint8Array, ...Uint8Array[]]>();
  for (const name of names) {
    const { key } = changed.get(name) as Undone; // names are those of the map
    const group = all.get(name.slice(0, SLOT_AT));
    if (group === undefined) all.set(name.slice(0, SLOT_AT), [key]);
    else group.push(key);
  }
  return [...all.values()];
}
