/** The opcodes CREATE and CREATE2: their gas (EIP-150, EIP-1014, EIP-3860) and the frame that they begin. */
import { indexOf, lowBits } from "../bytes/word.ts";
import { FAILED, failOverflow, memoryEnd, rejectWrite, wordCount } from "./charge.ts";
import { beginCreation } from "./creation-frames.ts";
import { type CallFrame, moveGas, NO_BYTES, takeFrame, takeGas, totalGas } from "./frame.ts";
import type { Machine } from "./machine.ts";
import { settle } from "./settle.ts";

const HASH_WORD_GAS = 6;
const CREATE2 = 0xf5;

/**
 * Executes a creation opcode. A creation that ends at once is settled here; otherwise the frame to run is
 * left in `m.next`. Returns the creator's remaining gas, negative for a failure.
 */
export function create(m: Machine, f: CallFrame, op: number, gas: number): number {
  const { stack: s, sp } = f;
  const [value, offset, length] = [s[sp - 1] as bigint, s[sp - 2] as bigint, s[sp - 3] as bigint];
  const end = memoryEnd(offset, length);
  if (end < 0) return failOverflow(f);
  const cost = f.memory.expansion(end) + initcodeGas(m, indexOf(length), op);
  const left = takeGas(f, gas, cost);
  if (left >= 0) f.memory.grow(end);
  m.watch?.addGas(f, cost);
  if (left < 0) return FAILED;
  if (f.isStatic) return rejectWrite(f);
  const child = takeFrame();
  f.gas = left;
  passGas(f, child);
  child.kind = op === CREATE2 ? "CREATE2" : "CREATE";
  child.input = length === 0n ? NO_BYTES : f.memory.slice(lowBits(offset), lowBits(length));
  child.value = value;
  child.parent = f;
  child.depth = f.depth + 1;
  child.caller = f.address;
  child.callerWord = f.addressWord;
  const salt = op === CREATE2 ? (s[sp - 4] as bigint) : undefined;
  f.sp = op === CREATE2 ? sp - 3 : sp - 2;
  if (beginCreation(m, child, salt)) m.next = child;
  else settle(m, child);
  return f.gas;
}

/** Returns the gas for init code; `Infinity` for code above the limit of EIP-3860. */
function initcodeGas({ rules }: Machine, length: number, op: number): number {
  if (rules.maxInitcodeSize !== undefined && length > rules.maxInitcodeSize) return Infinity;
  const perWord = Number(rules.initcodeWordGas) + (op === CREATE2 ? HASH_WORD_GAS : 0);
  return perWord === 0 ? 0 : perWord * wordCount(length);
}

function passGas(f: CallFrame, child: CallFrame): void {
  if (f.reserve > 0n) {
    const total = totalGas(f, f.gas);
    moveGas(f, child, total - total / 64n);
    return;
  }
  const kept = Math.floor(f.gas / 64);
  child.gas = f.gas - kept;
  child.reserve = 0n;
  f.gas = kept;
}
