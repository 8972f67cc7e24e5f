/**
 * The opcodes CALL, CALLCODE, DELEGATECALL and STATICCALL: their gas (EIP-150, EIP-2929) and the frame that
 * they begin. See `blockchain/vm/gas_table.go@v2.2.2`.
 */

import type { Address } from "../bytes/brands.ts";
import { MAX_UINT64 } from "../bytes/integer.ts";
import { lowBits } from "../bytes/word.ts";
import { addressOf } from "./address.ts";
import { beginCall } from "./call-frames.ts";
import { FAILED, failOverflow, memoryEnd, rejectWrite } from "./charge.ts";
import { delegationIn } from "./code.ts";
import { type CallFrame, moveGas, releaseFrame, takeFrame, takeGas, totalGas } from "./frame.ts";
import type { Machine } from "./machine.ts";
import { settle } from "./settle.ts";
import { coldAddressGas, isColdNow } from "./state-ops.ts";
import type { FrameKind } from "./tracer.ts";

const VALUE_GAS = 9000;
const STIPEND = 2300;
const NEW_ACCOUNT_GAS = 25_000;
const COLD_TARGET_GAS = 2600;
const WARM_TARGET_GAS = 100;

const KINDS: Readonly<Record<number, FrameKind>> = {
  0xf1: "CALL",
  0xf2: "CALLCODE",
  0xf4: "DELEGATECALL",
  0xfa: "STATICCALL",
};

/** The operands of a call opcode. */
interface CallOperands {
  readonly kind: FrameKind;
  readonly gas: bigint;
  readonly toWord: bigint;
  readonly to: Address;
  readonly value: bigint;
  /** Stack index of the input's offset; the input's length and the output's offset and length lie below. */
  readonly areas: number;
}

/**
 * Executes a call opcode. A call that ends at once is settled here; otherwise the frame to run is left in
 * `m.next`. On entry `f.sp` counts the opcode's operands, on return its result. Returns the caller's
 * remaining gas, negative for a failure.
 */
export function call(m: Machine, f: CallFrame, op: number, gas: number): number {
  const words = readOperands(f, KINDS[op] as FrameKind); // the loop comes here with these four only
  const { areas, value } = words;
  const s = f.stack;
  const [inAt, inLength] = [s[areas] as bigint, s[areas - 1] as bigint];
  const [outAt, outLength] = [s[areas - 2] as bigint, s[areas - 3] as bigint];
  const [inEnd, outEnd] = [memoryEnd(inAt, inLength), memoryEnd(outAt, outLength)];
  if (inEnd < 0 || outEnd < 0) return failOverflow(f);
  const end = Math.max(inEnd, outEnd);
  const met = accessGas(m, words);
  const sent = valueGas(m, words) + f.memory.expansion(end);
  const cost = met + sent;
  const left = takeGas(f, gas, cost);
  if (left < 0) {
    m.watch?.addUnpaidGas(unpaidGas(totalGas(f, gas), { met, sent, asked: words.gas }));
    return FAILED;
  }
  const child = takeFrame();
  f.gas = left;
  passGas(f, child, words.gas);
  f.memory.grow(end);
  m.watch?.addGas(f, BigInt(cost) + totalGas(child, child.gas));
  if (value !== 0n && !addStipend(f, child, words.kind)) return rejectWrite(f);
  if (inLength > 0n) child.input = f.memory.bytes.subarray(lowBits(inAt), inEnd);
  child.returnAt = outEnd === 0 ? 0 : lowBits(outAt);
  child.returnLength = lowBits(outLength);
  fillChild(f, child, words);
  f.sp = areas - 2;
  if (beginCall(m, child)) m.next = child;
  else settle(m, child);
  return f.gas;
}

function readOperands(f: CallFrame, kind: FrameKind): CallOperands {
  const { stack: s, sp } = f;
  const hasValue = kind === "CALL" || kind === "CALLCODE";
  const toWord = s[sp - 2] as bigint;
  return {
    kind,
    gas: s[sp - 1] as bigint,
    toWord,
    to: addressOf(toWord),
    value: hasValue ? (s[sp - 3] as bigint) : 0n,
    areas: hasValue ? sp - 4 : sp - 3,
  };
}

/** Returns the gas for access to the callee and, for a delegated account, to its target (EIP-7702). */
function accessGas(m: Machine, { to }: CallOperands): number {
  const cost = coldAddressGas(m, to);
  const target = m.rules.delegations ? delegationIn(m.codes.at(to).bytes) : undefined;
  if (target === undefined) return cost;
  return cost + (isColdNow(m, target) ? COLD_TARGET_GAS : WARM_TARGET_GAS);
}

/** Returns the gas for a transfer of value and for an account that it creates. */
function valueGas({ world }: Machine, { kind, to, value }: CallOperands): number {
  if (value === 0n) return 0;
  return kind === "CALL" && world.isEmpty(to) ? VALUE_GAS + NEW_ACCOUNT_GAS : VALUE_GAS;
}

/**
 * Returns the gas that a tracer sees for a call that the frame cannot pay. The Go node charges the account
 * access first and then subtracts the rest from an unsigned number, which wraps around.
 */
function unpaidGas(
  had: bigint,
  { met, sent, asked }: { readonly met: number; readonly sent: number; readonly asked: bigint },
): bigint {
  if (had < BigInt(met) || sent === Infinity) return 0n;
  const wrapped = BigInt.asUintN(64, had - BigInt(met) - BigInt(sent));
  const most = wrapped - wrapped / 64n;
  const total = BigInt(met + sent) + (asked < most ? asked : most);
  return total > MAX_UINT64 ? 0n : total;
}

/**
 * Adds the stipend of a transfer to the child's gas. Returns false, and releases the child, in a static
 * frame.
 */
function addStipend(f: CallFrame, child: CallFrame, kind: FrameKind): boolean {
  if (f.isStatic && kind === "CALL") {
    releaseFrame(child);
    return false;
  }
  child.gas += STIPEND;
  return true;
}

/** Passes gas to the child: the amount asked for, at most all but one 64th (EIP-150). */
function passGas(f: CallFrame, child: CallFrame, asked: bigint): void {
  if (f.reserve > 0n) {
    const total = totalGas(f, f.gas);
    const most = total - total / 64n;
    const given = asked < most ? asked : most;
    moveGas(f, child, given);
    return;
  }
  const most = f.gas - Math.floor(f.gas / 64);
  child.gas = asked < BigInt(most) ? Number(asked) : most;
  child.reserve = 0n;
  f.gas -= child.gas;
}

function fillChild(f: CallFrame, child: CallFrame, { kind, to, toWord, value }: CallOperands): void {
  const borrows = kind === "CALLCODE" || kind === "DELEGATECALL";
  const keeps = kind === "DELEGATECALL";
  child.kind = kind;
  child.parent = f;
  child.depth = f.depth + 1;
  child.codeAddress = to;
  child.address = borrows ? f.address : to;
  child.addressWord = borrows ? f.addressWord : BigInt.asUintN(160, toWord);
  child.caller = keeps ? f.caller : f.address;
  child.callerWord = keeps ? f.callerWord : f.addressWord;
  child.value = keeps ? f.value : value;
  child.isStatic = f.isStatic || kind === "STATICCALL";
}
