/** What all frames have in common when they begin (execution.md 5.1). */
import type { World } from "../state/world/world.ts";
import { type EvmFailure, failures } from "./failure.ts";
import type { Frame } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** A frame deeper than this is refused. */
const DEEPEST = 1024;

/** Depth and balance, which every frame needs; a refused frame keeps its gas. */
export function mayBegin(m: Machine, f: Frame): boolean {
  if (f.depth > DEEPEST) return refuse(f, failures.depth);
  const pays = f.kind !== "DELEGATECALL" && f.value !== 0n;
  if (pays && m.world.balance(f.caller) < f.value) return refuse(f, failures["insufficient-balance"]);
  return true;
}

/** Fails a frame that has not done anything. */
export function refuse(f: Frame, failure: EvmFailure): false {
  f.failure = failure;
  f.refused = true;
  return false;
}

/** Moves the frame's value from caller to callee. */
export function transfer(world: World, { caller, address, value }: Frame): void {
  world.subtractBalance(caller, value);
  world.addBalance(address, value);
}
