/** What a precompiled contract is: a price, a computation cost and a function of its input. */
import type { Rules } from "../config/rules.ts";
import type { World } from "../state/world/world.ts";

/** One call. The input is a view: it is not kept and not changed. */
export interface PrecompileCall {
  readonly input: Uint8Array;
  readonly world: World;
  readonly rules: Rules;
  /** Who pays for the transaction: its sender when nobody else does. */
  readonly feePayer: Uint8Array;
}

/** What a precompiled contract does, wherever it stands (execution.md 5.2, computation costs 5.4). */
export interface PrecompileWork {
  readonly name: string;
  /** Before it runs; any size. */
  readonly gas: (input: Uint8Array, rules: Rules) => bigint | number;
  /** Computation cost of a call that cost so much gas. */
  readonly cost: (input: Uint8Array, gas: bigint | number, rules: Rules) => number;
  /** The output, new bytes; undefined is a failure, which consumes all gas of the frame. */
  readonly run: (call: PrecompileCall) => Uint8Array | undefined;
  /** Why it failed, as the Go node words it; absent for what never fails. Asked only after a failure. */
  readonly fault?: (input: Uint8Array) => string;
}
