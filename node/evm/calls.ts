/** CALL and its three relatives: what they cost, and the frame that they begin (execution.md 5.1). */
import { lowBits } from "../bytes/word.ts";
import { addressOf } from "./address.ts";
import { beginCall } from "./call-frames.ts";
import { FAILED, memoryEnd, overflow, refuseWrite } from "./charge.ts";
import { delegationIn } from "./code.ts";
import { type Frame, moveGas, releaseFrame, takeFrame, takeGas, totalGas } from "./frame.ts";
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

/** What the opcode's words say. */
interface Words {
  readonly kind: FrameKind;
  readonly gas: bigint;
  readonly toWord: bigint;
  readonly to: Uint8Array;
  readonly value: bigint;
  /** Where the areas of input and output are on the stack: the input's offset. */
  readonly areas: number;
}

/**
 * Runs a call that ends at once, or leaves in `m.next` the frame that has to run. `f.sp` is at the opcode's words
 * and then at its result. Returns the caller's gas, negative for a failure.
 */
export function call(m: Machine, f: Frame, op: number, gas: number): number {
  const words = readWords(f, KINDS[op] as FrameKind); // the loop comes here with these four only
  const { areas, value } = words;
  const s = f.stack;
  const [inAt, inLength] = [s[areas] as bigint, s[areas - 1] as bigint];
  const [outAt, outLength] = [s[areas - 2] as bigint, s[areas - 3] as bigint];
  const [inEnd, outEnd] = [memoryEnd(inAt, inLength), memoryEnd(outAt, outLength)];
  if (inEnd < 0 || outEnd < 0) return overflow(f);
  const end = Math.max(inEnd, outEnd);
  const met = meetingGas(m, words);
  const sent = sendingGas(m, words) + f.memory.expansion(end);
  const cost = met + sent;
  const left = takeGas(f, gas, cost);
  if (left < 0) {
    m.watch?.unpaid(unpaidGas(totalGas(f, gas), { met, sent, asked: words.gas }));
    return FAILED;
  }
  const child = takeFrame();
  f.gas = left;
  handOver(f, child, words.gas);
  f.memory.grow(end);
  m.watch?.charged(f, BigInt(cost) + totalGas(child, child.gas));
  if (value !== 0n && !isSent(f, child, words.kind)) return refuseWrite(f);
  if (inLength > 0n) child.input = f.memory.bytes.subarray(lowBits(inAt), inEnd);
  child.returnAt = outEnd === 0 ? 0 : lowBits(outAt);
  child.returnLength = lowBits(outLength);
  address(f, child, words);
  f.sp = areas - 2;
  if (beginCall(m, child)) m.next = child;
  else settle(m, child);
  return f.gas;
}

function readWords(f: Frame, kind: FrameKind): Words {
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

/** Gas for who is called. */
function meetingGas(m: Machine, { to }: Words): number {
  const cost = coldAddressGas(m, to);
  const target = m.rules.delegations ? delegationIn(m.codes.at(to).bytes) : undefined;
  if (target === undefined) return cost;
  return cost + (isColdNow(m, target) ? COLD_TARGET_GAS : WARM_TARGET_GAS);
}

/** Gas for what is sent. */
function sendingGas({ world }: Machine, { kind, to, value }: Words): number {
  if (value === 0n) return 0;
  return kind === "CALL" && world.isEmpty(to) ? VALUE_GAS + NEW_ACCOUNT_GAS : VALUE_GAS;
}

const MOST_GAS = (1n << 64n) - 1n;

/**
 * What a tracer sees of a call that its frame cannot pay: the Go node pays for the meeting first, and then takes what
 * is left for the called frame below zero, which wraps.
 */
function unpaidGas(
  had: bigint,
  { met, sent, asked }: { readonly met: number; readonly sent: number; readonly asked: bigint },
): bigint {
  if (had < BigInt(met) || sent === Infinity) return 0n;
  const wrapped = BigInt.asUintN(64, had - BigInt(met) - BigInt(sent));
  const most = wrapped - wrapped / 64n;
  const total = BigInt(met + sent) + (asked < most ? asked : most);
  return total > MOST_GAS ? 0n : total;
}

/** Gives the child what an amount brings with it; false, and the child goes, where none may be sent. */
function isSent(f: Frame, child: Frame, kind: FrameKind): boolean {
  if (f.isStatic && kind === "CALL") {
    releaseFrame(child);
    return false;
  }
  child.gas += STIPEND;
  return true;
}

/** Moves gas to the child: what was asked for, but at most all but a 64th. */
function handOver(f: Frame, child: Frame, asked: bigint): void {
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

function address(f: Frame, child: Frame, { kind, to, toWord, value }: Words): void {
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
