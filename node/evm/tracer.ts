/**
 * The interface of tracers and the events that they receive. Every hook is optional; without a tracer no
 * event is created.
 */
import type { Address } from "../bytes/brands.ts";
import type { EvmFailure } from "./failure.ts";

/** The opcode or message that began a frame. */
export type FrameKind =
  | "CALL"
  | "CALLCODE"
  | "DELEGATECALL"
  | "STATICCALL"
  | "CREATE"
  | "CREATE2"
  | "SELFDESTRUCT";

/** Start of a frame, or a SELFDESTRUCT. */
export interface FrameStart {
  readonly kind: FrameKind;
  /** Depth; 0 for the transaction's own frame. */
  readonly depth: number;
  /** The caller or creator; for CALLCODE and DELEGATECALL the contract that borrows the code. */
  readonly from: Address;
  /** The account whose code runs, the new contract, or the beneficiary of a SELFDESTRUCT. */
  readonly to: Address;
  readonly value: bigint;
  readonly gas: bigint;
  /** Call data, or init code. */
  readonly input: Uint8Array;
  /** True when a precompiled contract runs instead of code. */
  readonly isPrecompile: boolean;
}

/** True for a frame that creates a contract. */
export function isCreation({ kind }: Pick<FrameStart, "kind">): boolean {
  return kind === "CREATE" || kind === "CREATE2";
}

/** End of a frame. */
export interface FrameEnd {
  readonly depth: number;
  /** Output of RETURN or REVERT; for a creation the code of the new contract. */
  readonly output: Uint8Array;
  readonly gasUsed: bigint;
  readonly failure: EvmFailure | undefined;
}

/** One opcode before it takes effect. Valid only during the call: a tracer copies what it keeps. */
export interface OpcodeStep {
  readonly pc: number;
  readonly op: number;
  /** Gas before the opcode. */
  readonly gas: bigint;
  /** Gas of the opcode, including the gas that it passes to a frame. */
  readonly gasCost: bigint;
  /** Computation cost of the opcode. */
  readonly computationCost: number;
  /** Computation cost of all opcodes of the transaction so far, including this one. */
  readonly computation: number;
  readonly depth: number;
  readonly address: Address;
  /** The caller of the running contract. */
  readonly caller: Address;
  readonly code: Uint8Array;
  /** The stack, its top last; only the first `stackLength` words are valid. */
  readonly stack: readonly bigint[];
  /** Number of valid words in `stack`. */
  readonly stackLength: number;
  /** The frame's memory before the opcode, expanded to the size that the opcode needs. */
  readonly memory: Uint8Array;
  readonly returnData: Uint8Array;
  readonly refund: number;
}

/** Hooks that observe an execution. */
export interface Tracer {
  enter?(start: FrameStart): void;
  exit?(end: FrameEnd): void;
  /** Called before an opcode takes effect; with a failure when it never does. */
  step?(step: OpcodeStep, failure: EvmFailure | undefined): void;
  /**
   * Called for an opcode that failed after its `step`, also for REVERT; its operands have been removed from
   * the stack.
   */
  fault?(step: OpcodeStep, failure: EvmFailure): void;
  storageRead?(address: Address, key: bigint, value: bigint): void;
  storageWrite?(address: Address, key: bigint, value: bigint): void;
}
