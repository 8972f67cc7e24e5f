/**
 * Tracers that count function selectors and opcodes, in the form of the Go node's `4byteTracer`,
 * `opcountTracer`, `unigramTracer`, `bigramTracer` and `trigramTracer`.
 */
import type { Address } from "../../bytes/brands.ts";
import { toHex } from "../../bytes/hex.ts";
import { bytesToBigint } from "../../bytes/integer.ts";
import type { FrameKind, Tracer } from "../tracer.ts";
import { opcodeName } from "./opcode-name.ts";

/** A tracer with its result. */
export interface CountTracer<Result> {
  readonly tracer: Tracer;
  readonly result: () => Result;
}

const SELECTOR = 4;
const COUNTED: ReadonlySet<FrameKind> = new Set(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]);

/**
 * Creates a counter of selectors with the size of their arguments, such as `0x27dc297e-128`: of inner calls,
 * except those to the first eleven precompiled contracts, and last of the transaction's own input.
 */
export function createFourByteTracer(own: Address): CountTracer<Readonly<Record<string, number>>> {
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

/** True for the precompiled contracts that the Go node's program knows. */
function isEarlyPrecompile(address: Address): boolean {
  const number = bytesToBigint(address);
  return number > 0n && number <= FIRST_PRECOMPILES;
}

/** Creates a counter of all opcodes. */
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

/** Creates a counter of each opcode. */
export function createUnigramTracer(): CountTracer<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>();
  return {
    tracer: { step: ({ op }) => count(counts, opcodeName(op)) },
    result: () => Object.fromEntries(counts),
  };
}

/** Creates a counter of pairs of consecutive opcodes at one depth, such as `PUSH1-MSTORE`. */
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

/**
 * Creates a counter of triples of consecutive opcodes. The first triple after a change of depth is left out;
 * positions before it are empty.
 */
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
