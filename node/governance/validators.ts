/** The validators of a block and how many of them have to agree (Istanbul BFT). */
import { mapKey } from "../bytes/hex.ts";

/** Who may agree on a block and who may make it, both in the validators' order. */
export interface ValidatorSet {
  /** Everyone whom genesis and votes made a validator. */
  readonly council: readonly Uint8Array[];
  /** Those of them who have staked enough. */
  readonly qualified: readonly Uint8Array[];
  /** Committed seals that a block needs more than. */
  readonly twiceFaulty: number;
  inCouncil(address: Uint8Array): boolean;
  isQualified(address: Uint8Array): boolean;
}

/** How many of a committee's messages are needed, and how many members may be faulty. */
export interface Quorum {
  readonly required: number;
  readonly faulty: number;
}

/** The quorum of a committee of `size`. */
export function quorum(size: number): Quorum {
  return {
    required: size < 4 ? size : Math.ceil((2 * size) / 3),
    faulty: Math.max(0, Math.ceil(size / 3) - 1),
  };
}

/** The set of a block whose committee has at most `committeeSize` members. */
export function validatorSet(
  council: readonly Uint8Array[],
  qualified: readonly Uint8Array[],
  committeeSize: number,
): ValidatorSet {
  const members = new Set(council.map(mapKey));
  const makers = new Set(qualified.map(mapKey));
  return {
    council,
    qualified,
    twiceFaulty: 2 * quorum(Math.min(qualified.length, committeeSize)).faulty,
    inCouncil: (address) => members.has(mapKey(address)),
    isQualified: (address) => makers.has(mapKey(address)),
  };
}
