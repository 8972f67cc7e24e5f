/**
 * One entry for every opcode, in the form of the Go node's default trace (`blockchain/vm/logger.go@v2.2.2`).
 */
import { bareHex } from "../../bytes/hex.ts";
import { wordBytes } from "../../bytes/word.ts";
import type { EvmFailure } from "../failure.ts";
import type { OpcodeStep, Tracer } from "../tracer.ts";
import { opcodeName } from "./opcode-name.ts";

/** Parts of an entry that are left out, and the maximum number of entries; 0 for no limit. */
export interface StructLogOptions {
  readonly disableMemory?: boolean;
  readonly disableStack?: boolean;
  readonly disableStorage?: boolean;
  readonly limit?: number;
  /** Errors are empty objects instead of texts, as the Go node writes them. */
  readonly hidesErrors?: boolean;
  /** Limit of the transaction's computation cost: entries show the rest of it. */
  readonly computationLimit: number;
}

/** One entry. Words are 64 hex digits without 0x. */
export interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  /** Depth, from 1. */
  readonly depth: number;
  readonly error?: string | Readonly<Record<string, never>>;
  readonly stack?: readonly string[];
  readonly memory?: readonly string[];
  /** Slots that the contract has written so far, including this opcode, by key. */
  readonly storage?: Readonly<Record<string, string>>;
  /** Computation cost before the opcode. */
  readonly computation: number;
  readonly computationCost: number;
}

/** The whole trace. */
export interface StructTrace {
  readonly gas: number;
  readonly failed: boolean;
  /** Hex without 0x; empty after a failure. */
  readonly returnValue: string;
  readonly structLogs: readonly StructLog[];
}

/** Facts about the transaction for the trace. */
export interface TracedTransactionResult {
  /** Gas used as in the receipt. */
  readonly gasUsed: bigint;
  readonly failed: boolean;
  readonly output: Uint8Array;
}

/** A tracer with its result. */
export interface StructLogger {
  readonly tracer: Tracer;
  readonly result: (transaction: TracedTransactionResult) => StructTrace;
}

const SSTORE = 0x55;
const WORD = 32;

/** Creates a tracer for one transaction. */
export function createStructLogger(options: StructLogOptions): StructLogger {
  const logs: StructLog[] = [];
  const written = new Map<string, Map<string, string>>();
  const limit = options.limit ?? 0;
  return {
    tracer: {
      step: (step, failure) => {
        if (limit !== 0 && logs.length >= limit) return;
        const storage = options.disableStorage === true ? undefined : storageOf(step, written);
        logs.push(logOf(step, failure, { options, storage }));
      },
    },
    result: ({ gasUsed, failed, output }) => ({
      gas: Number(gasUsed),
      failed,
      returnValue: failed ? "" : bareHex(output),
      structLogs: logs,
    }),
  };
}

interface LogEntryOptions {
  readonly options: StructLogOptions;
  readonly storage: Readonly<Record<string, string>> | undefined;
}

function logOf(
  step: OpcodeStep,
  failure: EvmFailure | undefined,
  { options, storage }: LogEntryOptions,
): StructLog {
  return {
    pc: step.pc,
    op: opcodeName(step.op),
    gas: Number(step.gas),
    gasCost: Number(step.gasCost),
    depth: step.depth + 1,
    ...(failure === undefined ? {} : { error: options.hidesErrors === true ? {} : failure.message }),
    ...(options.disableStack === true ? {} : { stack: stackOf(step) }),
    ...(options.disableMemory === true ? {} : { memory: memoryOf(step) }),
    ...(storage === undefined ? {} : { storage }),
    computation: options.computationLimit - (step.computation - step.computationCost),
    computationCost: step.computationCost,
  };
}

function stackOf({ stack, stackLength }: OpcodeStep): string[] {
  return stack.slice(0, stackLength).map(wordText);
}

function memoryOf({ memory }: OpcodeStep): string[] {
  const words: string[] = [];
  for (let at = 0; at + WORD <= memory.length; at += WORD)
    words.push(bareHex(memory.subarray(at, at + WORD)));
  return words;
}

/** Returns the slots that the contract has written so far, in the order of the keys. */
function storageOf(step: OpcodeStep, written: Map<string, Map<string, string>>): Record<string, string> {
  const owner = bareHex(step.address);
  const slots = written.get(owner) ?? new Map<string, string>();
  written.set(owner, slots);
  const { stack, stackLength } = step;
  if (step.op === SSTORE && stackLength >= 2) {
    slots.set(wordText(stack[stackLength - 1] ?? 0n), wordText(stack[stackLength - 2] ?? 0n));
  }
  return Object.fromEntries([...slots].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function wordText(word: bigint): string {
  return bareHex(wordBytes(word));
}
