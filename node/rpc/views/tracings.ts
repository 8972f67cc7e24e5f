/** The tracers that callers name, each made fresh for one transaction (rpc.md 2.8.3). */
import type { FrameStart, Step, Tracer } from "../../evm/tracer.ts";
import { createCallTracer, framelessCall } from "../../evm/tracers/call-tracer.ts";
import {
  type CountTracer,
  createBigramTracer,
  createFourByteTracer,
  createOpcodeCounter,
  createTrigramTracer,
  createUnigramTracer,
} from "../../evm/tracers/count-tracers.ts";
import { createEvmdisTracer, evmdisBytes } from "../../evm/tracers/evmdis-tracer.ts";
import { createPrestateTracer } from "../../evm/tracers/prestate-tracer.ts";
import { createRevertTracer } from "../../evm/tracers/revert-tracer.ts";
import { createStructLogger } from "../../evm/tracers/struct-logger.ts";
import type { World } from "../../state/world.ts";
import { durationMs, type TraceConfig } from "../codecs/trace-config.ts";
import { failure } from "../errors.ts";
import type { RpcProfile } from "../profiles.ts";
import { olderCallTrace } from "./older-call-trace.ts";
import { structBytes } from "./struct-bytes.ts";
import { limited, type TraceBudget } from "./trace-limits.ts";

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
}

/** What a tracer is made of. */
interface Parts extends TracingTerms {
  readonly world: World;
  readonly subject: Subject;
  readonly name: string;
}

type Make = (parts: Parts) => Tracing;

const counting =
  <Result>(create: () => CountTracer<Result>): Make =>
  () =>
    create();

/** By the names that callers use. */
const TRACERS: Readonly<Record<string, Make>> = {
  callTracer: callTracing,
  fastCallTracer: callTracing,
  prestateTracer: prestateTracing,
  revertTracer: () => createRevertTracer(),
  "4byteTracer": ({ subject }) => createFourByteTracer(subject.input),
  opcountTracer: counting(createOpcodeCounter),
  unigramTracer: counting(createUnigramTracer),
  bigramTracer: counting(createBigramTracer),
  trigramTracer: counting(createTrigramTracer),
  evmdisTracer: () => ({ ...createEvmdisTracer(), stepBytes: evmdisBytes }),
  noopTracer: () => ({ tracer: {}, result: () => ({}) }),
};

/** Starts the trace that the configuration asks for, before the transaction runs on `world`. Throws `RpcError`. */
export function startTracing(terms: TracingTerms, world: World, subject: Subject): Tracing {
  const { tracer: name } = terms.config;
  if (name === undefined) return structTracing(terms);
  const make = Object.hasOwn(TRACERS, name) ? TRACERS[name] : undefined;
  if (make === undefined) throw noTracer(name);
  const { tracer, result, stepBytes = () => 0 } = make({ ...terms, world, subject, name });
  let hasFrame = false;
  const watched: Tracer = {
    ...tracer,
    enter: (start) => {
      hasFrame = true;
      tracer.enter?.(start);
    },
  };
  return {
    tracer: limited(watched, {
      budget: terms.budget,
      endsAt: performance.now() + durationMs(terms.config.timeout ?? "5s"),
      timeoutMessage: "execution timeout",
      stepBytes,
    }),
    result: (outcome) => {
      const trouble = hasFrame ? undefined : terms.profile.framelessTraces[name];
      if (trouble !== undefined) throw failure(trouble);
      return result(outcome);
    },
  };
}

/** The Go node runs any other text as a program; a caller's programs are not run here. */
function noTracer(name: string): Error {
  if (/^[A-Za-z_$][\w$]*$/.test(name) && name.length <= 100) {
    return failure(`ReferenceError: identifier '${name}' undefined`);
  }
  return failure("Only predefined tracers are supported");
}

function structTracing({ config, budget, computationLimit, profile }: TracingTerms): Tracing {
  const { disableMemory = false, disableStack = false, disableStorage = false, limit = 0 } = config;
  const { hidesStepErrors: hidesErrors } = profile;
  const options = { disableMemory, disableStack, disableStorage, limit, hidesErrors, computationLimit };
  const { tracer, result } = createStructLogger(options);
  const endsAt = performance.now() + durationMs(config.loggerTimeout ?? "1s");
  const limits = { budget, endsAt, timeoutMessage: "trace logger timeout", stepBytes: structBytes(config) };
  return { tracer: limited(tracer, limits), result };
}

function prestateTracing({ world, subject, profile }: Parts): Tracing {
  const { from, to = from, feePayer, blobFee = 0n } = subject;
  const { tracer, look, result, listed } = createPrestateTracer(world);
  look(from);
  if (profile.prestateFee === "right") return { tracer, result };
  look(to);
  const before = feePayer && world.balance(feePayer);
  return {
    tracer,
    result: ({ fee, gasUsed }) => {
      const lent = feePayer === undefined || before === undefined ? 0n : before - world.balance(feePayer);
      const added = profile.prestateFee === "lent" ? roughFee(gasUsed, fee) : 0n;
      return listed({ sender: from, to, paid: lent + added - fee - blobFee });
    },
  };
}

/** The Go node's program works out the fee in doubles, and takes the digits that those are written with. */
function roughFee(gasUsed: bigint, fee: bigint): bigint {
  if (gasUsed === 0n) return 0n;
  const product = Number(gasUsed) * Number(fee / gasUsed);
  const [digits = "0", exponent = "0"] = product.toString().split("e+");
  const [whole = "0", part = ""] = digits.split(".");
  return BigInt(whole + part.padEnd(Number(exponent), "0"));
}

function callTracing({ subject, name, profile }: Parts): Tracing {
  const { tracer, result } = createCallTracer();
  let outermost: FrameStart | undefined;
  const enter = (start: FrameStart): void => {
    outermost ??= start;
    tracer.enter?.(start);
  };
  const { gasLimit } = subject;
  return {
    tracer: { ...tracer, enter },
    result: ({ gasUsed }) => {
      const trace = result({ gasLimit, gasUsed });
      if (profile.olderTraces) {
        return olderCallTrace({ trace, start: outermost, gasUsed, isFast: name === "fastCallTracer" });
      }
      return trace ?? framelessCall({ ...subject, to: subject.to ?? subject.from, gasUsed });
    },
  };
}
