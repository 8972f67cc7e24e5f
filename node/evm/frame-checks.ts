/** Checks and transfers that all frames have in common when they begin. */
import type { World } from "../state/world/world.ts";
import { type EvmFailure, failures } from "./failure.ts";
import type { CallFrame } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** Upper bound of a frame's depth. */
const MAX_DEPTH = 1024;

/** Checks depth and balance; a frame that fails here keeps its gas. */
export function checkStart(m: Machine, f: CallFrame): boolean {
  if (f.depth > MAX_DEPTH) return rejectFrame(f, failures.depth);
  const pays = f.kind !== "DELEGATECALL" && f.value !== 0n;
  if (pays && m.world.balance(f.caller) < f.value) return rejectFrame(f, failures["insufficient-balance"]);
  return true;
}

/** Fails a frame before it has changed anything. */
export function rejectFrame(f: CallFrame, failure: EvmFailure): false {
  f.failure = failure;
  f.isRejected = true;
  return false;
}

/** Moves the frame's value from caller to callee. */
export function transfer(world: World, { caller, address, value }: CallFrame): void {
  world.subtractBalance(caller, value);
  world.addBalance(address, value);
}
