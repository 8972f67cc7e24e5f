/** Tracers that count: calls by their selector, opcodes. */
import { toHex } from "../../bytes/hex.ts";
import type { FrameKind, Tracer } from "../tracer.ts";
import { opcodeName } from "./opcode-name.ts";

/** A tracer and what it has counted. */
export interface CountTracer<Result> {
  readonly tracer: Tracer;
  readonly result: () => Result;
}

const SELECTOR = 4;
const COUNTED: ReadonlySet<FrameKind> = new Set(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]);

/**
 * How often each selector was called with how many bytes behind it, as `0x27dc297e-128`: the outermost call or
 * creation, and the inner calls that reach no precompiled contract.
 */
export function createFourByteTracer(): CountTracer<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  return {
    tracer: {
      enter: ({ kind, depth, input, isPrecompile }) => {
        if (input.length < SELECTOR || (depth > 0 && (isPrecompile || !COUNTED.has(kind)))) return;
        count(counts, `${toHex(input.subarray(0, SELECTOR))}-${input.length - SELECTOR}`);
      },
    },
    result: () => Object.fromEntries(counts),
  };
}

/** How many opcodes ran. */
export function createOpcodeCounter(): CountTracer<number> {
  let steps = 0;
  return {
    tracer: {
      step: () => {
        steps++;
      },
    },
    result: () => steps,
  };
}

/** How often each opcode ran, or each sequence of two or three, by their names joined with `-`. */
export function createNgramTracer(length: 1 | 2 | 3): CountTracer<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  const recent: string[] = [];
  return {
    tracer: {
      step: ({ op }) => {
        recent.push(opcodeName(op));
        if (recent.length > length) recent.shift();
        if (recent.length === length) count(counts, recent.join("-"));
      },
    },
    result: () => Object.fromEntries(counts),
  };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
