/** One state: its flat rows, as they are or as they were after an earlier block, and the answers from them. */
import type { Address, StorageKey } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { tables } from "../store/tables.ts";
import { StateError } from "./error.ts";
import { type AccountRecord, padWord, recordOf } from "./flat/flat-rows.ts";
import type { FlatState, NewestState } from "./flat/flat-state.ts";
import type { PastRows } from "./history/change-index.ts";
import type { StateView } from "./state.ts";

const NO_BYTES = new Uint8Array(0);

/** The answers of the state after block `number`. */
export function viewOf(number: number, flat: FlatState): StateView {
  const record = (address: Address): AccountRecord => flat.record(address, mapKey(address));
  const slotOf = ({ hash, incarnation }: AccountRecord, slot: StorageKey): Uint8Array | undefined =>
    incarnation === 0 ? undefined : flat.slot(hash, incarnation, keccak256(slot));
  return {
    number,
    account: (address) => record(address).account,
    slot: (address, key) => padWord(slotOf(record(address), key)),
    code: (address) => {
      const hash = record(address).account?.codeHash ?? EMPTY_HASH;
      return equalBytes(hash, EMPTY_HASH) ? NO_BYTES : (flat.code(hash) ?? NO_BYTES);
    },
  };
}

/**
 * The state after block `number`: the newest rows, but for those that a later block has changed. Stays at its
 * block while others come. Throws `StateError` `state-missing` when the block has left the history.
 */
export function pastState(number: number, newest: FlatState, history: PastRows): FlatState {
  return {
    record: (address, name) => {
      checkKept(number, history);
      const record = newest.record(address, name);
      const past = history.past(tables.account.key(record.hash), number);
      return past.changed ? recordOf(record.hash, past.row) : record;
    },
    slot: (accountHash, incarnation, slotHash) => {
      checkKept(number, history);
      const key = tables.slot.key(accountHash, incarnation, slotHash);
      const past = history.past(key, number);
      return past.changed ? past.row : newest.slot(accountHash, incarnation, slotHash);
    },
    code: (hash) => newest.code(hash),
  };
}

/** The newest state, which is that of block `number`: read as it is until a later block comes, then as a past one. */
export function stateNow(number: number, newest: NewestState, history: PastRows): FlatState {
  const past = pastState(number, newest, history);
  const { version } = newest;
  const state = (): FlatState => (newest.version === version ? newest : past);
  return {
    record: (address, name) => state().record(address, name),
    slot: (accountHash, incarnation, slotHash) => state().slot(accountHash, incarnation, slotHash),
    code: (hash) => newest.code(hash),
  };
}

function checkKept(number: number, history: PastRows): void {
  if (number >= history.oldest) return;
  throw new StateError(
    "state-missing",
    `the state of block ${number} is no longer kept: the oldest is that of block ${history.oldest}`,
  );
}
