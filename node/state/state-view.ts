/** Answers of one state from its flat rows. */
import type { Address, StorageKey } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { type AccountRecord, padWord } from "./flat/flat-rows.ts";
import type { FlatState } from "./flat/flat-state.ts";
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
