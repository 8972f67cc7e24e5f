/**
 * Finds the accounts, or the slots of one account, that a range of blocks changed: from the undo records
 * where they are kept, else by reading every row. Works on a snapshot, so also in a reader thread.
 */
import type { Address } from "../../bytes/brands.ts";
import { compareBytes, equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import { type Account, encodeAccount } from "../../model/account.ts";
import type { Rows } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import type { StateReader } from "../state-reader.ts";
import { decodeUndo } from "./undo-record.ts";

/** States after `first` and after `last` are compared; `last` may be the earlier one. */
export interface BlockSpan {
  readonly first: number;
  readonly last: number;
}

/** Addresses of accounts that are there after `last` and were not the same after `first`, by their hashes. */
export async function modifiedAccounts(
  rows: Rows,
  states: StateReader,
  { first, last }: BlockSpan,
): Promise<Uint8Array[]> {
  const [before, after] = [states.view(first), states.view(last)];
  const isModified = (address: Address): boolean => {
    const now = after.account(address);
    return now !== undefined && !isSame(before.account(address), now);
  };
  const found: Uint8Array[] = [];
  for await (const address of candidates(rows, states, { first, last })) {
    if (address !== undefined && isModified(address)) found.push(address);
  }
  return found;
}

/** Counts the slots of an account after `last` that had another value, or none, after `first`. */
export async function modifiedSlots(
  states: StateReader,
  address: Address,
  { first, last }: BlockSpan,
): Promise<number> {
  const before = new Map<string, Uint8Array>();
  for await (const { hash, value } of states.slots(first, address)) before.set(mapKey(hash), value);
  let modified = 0;
  for await (const { hash, value } of states.slots(last, address)) {
    const old = before.get(mapKey(hash));
    if (old === undefined || !equalBytes(old, value)) modified++;
  }
  return modified;
}

async function* candidates(
  rows: Rows,
  states: StateReader,
  { first, last }: BlockSpan,
): AsyncGenerator<Uint8Array | undefined> {
  const hashes = touchedAccounts(rows, { first, last });
  if (hashes !== undefined) for (const hash of hashes) yield states.preimage(hash);
  else for await (const { address } of states.accounts(last)) yield address;
}

/** Hashes of the accounts in the blocks' undo records, in order; `undefined` when a record is gone. */
function touchedAccounts(rows: Rows, { first, last }: BlockSpan): Uint8Array[] | undefined {
  const hashes = new Map<string, Uint8Array>();
  for (let number = Math.min(first, last) + 1; number <= Math.max(first, last); number++) {
    const record = rows.get(tables.undo.key(number));
    if (record === undefined) return undefined;
    for (const { key } of decodeUndo(record)) {
      if (key[0] === tables.account.prefix) hashes.set(mapKey(key), key.subarray(1));
    }
  }
  return [...hashes.values()].toSorted(compareBytes);
}

function isSame(before: Account | undefined, after: Account): boolean {
  return before !== undefined && equalBytes(encodeAccount(before), encodeAccount(after));
}
