/** Elements from bytes, big-endian. */
import { BITS, FIELD_BYTES, LIMBS, R_SQUARED } from "../constants";
import { multiplyLanes } from "./elements";

const WORDS = FIELD_BYTES / 8;

/**
 * The limbs of one element of FIELD_BYTES bytes into every other word.
 * @unroll
 */
function readLimbs(to: usize, from: usize): void {
  const words = new StaticArray<u64>(WORDS);
  for (let k = 0; k < WORDS; k++) words[k] = bswap<u64>(load<u64>(from, FIELD_BYTES - 8 - 8 * k));
  for (let i = 0; i < LIMBS; i++) {
    const word = (BITS * i) / 64;
    const offset = (BITS * i) % 64;
    const isSplit = offset + BITS > 64 && word < WORDS - 1;
    if (word >= WORDS) store<i32>(to, 0, 8 * i);
    else if (isSplit) {
      store<i32>(
        to,
        i32(((words[word] >> offset) | (words[word + 1] << (64 - offset))) & ((1 << BITS) - 1)),
        8 * i,
      );
    } else store<i32>(to, i32((words[word] >> offset) & ((1 << BITS) - 1)), 8 * i);
  }
}

/** Two elements in Montgomery's form. */
export function readPair(to: usize, first: usize, second: usize): void {
  readLimbs(to, first);
  readLimbs(to + 4, second);
  multiplyLanes(to, to, R_SQUARED);
}

/** True for zeros only. The length is a multiple of 8. */
export function isZeroAt(from: usize, length: usize): bool {
  let bits: u64 = 0;
  for (let at: usize = 0; at < length; at += 8) bits |= load<u64>(from + at);
  return bits === 0;
}
