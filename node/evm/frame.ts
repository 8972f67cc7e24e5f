import { type Code, NO_CODE } from "./code.ts";
import type { EvmFailure } from "./failure.ts";
import { Memory } from "./memory.ts";
import type { Stack } from "./operations.ts";
import { STACK_LIMIT } from "./revision.ts";
import type { FrameKind } from "./tracer.ts";

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** The most gas that a frame holds as a number; what it has beyond is in `reserve`. */
const MOST_GAS = 2 ** 51;

/** Thrown by a message that is to be given up once the gas at hand is used, see `EvmOptions.gasAtHand`. */
export class GasAtHandSpent extends Error {
  override readonly name = "GasAtHandSpent";
}

/** A call or a creation that is under way. Frames are used again, because their stacks are large. */
export class Frame {
  readonly stack: Stack = Array.from({ length: STACK_LIMIT }, () => 0n);
  readonly memory = new Memory();
  sp = 0;
  pc = 0;
  /** Exact in steps of one up to 2^52; see `reserve`. */
  gas = 0;
  /** Gas beyond what `gas` holds, moved there when that is used up. */
  reserve = 0n;
  /** Throws `GasAtHandSpent` instead of going to the reserve. */
  isBrief = false;
  kind: FrameKind = "CALL";
  code: Code = NO_CODE;
  input = NO_BYTES;
  /** What the last frame that this one began gave back. */
  returnData = NO_BYTES;
  output = NO_BYTES;
  failure: EvmFailure | undefined;
  /** It failed without taking gas or being taken back. */
  refused = false;
  /** Whose storage and balance this is. */
  address = NO_BYTES;
  addressWord = 0n;
  caller = NO_BYTES;
  callerWord = 0n;
  /** Whose code runs. */
  codeAddress = NO_BYTES;
  value = 0n;
  isStatic = false;
  depth = 0;
  /** The world's mark to go back to. */
  mark = 0;
  parent: Frame | undefined;
  /** Where in the parent's memory the output goes. */
  returnAt = 0;
  returnLength = 0;
  /** The observer has seen it begin, with this much gas. */
  seenWith: bigint | undefined;
}

const pool: Frame[] = [];
const KEPT_FRAMES = 1100;

/** A frame with an empty stack and memory; everything else is the caller's to set. */
export function takeFrame(): Frame {
  return pool.pop() ?? new Frame();
}

/** Gives a frame back for use by another call. */
export function releaseFrame(frame: Frame): void {
  frame.memory.reset();
  frame.sp = 0;
  frame.pc = 0;
  frame.input = NO_BYTES;
  frame.returnData = NO_BYTES;
  frame.output = NO_BYTES;
  frame.failure = undefined;
  frame.refused = false;
  frame.parent = undefined;
  frame.seenWith = undefined;
  frame.isBrief = false;
  frame.code = NO_CODE;
  if (pool.length < KEPT_FRAMES) pool.push(frame);
}

/** All gas of a frame that has `gas` at hand. */
export function totalGas(frame: Frame, gas: number): bigint {
  return frame.reserve + BigInt(gas);
}

/** Sets a frame's gas, of any size. */
export function setGas(frame: Frame, total: bigint): void {
  frame.gas = total <= BigInt(MOST_GAS) ? Number(total) : MOST_GAS;
  frame.reserve = total - BigInt(frame.gas);
}

/** Leaves at most `gas` at hand, and makes the frame give up where it would go on with the rest. */
export function keepAtHand(frame: Frame, gas: number): void {
  const kept = Math.min(frame.gas, gas);
  frame.reserve += BigInt(frame.gas - kept);
  frame.gas = kept;
  frame.isBrief = true;
}

/** Takes `cost` from what is at hand: what is left, negative when the frame has not so much. */
export function takeGas(frame: Frame, gas: number, cost: number): number {
  const left = gas - cost;
  if (left >= 0 || frame.reserve === 0n || left === -Infinity) return left;
  return refill(frame, left);
}

/** Takes a cost of any size; false, and nothing is taken, when the frame has not so much. */
export function payGas(frame: Frame, cost: bigint): boolean {
  const left = totalGas(frame, frame.gas) - cost;
  if (left < 0n) return false;
  if (cost <= BigInt(frame.gas)) frame.gas -= Number(cost);
  else if (frame.isBrief) throw new GasAtHandSpent();
  else setGas(frame, left);
  return true;
}

/** Moves gas from the reserve to what is at hand, of which `debt` is missing. */
function refill(frame: Frame, debt: number): number {
  const total = frame.reserve + BigInt(debt);
  if (total < 0n) return debt;
  if (frame.isBrief) throw new GasAtHandSpent();
  setGas(frame, total);
  return frame.gas;
}

/** Moves `given` of a frame's gas to one that it begins, what is at hand before what is in reserve. */
export function moveGas(frame: Frame, child: Frame, given: bigint): void {
  const kept = totalGas(frame, frame.gas) - given;
  child.gas = given < BigInt(frame.gas) ? Number(given) : frame.gas;
  child.reserve = given - BigInt(child.gas);
  child.isBrief = frame.isBrief;
  frame.gas -= child.gas;
  frame.reserve = kept - BigInt(frame.gas);
}

/** Gives a frame the gas that another has left. */
export function returnGas(frame: Frame, child: Frame): void {
  frame.gas += child.gas;
  frame.reserve += child.reserve;
  if (frame.gas > MOST_GAS) setGas(frame, totalGas(frame, frame.gas));
}
