/** What every trace is made of and gives, whichever tracer makes it. */

import type { RpcProfile } from "../../compat/profiles.ts";
import type { Sandboxes } from "../../evm/programs/sandbox.ts";
import type { Step, Tracer } from "../../evm/tracer.ts";
import type { World } from "../../state/world/world.ts";
import type { TraceConfig } from "../arguments/trace-config.ts";
import type { TraceBudget } from "./trace-limits.ts";

/** What is traced, as far as it is known beforehand. */
export interface Subject {
  readonly from: Uint8Array;
  /** Absent for a creation. */
  readonly to: Uint8Array | undefined;
  readonly input: Uint8Array;
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** Where the sender does not pay the fee alone. */
  readonly feePayer?: Uint8Array | undefined;
  /** What its blobs cost the sender. */
  readonly blobFee?: bigint;
  /** What a unit of gas costs, in peb. */
  readonly price: bigint;
}

/** What became of it. */
export interface TracedOutcome {
  readonly gasUsed: bigint;
  readonly failed: boolean;
  readonly output: Uint8Array;
  /** What was paid for the gas, by whomever. */
  readonly fee: bigint;
}

/** One transaction's trace in the making. */
export interface Tracing {
  readonly tracer: Tracer;
  /** The trace, as it is shown. Throws `RpcError`. */
  readonly result: (outcome: TracedOutcome) => unknown;
  /** About what an opcode adds to the trace; nothing when absent. */
  readonly stepBytes?: (step: Step) => number;
  /** Lets go of what it was made with. */
  readonly end?: () => void;
}

/** What profiles tell differently of traces. */
export type TraceProfile = Pick<
  RpcProfile,
  "olderTraces" | "framelessTraces" | "prestateFee" | "hidesStepErrors"
>;

/** Under what traces are made. */
export interface TracingTerms {
  readonly config: TraceConfig;
  readonly budget: TraceBudget;
  readonly profile: TraceProfile;
  /** Of all opcodes of a transaction. */
  readonly computationLimit: number;
  /** The block's number. */
  readonly block: number;
  /** Where callers' own programs run; without it there are none. */
  readonly sandboxes: Sandboxes | undefined;
}

/** What a tracer is made of. */
export interface TracingParts extends TracingTerms {
  readonly world: World;
  readonly subject: Subject;
  readonly name: string;
  /** As `performance.now()` counts. */
  readonly endsAt: number;
}
