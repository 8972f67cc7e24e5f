/** What an observer of contracts sees. Every hook may be absent; without an observer nothing is made for it. */
import type { EvmFailure } from "./failure.ts";

/** How a frame came to be. */
export type FrameKind =
  | "CALL"
  | "CALLCODE"
  | "DELEGATECALL"
  | "STATICCALL"
  | "CREATE"
  | "CREATE2"
  | "SELFDESTRUCT";

/** A frame that begins, or a contract that hands its balance on and goes. */
export interface FrameStart {
  readonly kind: FrameKind;
  /** 0 for the frame of the transaction. */
  readonly depth: number;
  /** Who calls or creates; for CALLCODE and DELEGATECALL the contract that borrows the code. */
  readonly from: Uint8Array;
  /** Whose code runs, or the address of the new contract, or who gets the balance. */
  readonly to: Uint8Array;
  readonly value: bigint;
  readonly gas: bigint;
  /** Call data, or the code that creates. */
  readonly input: Uint8Array;
  /** True when a precompiled contract runs instead of code. */
  readonly isPrecompile: boolean;
}

/** A frame that ended. */
export interface FrameEnd {
  readonly depth: number;
  /** What it returned or reverted with; the new contract's code for a creation. */
  readonly output: Uint8Array;
  readonly gasUsed: bigint;
  readonly failure: EvmFailure | undefined;
}

/** One opcode that is about to take effect. Valid only during the call: copy what is kept. */
export interface Step {
  readonly pc: number;
  readonly op: number;
  /** Before the opcode. */
  readonly gas: bigint;
  /** What the opcode costs, with what it hands to the frame that it calls. */
  readonly gasCost: bigint;
  /** Computation cost of the opcode. */
  readonly computationCost: number;
  /** Computation cost of all opcodes of the transaction so far, this one included. */
  readonly computation: number;
  readonly depth: number;
  readonly address: Uint8Array;
  /** The contract that called. */
  readonly caller: Uint8Array;
  readonly code: Uint8Array;
  /** The words on the stack, the top last. */
  readonly stack: readonly bigint[];
  /** How many of `stack` count. */
  readonly stackLength: number;
  /** The frame's memory before the opcode, but as large as the opcode makes it. */
  readonly memory: Uint8Array;
  readonly returnData: Uint8Array;
  readonly refund: number;
}

/** An observer. */
export interface Tracer {
  enter?(start: FrameStart): void;
  exit?(end: FrameEnd): void;
  /** Before an opcode takes effect; with a failure, when it never does. */
  step?(step: Step, failure: EvmFailure | undefined): void;
  /** An opcode that failed after its `step`, a REVERT too: its words are taken from the stack by then. */
  fault?(step: Step, failure: EvmFailure): void;
  storageRead?(address: Uint8Array, key: bigint, value: bigint): void;
  storageWrite?(address: Uint8Array, key: bigint, value: bigint): void;
}
