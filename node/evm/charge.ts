/**
 * Payment for opcodes whose gas depends on their operands, and the bounds of memory areas. Functions return
 * the gas left, negative for a failure.
 */
import { lowBits } from "../bytes/word.ts";
import { failures } from "./failure.ts";
import { type CallFrame, takeGas } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** Result of an opcode's function, in place of the gas left, when the opcode fails. */
export const FAILED = -1;

const MAX_32 = 0xffff_ffffn;
/**
 * Largest end of a memory area, in bytes, for which the Go node's count of memory words does not overflow.
 */
const MAX_MEMORY_END = 0xffff_ffff_ffff_ffe0n;

/** Charges an opcode's dynamic gas. Returns the gas left, negative when the frame cannot pay. */
export function charge(m: Machine, f: CallFrame, gas: number, cost: number): number {
  m.watch?.addGas(f, cost);
  return takeGas(f, gas, cost);
}

/**
 * Returns the end of a memory area in bytes: 0 for an empty area, `Infinity` for one that no gas pays for,
 * `FAILED` when its end overflows 64 bits.
 */
export function memoryEnd(offset: bigint, length: bigint): number {
  if (length === 0n) return 0;
  if (offset <= MAX_32 && length <= MAX_32) return lowBits(offset) + lowBits(length);
  return offset + length > MAX_MEMORY_END ? FAILED : Infinity;
}

/** Fails the frame with an overflow of its gas. */
export function failOverflow(f: CallFrame): number {
  f.failure = failures["gas-overflow"];
  return FAILED;
}

/** Fails a static frame that writes; the gas of the write has been charged. */
export function rejectWrite(f: CallFrame): number {
  f.failure = failures["write-protection"];
  return FAILED;
}

/** Returns the number of 32-byte words that `length` bytes take. */
export function wordCount(length: number): number {
  return Math.ceil(length / 32);
}
