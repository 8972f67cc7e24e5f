/** Types that all kinds of tracers share. */

import type { Address } from "../../bytes/brands.ts";
import type { RpcProfile } from "../../compat/profiles.ts";
import type { Sandboxes } from "../../evm/programs/sandbox.ts";
import type { OpcodeStep, Tracer } from "../../evm/tracer.ts";
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

/** Members of a profile that affect traces. */
export type TraceProfile = Pick<
  RpcProfile,
  "olderTraces" | "framelessTraces" | "prestateFee" | "hidesStepErrors"
>;

/** Options of a trace. */
export interface TracingOptions {
  readonly config: TraceConfig;
  readonly budget: TraceBudget;
  readonly profile: TraceProfile;
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
