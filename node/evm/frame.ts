/** Frames of calls and creations: their pool, and their gas as a number with a reserve beyond it. */
import type { Address } from "../bytes/brands.ts";
import { type Code, NO_CODE } from "./code.ts";
import type { EvmFailure } from "./failure.ts";
import { Memory } from "./memory.ts";
import type { Stack } from "./operations.ts";
import { STACK_LIMIT } from "./revision.ts";
import type { FrameKind } from "./tracer.ts";

/** Empty input and output. */
export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Largest amount of gas that a frame holds as a number; the rest is in `reserve`. */
const MAX_GAS = 2 ** 51;

/** Thrown when a message needs more gas than `EvmOptions.gasBudget`. */
export class GasBudgetExceeded extends Error {
  override readonly name = "GasBudgetExceeded";
}

/** A running call or creation. Frames are pooled because their stacks are large. */
export class CallFrame {
  readonly stack: Stack = Array.from({ length: STACK_LIMIT }, () => 0n);
  readonly memory = new Memory();
  sp = 0;
  pc = 0;
  /** Remaining gas as an exact integer of at most 2^51; more is in `reserve`. */
  gas = 0;
  /** Remaining gas beyond `gas`. */
  reserve = 0n;
  /** Throws `GasBudgetExceeded` instead of the use of `reserve`. */
  isBudgeted = false;
  kind: FrameKind = "CALL";
  code: Code = NO_CODE;
  input = NO_BYTES;
  /** Output of the last frame that this frame began. */
  returnData = NO_BYTES;
  output = NO_BYTES;
  failure: EvmFailure | undefined;
  /** The frame failed before it began: it keeps its gas and changed nothing. */
  isRejected = false;
  /** The account whose storage and balance the code uses. */
  address: Address = NO_BYTES;
  addressWord = 0n;
  caller: Address = NO_BYTES;
  callerWord = 0n;
  /** The account whose code runs. */
  codeAddress: Address = NO_BYTES;
  value = 0n;
  isStatic = false;
  depth = 0;
  /** The world's snapshot that a failure reverts to. */
  snapshotId = 0;
  parent: CallFrame | undefined;
  /** Offset in the parent's memory for the output. */
  returnAt = 0;
  returnLength = 0;
  /** Gas at the start, set when a tracer has seen the frame begin. */
  gasAtEnter: bigint | undefined;
}

const framePool: CallFrame[] = [];
const MAX_POOLED_FRAMES = 1100;

/** Returns a frame with an empty stack and memory; the caller sets everything else. */
export function takeFrame(): CallFrame {
  return framePool.pop() ?? new CallFrame();
}

/** Returns a frame to the pool. */
export function releaseFrame(frame: CallFrame): void {
  frame.memory.reset();
  frame.sp = 0;
  frame.pc = 0;
  frame.input = NO_BYTES;
  frame.returnData = NO_BYTES;
  frame.output = NO_BYTES;
  frame.failure = undefined;
  frame.isRejected = false;
  frame.parent = undefined;
  frame.gasAtEnter = undefined;
  frame.isBudgeted = false;
  frame.code = NO_CODE;
  if (framePool.length < MAX_POOLED_FRAMES) framePool.push(frame);
}

/** Returns the total gas of a frame whose `gas` is held by the loop. */
export function totalGas(frame: CallFrame, gas: number): bigint {
  return frame.reserve + BigInt(gas);
}

/** Sets a frame's total gas, of any size. */
export function setGas(frame: CallFrame, total: bigint): void {
  frame.gas = total <= BigInt(MAX_GAS) ? Number(total) : MAX_GAS;
  frame.reserve = total - BigInt(frame.gas);
}

/** Limits a frame to a gas budget; more use throws `GasBudgetExceeded`. */
export function limitGas(frame: CallFrame, gas: number): void {
  const kept = Math.min(frame.gas, gas);
  frame.reserve += BigInt(frame.gas - kept);
  frame.gas = kept;
  frame.isBudgeted = true;
}

/** Charges `cost`. Returns the gas left, negative when the frame cannot pay. */
export function takeGas(frame: CallFrame, gas: number, cost: number): number {
  const left = gas - cost;
  if (left >= 0 || frame.reserve === 0n || left === -Infinity) return left;
  return refill(frame, left);
}

/** Charges a cost of any size. Returns false, and charges nothing, when the frame cannot pay. */
export function payGas(frame: CallFrame, cost: bigint): boolean {
  const left = totalGas(frame, frame.gas) - cost;
  if (left < 0n) return false;
  if (cost <= BigInt(frame.gas)) frame.gas -= Number(cost);
  else if (frame.isBudgeted) throw new GasBudgetExceeded();
  else setGas(frame, left);
  return true;
}

/** Moves gas from the reserve to `gas`, which is negative by `debt`. */
function refill(frame: CallFrame, debt: number): number {
  const total = frame.reserve + BigInt(debt);
  if (total < 0n) return debt;
  if (frame.isBudgeted) throw new GasBudgetExceeded();
  setGas(frame, total);
  return frame.gas;
}

/** Moves `given` gas from a frame to its child, first from `gas`, then from `reserve`. */
export function moveGas(frame: CallFrame, child: CallFrame, given: bigint): void {
  const kept = totalGas(frame, frame.gas) - given;
  child.gas = given < BigInt(frame.gas) ? Number(given) : frame.gas;
  child.reserve = given - BigInt(child.gas);
  child.isBudgeted = frame.isBudgeted;
  frame.gas -= child.gas;
  frame.reserve = kept - BigInt(frame.gas);
}

/** Adds the child's remaining gas to a frame's. */
export function returnGas(frame: CallFrame, child: CallFrame): void {
  frame.gas += child.gas;
  frame.reserve += child.reserve;
  if (frame.gas > MAX_GAS) setGas(frame, totalGas(frame, frame.gas));
}
