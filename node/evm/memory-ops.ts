/**
 * Opcodes that use memory. Each function takes the machine, the frame, the stack's length and the gas, and
 * returns the gas left, negative for a failure; the loop removes the operands.
 */

import { indexOf, leadingWord, lowBits, wordBytes } from "../bytes/word.ts";
import type { EventLog } from "../model/receipt.ts";
import { failOverflow, memoryEnd, rejectWrite, wordCount } from "./charge.ts";
import { failures } from "./failure.ts";
import { type CallFrame, takeGas } from "./frame.ts";
import type { Machine } from "./machine.ts";

const COPY_WORD_GAS = 3;
const HASH_WORD_GAS = 6;
const LOG_GAS = 375;
const LOG_BYTE_GAS = 8;

/** Charges the expansion of memory up to `end` and `more` gas, and expands it. */
function reach(m: Machine, f: CallFrame, gas: number, area: { end: number; more: number }): number {
  const { end, more } = area;
  if (end < 0) return failOverflow(f);
  const cost = f.memory.expansion(end) + more;
  const left = takeGas(f, gas, cost);
  if (left >= 0) f.memory.grow(end);
  m.watch?.addGas(f, cost);
  return left;
}

export function mload(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const offset = f.stack[sp - 1] as bigint;
  const left = reach(m, f, gas, { end: memoryEnd(offset, 32n), more: 0 });
  if (left >= 0) f.stack[sp - 1] = f.memory.load(lowBits(offset));
  return left;
}

export function mstore(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const offset = f.stack[sp - 1] as bigint;
  const left = reach(m, f, gas, { end: memoryEnd(offset, 32n), more: 0 });
  if (left >= 0) f.memory.store(lowBits(offset), f.stack[sp - 2] as bigint);
  return left;
}

export function mstore8(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const offset = f.stack[sp - 1] as bigint;
  const left = reach(m, f, gas, { end: memoryEnd(offset, 1n), more: 0 });
  if (left >= 0) f.memory.bytes[lowBits(offset)] = lowBits(f.stack[sp - 2] as bigint);
  return left;
}

/** MCOPY (EIP-5656). */
export function mcopy(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const [to, from, length] = [
    f.stack[sp - 1] as bigint,
    f.stack[sp - 2] as bigint,
    f.stack[sp - 3] as bigint,
  ];
  const more = COPY_WORD_GAS * wordCount(indexOf(length));
  const left = reach(m, f, gas, { end: memoryEnd(to > from ? to : from, length), more });
  if (left >= 0 && length > 0n) {
    f.memory.bytes.copyWithin(lowBits(to), lowBits(from), lowBits(from) + lowBits(length));
  }
  return left;
}

export function keccakOfMemory(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const [offset, length] = [f.stack[sp - 1] as bigint, f.stack[sp - 2] as bigint];
  const size = indexOf(length);
  const left = reach(m, f, gas, { end: memoryEnd(offset, length), more: HASH_WORD_GAS * wordCount(size) });
  if (left >= 0) f.stack[sp - 2] = f.memory.hash(size === 0 ? 0 : lowBits(offset), size);
  return left;
}

/** Stack position of a copy's operands: target offset, source offset and length. */
interface CopyWords {
  readonly sp: number;
  readonly gas: number;
  /** Gas besides copy and memory, for access to the account. */
  readonly more: number;
}

/** CALLDATACOPY, CODECOPY and EXTCODECOPY: bytes beyond the end of the source are zeros. */
export function copy(m: Machine, f: CallFrame, { sp, gas, more }: CopyWords, source: Uint8Array): number {
  const [to, from, length] = [
    f.stack[sp - 1] as bigint,
    f.stack[sp - 2] as bigint,
    f.stack[sp - 3] as bigint,
  ];
  const size = indexOf(length);
  const cost = more + COPY_WORD_GAS * wordCount(size);
  const left = reach(m, f, gas, { end: memoryEnd(to, length), more: cost });
  if (left >= 0 && size > 0) f.memory.copy(lowBits(to), source, indexOf(from), size);
  return left;
}

export function calldatacopy(m: Machine, f: CallFrame, sp: number, gas: number): number {
  return copy(m, f, { sp, gas, more: 0 }, f.input);
}

export function codecopy(m: Machine, f: CallFrame, sp: number, gas: number): number {
  return copy(m, f, { sp, gas, more: 0 }, f.code.bytes);
}

/** RETURNDATACOPY (EIP-211): a read beyond the end of the return data fails after the gas is charged. */
export function returndatacopy(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const [to, from, length] = [
    f.stack[sp - 1] as bigint,
    f.stack[sp - 2] as bigint,
    f.stack[sp - 3] as bigint,
  ];
  const size = indexOf(length);
  const left = reach(m, f, gas, { end: memoryEnd(to, length), more: COPY_WORD_GAS * wordCount(size) });
  if (left < 0) return left;
  if (indexOf(from) + size > f.returnData.length) {
    f.failure = failures["return-data-out-of-bounds"];
    return -1;
  }
  if (size > 0) f.memory.copy(lowBits(to), f.returnData, lowBits(from), size);
  return left;
}

/** CALLDATALOAD: a word of the input, filled with zeros behind its end. */
export function calldataload(f: CallFrame, sp: number): void {
  const offset = indexOf(f.stack[sp - 1] as bigint);
  f.stack[sp - 1] = offset >= f.input.length ? 0n : leadingWord(f.input, offset);
}

/** LOG0 to LOG4. */
export function log(m: Machine, f: CallFrame, at: { sp: number; gas: number }, topicCount: number): number {
  const { sp, gas } = at;
  const [offset, length] = [f.stack[sp - 1] as bigint, f.stack[sp - 2] as bigint];
  const size = indexOf(length);
  const more = LOG_GAS * (1 + topicCount) + LOG_BYTE_GAS * size;
  const left = reach(m, f, gas, { end: memoryEnd(offset, length), more });
  if (left < 0) return left;
  if (f.isStatic) return rejectWrite(f);
  const topics: Uint8Array[] = [];
  for (let i = 0; i < topicCount; i++) topics.push(wordBytes(f.stack[sp - 3 - i] as bigint));
  const entry: EventLog = {
    address: f.address,
    topics,
    data: size === 0 ? new Uint8Array(0) : f.memory.slice(lowBits(offset), size),
  };
  m.world.addLog(entry);
  return left;
}

/** RETURN and REVERT. */
export function returnMemory(m: Machine, f: CallFrame, sp: number, gas: number): number {
  const [offset, length] = [f.stack[sp - 1] as bigint, f.stack[sp - 2] as bigint];
  const left = reach(m, f, gas, { end: memoryEnd(offset, length), more: 0 });
  if (left >= 0 && length > 0n) f.output = f.memory.slice(lowBits(offset), lowBits(length));
  return left;
}
