/** Types that all kinds of tracers share. */

import type { Address } from "../../bytes/brands.ts";
import type { Sandboxes } from "../../evm/programs/sandbox.ts";
import type { FrameStart, OpcodeStep, Tracer } from "../../evm/tracer.ts";
import type { CallTrace } from "../../evm/tracers/call-tracer.ts";
import type { World } from "../../state/world/world.ts";
import type { TraceConfig } from "../arguments/trace-config.ts";
import type { TraceBudget } from "./trace-limits.ts";

/** The transaction or call to trace. */
export interface TraceSubject {
  readonly from: Address;
  /** The recipient; undefined for a contract creation. */
  readonly to: Address | undefined;
  readonly input: Uint8Array;
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** The fee payer, if it is not the sender alone. */
  readonly feePayer?: Address | undefined;
  /** Fee of the blobs, in peb. */
  readonly blobFee?: bigint;
  /** Amount granted to the sender of a call for its gas, in peb. */
  readonly granted?: bigint;
  /** Gas price, in peb. */
  readonly price: bigint;
}

/** Outcome of a traced transaction. */
export interface TracedOutcome {
  readonly gasUsed: bigint;
  readonly failed: boolean;
  readonly output: Uint8Array;
  /** Fee paid for the gas, in peb. */
  readonly fee: bigint;
}

/** The running trace of one transaction. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Returns the trace as JSON. Throws `RpcError`. */
  readonly result: (outcome: TracedOutcome) => unknown;
  /** Estimates the bytes that an opcode adds to the trace; 0 when absent. */
  readonly stepBytes?: (step: OpcodeStep) => number;
  /** Releases the resources of the trace. */
  readonly end?: () => void;
}

/** A call trace and the data around it. */
export interface FinishedCall {
  /** Undefined when no frame was executed. */
  readonly trace: CallTrace | undefined;
  readonly start: FrameStart | undefined;
  readonly gasUsed: bigint;
  /** The tracer is `fastCallTracer`. */
  readonly isFast: boolean;
}

/** Rules of traces that interfaces choose. */
export interface TraceForm {
  /** Formats a call trace in a form of its own; by default a trace is the tracer's, with a frame always. */
  readonly formatCall?: (call: FinishedCall) => object;
  /** Errors of tracers, by name, for a transaction that executes no code; other tracers return a trace. */
  readonly framelessErrors: Readonly<Record<string, string>>;
  /** A program sees a frame of a transaction that executes no code. */
  readonly framelessPrograms: boolean;
  /**
   * The sender's balance in `prestateTracer`: as it was (`right`), plus the part of the fee that a fee payer
   * paid (`lent`), or minus the fee (`spent`).
   */
  readonly prestateFee: "right" | "lent" | "spent";
  /** A default trace reports that an opcode failed, without the reason. */
  readonly hidesStepErrors: boolean;
}

/** Options of a trace. */
export interface TracingOptions {
  readonly config: TraceConfig;
  readonly budget: TraceBudget;
  readonly traceForm: TraceForm;
  /** Maximum computation cost of a transaction. */
  readonly computationLimit: number;
  /** Number of the block. */
  readonly block: number;
  /** JavaScript engines for programs of callers; undefined refuses programs. */
  readonly sandboxes: Sandboxes | undefined;
}

/** Dependencies of a tracer. */
export interface TracingDeps extends TracingOptions {
  readonly world: World;
  readonly subject: TraceSubject;
  readonly name: string;
  /** Deadline on the clock of `performance.now()`. */
  readonly endsAt: number;
}
