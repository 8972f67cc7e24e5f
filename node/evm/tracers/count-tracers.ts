/** Tracers that count: calls by their selector, opcodes. */
import { toHex } from "../../bytes/hex.ts";
import { bytesToBigint } from "../../bytes/integer.ts";
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
 * How often each selector was called with how many bytes behind it, as `0x27dc297e-128`: inner calls that reach none
 * of the first eleven precompiled contracts, and last the transaction's own input.
 */
export function createFourByteTracer(own: Uint8Array): CountTracer<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  const take = (input: Uint8Array): void => {
    if (input.length < SELECTOR) return;
    count(counts, `${toHex(input.subarray(0, SELECTOR))}-${input.length - SELECTOR}`);
  };
  return {
    tracer: {
      enter: ({ kind, depth, to, input }) => {
        if (depth > 0 && COUNTED.has(kind) && !isEarlyPrecompile(to)) take(input);
      },
    },
    result: () => {
      take(own);
      return Object.fromEntries(counts);
    },
  };
}

const FIRST_PRECOMPILES = 11n;

/** The Go node's program knows no later ones. */
function isEarlyPrecompile(address: Uint8Array): boolean {
  const number = bytesToBigint(address);
  return number > 0n && number <= FIRST_PRECOMPILES;
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

/** How often each opcode ran. */
export function createUnigramTracer(): CountTracer<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  return {
    tracer: { step: ({ op }) => count(counts, opcodeName(op)) },
    result: () => Object.fromEntries(counts),
  };
}

/** How often opcodes of one depth ran one after the other, as `PUSH1-MSTORE`. */
export function createBigramTracer(): CountTracer<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  let last = { name: "", depth: -1 };
  return {
    tracer: {
      step: ({ op, depth }) => {
        const name = opcodeName(op);
        if (depth === last.depth) count(counts, `${last.name}-${name}`);
        last = { name, depth };
      },
    },
    result: () => Object.fromEntries(counts),
  };
}

/** The same of three opcodes. The first one after a change of depth is left out; places before it are empty. */
export function createTrigramTracer(): CountTracer<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  let last: readonly [string, string] = ["", ""];
  let lastDepth = -1;
  return {
    tracer: {
      step: ({ op, depth }) => {
        if (depth !== lastDepth) {
          last = ["", ""];
          lastDepth = depth;
          return;
        }
        const name = opcodeName(op);
        count(counts, `${last[0]}-${last[1]}-${name}`);
        last = [last[1], name];
      },
    },
    result: () => Object.fromEntries(counts),
  };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
