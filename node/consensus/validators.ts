/** Who may make blocks, and how many have to agree (Istanbul BFT). */
import { compareBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";

/** The validators of a block and the numbers that follow from how many there are. */
export interface ValidatorSet {
  /** Sorted ascending by address. */
  readonly validators: readonly Uint8Array[];
  /** Committed seals that a block needs more than. */
  readonly twiceFaulty: number;
  has(address: Uint8Array): boolean;
}

/** The set of `validators` with a committee of at most `committeeSize`. */
export function validatorSet(validators: readonly Uint8Array[], committeeSize: number): ValidatorSet {
  const keys = new Set(validators.map(mapKey));
  const size = Math.min(validators.length, committeeSize);
  return {
    validators: [...validators].sort(compareBytes),
    twiceFaulty: 2 * Math.max(0, Math.ceil(size / 3) - 1),
    has: (address) => keys.has(mapKey(address)),
  };
}
