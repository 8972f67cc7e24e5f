import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { tables } from "../store/tables.ts";
import { StateError } from "./error.ts";
import { type AccountRecord, padded, recordOf } from "./flat.ts";
import type { FlatState } from "./flat-state.ts";
import type { History } from "./history.ts";
import type { StateView } from "./state.ts";

/** What a view looks at; both move on under it. */
export interface ViewParts {
  readonly flat: FlatState;
  readonly history: History;
}

const NO_BYTES = new Uint8Array(0);

/** The state after block `number`: the newest rows, but for those that a later block has changed. */
export function viewAt(number: number, { flat, history }: ViewParts): StateView {
  const record = (address: Uint8Array): AccountRecord => {
    checkKept(number, history);
    const name = mapKey(address);
    const newest = flat.record(address, name);
    const past = history.past({ key: tables.account.key(newest.hash), name }, number);
    return past.changed ? recordOf(newest.hash, past.row) : newest;
  };
  const slotOf = ({ hash, incarnation }: AccountRecord, slot: Uint8Array): Uint8Array | undefined => {
    if (incarnation === 0) return undefined;
    const slotHash = keccak256(slot);
    const key = tables.slot.key(hash, incarnation, slotHash);
    const past = history.past({ key, name: mapKey(key) }, number);
    return past.changed ? past.row : flat.slot(hash, incarnation, slotHash);
  };
  return {
    number,
    account: (address) => record(address).account,
    slot: (address, key) => padded(slotOf(record(address), key)),
    code: (address) => {
      const hash = record(address).account?.codeHash ?? EMPTY_HASH;
      return equalBytes(hash, EMPTY_HASH) ? NO_BYTES : (flat.code(hash) ?? NO_BYTES);
    },
  };
}

function checkKept(number: number, history: History): void {
  if (number >= history.oldest) return;
  throw new StateError(
    "state-missing",
    `the state of block ${number} is no longer kept: the oldest is that of block ${history.oldest}`,
  );
}
