/** Validators of a block, their order and their quorum (Istanbul BFT). */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import type { ValidatorVote } from "./vote.ts";

/** Council and qualified validators of a block, both in the validators' order. */
export interface ValidatorSet {
  /** All validators by genesis and votes. */
  readonly council: readonly Address[];
  /** Members of the council with enough stake. */
  readonly qualified: readonly Address[];
  /** Twice the number of faulty members; a block needs more committed seals. */
  readonly twiceFaulty: number;
  inCouncil(address: Address): boolean;
  isQualified(address: Address): boolean;
}

/** Quorum of a committee: required messages and tolerated faulty members. */
export interface Quorum {
  readonly required: number;
  readonly faulty: number;
}

/** Returns the quorum of a committee of `size` (`consensus/istanbul/validator.go@v2.2.2`). */
export function quorum(size: number): Quorum {
  return {
    required: size < 4 ? size : Math.ceil((2 * size) / 3),
    faulty: Math.max(0, Math.ceil(size / 3) - 1),
  };
}

/** Creates the validator set of a block whose committee has at most `committeeSize` members. */
export function validatorSet(
  council: readonly Address[],
  qualified: readonly Address[],
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

/**
 * Sorts addresses by their checksum texts (EIP-55), which is not the order of their bytes, and removes
 * duplicates.
 */
export function sortedValidators(addresses: readonly Address[]): readonly Address[] {
  const texts = new Map<string, Address>();
  for (const address of addresses) texts.set(checksumAddress(address), address);
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

/** Returns the council after a vote; the governing node's own address in the vote is ignored. */
export function councilAfterVote(
  council: readonly Address[],
  vote: ValidatorVote,
  governingNode: Address,
): readonly Address[] {
  const members = new Map(council.map((address) => [mapKey(address), address]));
  const governing = mapKey(governingNode);
  for (const address of vote.addresses) {
    const key = mapKey(address);
    if (key === governing) continue;
    if (vote.adds) members.set(key, address);
    else members.delete(key);
  }
  return sortedValidators([...members.values()]);
}
