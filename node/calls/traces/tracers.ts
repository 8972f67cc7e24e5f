/** The tracers that callers name, each made fresh for one transaction (rpc.md 2.8.3). */

import { olderCallTrace } from "../../compat/older-call-trace.ts";
import type { FrameStart, Tracer } from "../../evm/tracer.ts";
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
import { durationMs } from "../arguments/trace-config.ts";
import { programTracing } from "./program-tracing.ts";
import { structBytes } from "./step-bytes.ts";
import { limited } from "./trace-limits.ts";
import type { Subject, Tracing, TracingParts, TracingTerms } from "./tracing.ts";

type Make = (parts: TracingParts) => Tracing;

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
  const endsAt = performance.now() + durationMs(terms.config.timeout ?? "5s");
  const make = (isNamedTracer(name) && TRACERS[name]) || programTracing;
  const { tracer, result, stepBytes = () => 0, end } = make({ ...terms, world, subject, name, endsAt });
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
      endsAt,
      timeoutMessage: "execution timeout",
      stepBytes,
    }),
    result: (outcome) => {
      const trouble = hasFrame ? undefined : terms.profile.framelessTraces[name];
      if (trouble !== undefined) throw failure(trouble);
      return result(outcome);
    },
    ...(end && { end }),
  };
}

/** Whether this names a tracer of the node's own; any other text is a program. */
export function isNamedTracer(name: string): boolean {
  return Object.hasOwn(TRACERS, name);
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

function prestateTracing({ world, subject, profile }: TracingParts): Tracing {
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

function callTracing({ subject, name, profile }: TracingParts): Tracing {
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
