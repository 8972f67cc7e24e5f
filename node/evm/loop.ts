/**
 * The interpreter loop: one opcode per iteration, its case a line that calls a small function. Gas and
 * computation cost are charged per opcode, because the kind of failure is part of the receipt. One long
 * function, exempt from the size limits because a split costs speed; measured by `bench/evm.ts`.
 */
import { countWord, indexOf } from "../bytes/word.ts";
import { call } from "./calls.ts";
import { create } from "./creations.ts";
import { type EvmFailure, failures, invalidOpcode, stackOverflow, stackUnderflow } from "./failure.ts";
import { type CallFrame, takeGas, totalGas } from "./frame.ts";
import type { Machine } from "./machine.ts";
import * as memory from "./memory-ops.ts";
import * as operations from "./operations.ts";
import { NEVER } from "./revision.ts";
import * as state from "./state-ops.ts";

/** Number of small integers that are cached as words. */
const SMALL = 32_768;

/** Filled by the first run: at the start of a thread that runs nothing they would be a megabyte for nothing. */
const smallWords: bigint[] = [];

/** Returns a small integer as a word. */
function word(count: number): bigint {
  return count < SMALL ? (smallWords[count] as bigint) : countWord(count);
}

/**
 * Runs a frame until it ends or begins another frame. Returns true when `m.next` has to run first; otherwise
 * the frame's output, failure and gas hold the result.
 */
export function run(m: Machine, f: CallFrame): boolean {
  if (smallWords.length === 0) for (let i = 0; i < SMALL; i++) smallWords.push(BigInt(i));
  const { gas: gasOf, cost: costOf, minStack, maxStack } = m.tables;
  const { limit, watch, context } = m;
  const { stack: s, memory: mem, code } = f;
  const bytes = code.bytes;
  const end = bytes.length;
  let { pc, sp, gas } = f;
  let computation = m.computation;
  let op = 0;
  for (;;) {
    op = pc < end ? (bytes[pc] as number) : 0;
    if (watch !== undefined) watch.begin(f, { pc, op, gas, sp, computation });
    if (sp < (minStack[op] as number) || sp > (maxStack[op] as number)) {
      f.failure = refusal(m, op, sp);
      break;
    }
    gas -= gasOf[op] as number;
    if (gas < 0 && (gas = takeGas(f, gas, 0)) < 0) break;
    computation += costOf[op] as number;
    if (computation > limit) {
      f.failure = failures["computation-limit"];
      break;
    }
    if (watch !== undefined) watch.allow(f);
    pc++;
    switch (op) {
      case 0x00:
        f.gas = gas;
        m.computation = computation;
        return false;
      case 0x01:
        operations.add(s, sp--);
        continue;
      case 0x02:
        operations.mul(s, sp--);
        continue;
      case 0x03:
        operations.sub(s, sp--);
        continue;
      case 0x04:
        operations.div(s, sp--);
        continue;
      case 0x05:
        operations.sdiv(s, sp--);
        continue;
      case 0x06:
        operations.mod(s, sp--);
        continue;
      case 0x07:
        operations.smod(s, sp--);
        continue;
      case 0x08:
        operations.addmod(s, sp);
        sp -= 2;
        continue;
      case 0x09:
        operations.mulmod(s, sp);
        sp -= 2;
        continue;
      case 0x0a:
        gas = state.exp(m, f, sp, gas);
        if (gas < 0) break;
        operations.exp(s, sp--);
        continue;
      case 0x0b:
        operations.signextend(s, sp--);
        continue;
      case 0x10:
        operations.lt(s, sp--);
        continue;
      case 0x11:
        operations.gt(s, sp--);
        continue;
      case 0x12:
        operations.slt(s, sp--);
        continue;
      case 0x13:
        operations.sgt(s, sp--);
        continue;
      case 0x14:
        operations.eq(s, sp--);
        continue;
      case 0x15:
        operations.iszero(s, sp);
        continue;
      case 0x16:
        operations.and(s, sp--);
        continue;
      case 0x17:
        operations.or(s, sp--);
        continue;
      case 0x18:
        operations.xor(s, sp--);
        continue;
      case 0x19:
        operations.not(s, sp);
        continue;
      case 0x1a:
        operations.byte(s, sp--);
        continue;
      case 0x1b:
        operations.shl(s, sp--);
        continue;
      case 0x1c:
        operations.shr(s, sp--);
        continue;
      case 0x1d:
        operations.sar(s, sp--);
        continue;
      case 0x1e:
        operations.clz(s, sp);
        continue;
      case 0x20:
        gas = memory.keccakOfMemory(m, f, sp--, gas);
        if (gas < 0) break;
        continue;
      case 0x30:
        s[sp++] = f.addressWord;
        continue;
      case 0x31:
        gas = state.balance(m, f, sp, gas);
        if (gas < 0) break;
        continue;
      case 0x32:
        s[sp++] = context.origin;
        continue;
      case 0x33:
        s[sp++] = f.callerWord;
        continue;
      case 0x34:
        s[sp++] = f.value;
        continue;
      case 0x35:
        memory.calldataload(f, sp);
        continue;
      case 0x36:
        s[sp++] = word(f.input.length);
        continue;
      case 0x37:
        gas = memory.calldatacopy(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 3;
        continue;
      case 0x38:
        s[sp++] = word(end);
        continue;
      case 0x39:
        gas = memory.codecopy(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 3;
        continue;
      case 0x3a:
        s[sp++] = context.gasPrice;
        continue;
      case 0x3b:
        gas = state.extcodesize(m, f, sp, gas);
        if (gas < 0) break;
        continue;
      case 0x3c:
        gas = state.extcodecopy(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 4;
        continue;
      case 0x3d:
        s[sp++] = word(f.returnData.length);
        continue;
      case 0x3e:
        gas = memory.returndatacopy(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 3;
        continue;
      case 0x3f:
        gas = state.extcodehash(m, f, sp, gas);
        if (gas < 0) break;
        continue;
      case 0x40:
        state.blockhash(m, f, sp);
        continue;
      case 0x41:
        s[sp++] = context.coinbase;
        continue;
      case 0x42:
        s[sp++] = context.timestamp;
        continue;
      case 0x43:
        s[sp++] = context.number;
        continue;
      case 0x44:
        s[sp++] = context.difficulty;
        continue;
      case 0x45:
        s[sp++] = context.gasLimit;
        continue;
      case 0x46:
        s[sp++] = context.chainId;
        continue;
      case 0x47:
        s[sp++] = m.world.balance(f.address);
        continue;
      case 0x48:
        s[sp++] = context.baseFee;
        continue;
      case 0x49:
        state.blobhash(m, f, sp);
        continue;
      case 0x4a:
        s[sp++] = context.blobBaseFee;
        continue;
      case 0x50:
        sp--;
        continue;
      case 0x51: {
        const index = indexOf(s[sp - 1] as bigint);
        if (index + 32 <= mem.size && watch === undefined) {
          s[sp - 1] = mem.load(index);
          continue;
        }
        gas = memory.mload(m, f, sp, gas);
        if (gas < 0) break;
        continue;
      }
      case 0x52: {
        const index = indexOf(s[sp - 1] as bigint);
        if (index + 32 <= mem.size && watch === undefined) {
          mem.store(index, s[sp - 2] as bigint);
          sp -= 2;
          continue;
        }
        gas = memory.mstore(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 2;
        continue;
      }
      case 0x53:
        gas = memory.mstore8(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 2;
        continue;
      case 0x54:
        gas = state.sload(m, f, sp, gas);
        if (gas < 0) break;
        continue;
      case 0x55:
        gas = state.sstore(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 2;
        continue;
      case 0x56: {
        const target = indexOf(s[--sp] as bigint);
        if (!code.isTarget(target)) {
          f.failure = failures["invalid-jump"];
          break;
        }
        pc = target;
        continue;
      }
      case 0x57: {
        sp -= 2;
        if (s[sp] === 0n) continue;
        const target = indexOf(s[sp + 1] as bigint);
        if (!code.isTarget(target)) {
          f.failure = failures["invalid-jump"];
          break;
        }
        pc = target;
        continue;
      }
      case 0x58:
        s[sp++] = word(pc - 1);
        continue;
      case 0x59:
        s[sp++] = word(mem.size);
        continue;
      case 0x5a:
        s[sp++] = f.reserve === 0n ? countWord(gas) : totalGas(f, gas);
        continue;
      case 0x5b:
        continue;
      case 0x5c:
        s[sp - 1] = m.world.transient(f.address, s[sp - 1] as bigint);
        continue;
      case 0x5d:
        if (!state.tstore(m, f, sp)) break;
        sp -= 2;
        continue;
      case 0x5e:
        gas = memory.mcopy(m, f, sp, gas);
        if (gas < 0) break;
        sp -= 3;
        continue;
      case 0x5f:
        s[sp++] = 0n;
        continue;
      case 0x60:
        s[sp++] = pc < end ? (smallWords[bytes[pc] as number] as bigint) : 0n;
        pc++;
        continue;
      case 0x61:
        s[sp++] = word(((bytes[pc] ?? 0) << 8) | (bytes[pc + 1] ?? 0));
        pc += 2;
        continue;
      case 0x80:
        s[sp] = s[sp - 1] as bigint;
        sp++;
        continue;
      case 0x81:
        s[sp] = s[sp - 2] as bigint;
        sp++;
        continue;
      case 0x90: {
        const top = s[sp - 1] as bigint;
        s[sp - 1] = s[sp - 2] as bigint;
        s[sp - 2] = top;
        continue;
      }
      case 0xa0:
      case 0xa1:
      case 0xa2:
      case 0xa3:
      case 0xa4:
        gas = memory.log(m, f, { sp, gas }, op - 0xa0);
        if (gas < 0) break;
        sp -= op - 0x9e;
        continue;
      case 0xf0:
      case 0xf1:
      case 0xf2:
      case 0xf4:
      case 0xf5:
      case 0xfa:
        f.sp = sp;
        f.pc = pc;
        m.computation = computation;
        gas = op === 0xf0 || op === 0xf5 ? create(m, f, op, gas) : call(m, f, op, gas);
        if (gas < 0) break;
        if (m.next !== undefined) return true;
        sp = f.sp;
        computation = m.computation;
        continue;
      case 0xf3:
        gas = memory.returnMemory(m, f, sp, gas);
        if (gas < 0) break;
        f.gas = gas;
        m.computation = computation;
        return false;
      case 0xfd:
        gas = memory.returnMemory(m, f, sp, gas);
        if (gas < 0) break;
        f.gas = gas;
        m.computation = computation;
        f.failure = failures.reverted;
        if (watch !== undefined) watch.fail(f, failures.reverted);
        return false;
      case 0xff:
        gas = state.selfdestruct(m, f, sp, gas);
        if (gas < 0) break;
        f.gas = gas;
        m.computation = computation;
        return false;
      default:
        if (op <= 0x7f) {
          s[sp++] = code.constant(pc, op - 0x5f);
          pc += op - 0x5f;
        } else if (op <= 0x8f) {
          s[sp] = s[sp - (op - 0x7f)] as bigint;
          sp++;
        } else operations.swap(s, sp, op - 0x8f);
        continue;
    }
    break;
  }
  m.computation = computation;
  const failure = f.failure ?? failures["out-of-gas"];
  f.failure = failure;
  watch?.fail(f, failure);
  return false;
}

/** Returns the failure of an opcode that may not run, checked in the order of the Go node. */
function refusal({ tables }: Machine, op: number, sp: number): EvmFailure {
  const needed = tables.minStack[op] as number; // there is one for each byte, as in the tables below
  if (needed === NEVER) return invalidOpcode(op);
  if (sp < needed) return stackUnderflow(sp, needed);
  return stackOverflow(sp, tables.maxStack[op] as number);
}
