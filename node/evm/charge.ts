/** How opcodes pay for what depends on their words: memory, copies, and the total that a tracer sees. */
import { lowBits } from "../bytes/word.ts";
import { failures } from "./failure.ts";
import { type Frame, takeGas } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** What an opcode's function returns in place of the gas left, when it fails. */
export const FAILED = -1;

const MAX_32 = 0xffff_ffffn;
/** Beyond this the Go node's count of memory words overflows, before any gas is looked at. */
const MOST_COUNTED = 0xffff_ffff_ffff_ffe0n;

/** Takes an opcode's variable gas; negative when the frame has not so much. */
export function charge(m: Machine, f: Frame, gas: number, cost: number): number {
  m.watch?.charged(f, cost);
  return takeGas(f, gas, cost);
}

/**
 * Where memory has to reach for `length` bytes from `offset` on: 0 for none, `Infinity` for what no gas pays,
 * `FAILED` for what cannot even be counted.
 */
export function memoryEnd(offset: bigint, length: bigint): number {
  if (length === 0n) return 0;
  if (offset <= MAX_32 && length <= MAX_32) return lowBits(offset) + lowBits(length);
  return offset + length > MOST_COUNTED ? FAILED : Infinity;
}

/** Fails the frame because sizes cannot be counted. */
export function overflow(f: Frame): number {
  f.failure = failures["gas-overflow"];
  return FAILED;
}

/** Fails a frame that may not write; what the write costs has been paid. */
export function refuseWrite(f: Frame): number {
  f.failure = failures["write-protection"];
  return FAILED;
}

/** Words of 32 bytes that `length` bytes take. */
export function wordCount(length: number): number {
  return Math.ceil(length / 32);
}
