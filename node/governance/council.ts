/** Lists of validators in the order in which everything is drawn from them. */
import { mapKey } from "../bytes/hex.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import type { ValidatorVote } from "./vote.ts";

/** Each address once, in the order of their mixed-case texts (EIP-55), which is not that of their bytes. */
export function sortedValidators(addresses: readonly Uint8Array[]): readonly Uint8Array[] {
  const texts = new Map<string, Uint8Array>();
  for (const address of addresses) texts.set(checksumAddress(address), address);
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

/** The council after a vote; the governing node's own address in it counts for nothing. */
export function votedCouncil(
  council: readonly Uint8Array[],
  vote: ValidatorVote,
  governingNode: Uint8Array,
): readonly Uint8Array[] {
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
