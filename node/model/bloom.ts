/**
 * The 2048-bit bloom filter over addresses and topics of logs (yellow paper, section 4.3.1): 256 big-endian
 * bytes.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { hashInput, keccakInput, keccakOutput } from "../crypto/keccak.ts";

/** Length of a bloom filter in bytes. */
export const BLOOM_LENGTH = 256;

/** The empty filter. It must not be written to. */
export const EMPTY_BLOOM: Uint8Array<ArrayBuffer> = new Uint8Array(BLOOM_LENGTH);

/** The parts of a log that the filter covers. */
export interface BloomSource {
  readonly address: Address;
  readonly topics: readonly Uint8Array[];
}

/** Returns the filter over logs. Most repeat the address and the first topic of the one before, which are not hashed again. */
export function bloomOf(logs: readonly BloomSource[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = new Uint8Array(BLOOM_LENGTH);
  let before: BloomSource | undefined;
  for (const log of logs) {
    const { address, topics } = log;
    if (before === undefined || !equalBytes(before.address, address)) insert(bloom, address);
    for (const [place, topic] of topics.entries()) {
      const same = before?.topics[place];
      if (same === undefined || !equalBytes(same, topic)) insert(bloom, topic);
    }
    before = log;
  }
  return bloom;
}

/** Returns the union of filters. */
export function mergeBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const filled = blooms.filter((bloom) => bloom !== EMPTY_BLOOM);
  if (filled.length === 0) return EMPTY_BLOOM;
  const merged = new Uint8Array(BLOOM_LENGTH);
  for (const bloom of filled) {
    for (let i = 0; i < BLOOM_LENGTH; i++) merged[i] = (merged[i] as number) | (bloom[i] as number); // in range
  }
  return merged;
}

/** Returns false when `value` (an address or a topic) is certainly not in the filter. */
export function bloomMayHold(bloom: Uint8Array, value: Uint8Array): boolean {
  return bloomHas(bloom, bloomBits(value));
}

/** As `bloomMayHold`, for the bits of a value. */
export function bloomHas(bloom: Uint8Array, bits: readonly number[]): boolean {
  return bits.every((bit) => ((bloom[BLOOM_LENGTH - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0);
}

function insert(bloom: Uint8Array, value: Uint8Array): void {
  for (const bit of bloomBits(value)) {
    const at = BLOOM_LENGTH - 1 - (bit >> 3);
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7)); // bit < 2048
  }
}

/** Returns the three bits of a value, below 2048: bit 0 is the lowest of the last byte. */
export function bloomBits(value: Uint8Array): number[] {
  keccakInput.set(value);
  hashInput(value.length);
  return [0, 2, 4].map((i) => (((keccakOutput[i] as number) << 8) | (keccakOutput[i + 1] as number)) & 2047);
}
