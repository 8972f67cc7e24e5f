/** The interface of precompiled contracts: gas, computation cost and a function of the input. */
import type { Address } from "../bytes/brands.ts";
import type { Rules } from "../config/rules.ts";
import type { World } from "../state/world/world.ts";

/** One call. The input is a view that must not be kept or changed. */
export interface PrecompileCall {
  readonly input: Uint8Array;
  readonly world: World;
  readonly rules: Rules;
  /** The account that pays the fee: the sender unless the transaction names a fee payer. */
  readonly feePayer: Address;
}

/**
 * A precompiled contract without its address; the counterpart of `PrecompiledContract` in
 * `blockchain/vm/contracts.go@v2.2.2`.
 */
export interface PrecompileWork {
  readonly name: string;
  /** Gas of a call, of any size. */
  readonly gas: (input: Uint8Array, rules: Rules) => bigint | number;
  /** Computation cost of a call, given its gas. */
  readonly cost: (input: Uint8Array, gas: bigint | number, rules: Rules) => number;
  /**
   * Runs the contract. Returns new bytes, or undefined for a failure, which consumes all gas of the frame.
   */
  readonly run: (call: PrecompileCall) => Uint8Array | undefined;
  /** Returns the Go node's text of a failure; absent for a contract that never fails. */
  readonly fault?: (input: Uint8Array) => string;
}
