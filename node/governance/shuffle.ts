/**
 * The two shuffles of validators, and the seeds derived from hashes
 * (`kaiax/valset/address_set.go@v2.2.2`).
 */
import type { Hash } from "../bytes/brands.ts";
import { GoRandom } from "./go-random.ts";

/** Returns the seed before randomness: the first 15 hexadecimal digits of a block hash. */
export function legacySeed(hash: Hash): bigint {
  return firstWord(hash) >> 4n;
}

/** Returns the seed with randomness: the first 8 bytes of a mix hash, signed. */
export function mixSeed(mixHash: Hash): bigint {
  return BigInt.asIntN(64, firstWord(mixHash));
}

function firstWord(hash: Hash): bigint {
  return new DataView(hash.buffer, hash.byteOffset, hash.byteLength).getBigUint64(0);
}

/** Swaps every position with a random one; used for proposers and committees before randomness. */
export function legacyShuffle<T>(list: readonly T[], seed: bigint): T[] {
  const random = new GoRandom(seed);
  const shuffled = [...list];
  for (let i = 0; i < shuffled.length; i++) swap(shuffled, i, random.intn(shuffled.length));
  return shuffled;
}

/** Shuffles as Go's `rand.Shuffle`. */
export function fisherYatesShuffle<T>(list: readonly T[], seed: bigint): T[] {
  const random = new GoRandom(seed);
  const shuffled = [...list];
  for (let i = shuffled.length - 1; i >= 1; i--) swap(shuffled, i, random.int31n(i + 1));
  return shuffled;
}

function swap(list: unknown[], i: number, j: number): void {
  const kept = list[i];
  list[i] = list[j];
  list[j] = kept;
}
