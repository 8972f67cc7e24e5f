/** Built-in tracers by name, created for each transaction and bounded in time and size. */

import { mapKey } from "../../bytes/hex.ts";
import type { FrameStart, OpcodeStep, Tracer } from "../../evm/tracer.ts";
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
import { failure } from "../../jsonrpc/errors.ts";
import type { World } from "../../state/world/world.ts";
import { durationMs, type TraceConfig } from "../arguments/trace-config.ts";
import { programTracing } from "./program-tracing.ts";
import { addToBudget, limitTracer } from "./trace-limits.ts";
import type { TraceSubject, Tracing, TracingDeps, TracingOptions } from "./tracing.ts";

type CreateTracing = (deps: TracingDeps) => Tracing;

const counting =
  <Result>(create: () => CountTracer<Result>): CreateTracing =>
  () =>
    create();

/** Built-in tracers by the names in trace options. */
const TRACERS: Readonly<Record<string, CreateTracing>> = {
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

/** Starts the trace that the options select, before the transaction runs on `world`. Throws `RpcError`. */
export function startTracing(options: TracingOptions, world: World, subject: TraceSubject): Tracing {
  const { tracer: name } = options.config;
  if (name === undefined) return structTracing(options);
  const endsAt = performance.now() + durationMs(options.config.timeout ?? "5s");
  const make = (isNamedTracer(name) && TRACERS[name]) || programTracing;
  const { tracer, result, stepBytes = () => 0, end } = make({ ...options, world, subject, name, endsAt });
  let hasFrame = false;
  const watched: Tracer = {
    ...tracer,
    enter: (start) => {
      hasFrame = true;
      tracer.enter?.(start);
    },
  };
  return {
    tracer: limitTracer(watched, {
      budget: options.budget,
      endsAt,
      timeoutMessage: "execution timeout",
      stepBytes,
    }),
    result: (outcome) => {
      const trouble = hasFrame ? undefined : options.traceForm.framelessErrors[name];
      if (trouble !== undefined) throw failure(trouble);
      return result(outcome);
    },
    ...(end && { end }),
  };
}

/** Returns true for the name of a built-in tracer; any other text is a program. */
export function isNamedTracer(name: string): boolean {
  return Object.hasOwn(TRACERS, name);
}

function structTracing({ config, budget, computationLimit, traceForm }: TracingOptions): Tracing {
  const { disableMemory = false, disableStack = false, disableStorage = false, limit = 0 } = config;
  const { hidesStepErrors: hidesErrors } = traceForm;
  const options = { disableMemory, disableStack, disableStorage, limit, hidesErrors, computationLimit };
  const { tracer, result } = createStructLogger(options);
  const endsAt = performance.now() + durationMs(config.loggerTimeout ?? "1s");
  const limits = { budget, endsAt, timeoutMessage: "trace logger timeout", stepBytes: structBytes(config) };
  return { tracer: limitTracer(tracer, limits), result };
}

const ENTRY_BYTES = 120;
const WORD_BYTES = 67;
const SLOT_BYTES = 2 * WORD_BYTES;
const SSTORE = 0x55;

/** Creates an estimate of the sizes of one transaction's struct log entries, in bytes. Entries beyond the caller's limit count 0. */
function structBytes(config: TraceConfig): (step: OpcodeStep) => number {
  const slots = new Map<string, Set<bigint>>();
  const limit = config.limit ?? 0;
  let entries = 0;
  const storageBytes = ({ op, address, stack, stackLength }: OpcodeStep): number => {
    const name = mapKey(address);
    const own = slots.get(name) ?? new Set();
    slots.set(name, own);
    if (op === SSTORE && stackLength > 0) own.add(stack[stackLength - 1] ?? 0n);
    return own.size * SLOT_BYTES;
  };
  return (step) => {
    entries++;
    if (limit !== 0 && entries > limit) return 0;
    const stack = config.disableStack === true ? 0 : step.stackLength * WORD_BYTES;
    const memory = config.disableMemory === true ? 0 : (step.memory.length >>> 5) * WORD_BYTES;
    const storage = config.disableStorage === true ? 0 : storageBytes(step);
    return ENTRY_BYTES + stack + memory + storage;
  };
}

function prestateTracing({ world, subject, traceForm, budget }: TracingDeps): Tracing {
  const { from, to = from, value, feePayer, blobFee = 0n, granted = 0n } = subject;
  const take = (bytes: number): void => addToBudget(budget, bytes);
  const { tracer, record: look, result, goList: listed } = createPrestateTracer(world, take);
  look(from);
  if (traceForm.prestateFee === "right") return { tracer, result };
  look(to);
  const before = feePayer && world.balance(feePayer);
  return {
    tracer,
    result: ({ fee, gasUsed, failed }) => {
      const lent = feePayer === undefined || before === undefined ? 0n : before - world.balance(feePayer);
      const added = traceForm.prestateFee === "lent" ? roughFee(gasUsed, fee) : 0n;
      const unmoved = failed ? value : 0n; // the Go node gives it back to the sender without a look at the failure
      return listed({ sender: from, to, paid: granted + lent + added + unmoved - fee - blobFee });
    },
  };
}

/** Returns a fee as the Go node's JavaScript tracer computes it: in double precision, printed in decimal. */
function roughFee(gasUsed: bigint, fee: bigint): bigint {
  if (gasUsed === 0n) return 0n;
  const product = Number(gasUsed) * Number(fee / gasUsed);
  const [digits = "0", exponent = "0"] = product.toString().split("e+");
  const [whole = "0", part = ""] = digits.split(".");
  return BigInt(whole + part.padEnd(Number(exponent), "0"));
}

function callTracing({ subject, name, traceForm }: TracingDeps): Tracing {
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
      if (traceForm.formatCall !== undefined) {
        return traceForm.formatCall({ trace, start: outermost, gasUsed, isFast: name === "fastCallTracer" });
      }
      return trace ?? framelessCall({ ...subject, to: subject.to ?? subject.from, gasUsed });
    },
  };
}
