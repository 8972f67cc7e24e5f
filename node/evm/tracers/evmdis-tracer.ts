/**
 * Opcodes with the words that they push, and calls with the opcodes that they run, in the form of the Go
 * node's `evmdisTracer`.
 */

import type { OpcodeStep, Tracer } from "../tracer.ts";
import { opcodeName } from "./opcode-name.ts";
import { operandOf } from "./opcode-operands.ts";

/**
 * An opcode; for a call also the opcodes of its frame. Words are hex without 0x and without leading zeros.
 */
export interface DisassembledOp {
  /** The opcode's number, or the name of a call without value. */
  readonly op: number | string;
  /** Depth, from 1. */
  readonly depth: number;
  /** Words that the opcode left on the stack, the top first. */
  readonly result: string[];
  readonly pc?: number;
  /** Length in bytes of a PUSH, including the opcode. */
  readonly len?: number;
  readonly gas?: number;
  readonly to?: string;
  /** Value in peb, in decimal. */
  readonly value?: string;
  /** Bytes by their index, as the Go node writes them. */
  readonly input?: Readonly<Record<string, number>>;
  error?: string | null;
  return?: Readonly<Record<string, number>> | null;
  readonly ops?: DisassembledOp[];
}

/** A tracer with its result. */
export interface EvmdisTracer {
  readonly tracer: Tracer;
  /** Returns the opcodes of the outermost frame. */
  readonly result: () => readonly DisassembledOp[];
}

interface OpcodeFrame {
  error?: string | null;
  return?: Readonly<Record<string, number>> | null;
  readonly ops: DisassembledOp[];
}

const [JUMPDEST, STOP, RETURN, SELFDESTRUCT] = [0x5b, 0x00, 0xf3, 0xff];
const [CALL, CALLCODE, DELEGATECALL, STATICCALL] = [0xf1, 0xf2, 0xf4, 0xfa];
const [PUSH0, PUSH1, PUSH32] = [0x5f, 0x60, 0x7f];

/** Creates a tracer for one transaction. The opcodes of creations' frames are left out. */
export function createEvmdisTracer(): EvmdisTracer {
  const outermost: OpcodeFrame = { ops: [] };
  let frames: OpcodeFrame[] = [outermost];
  return {
    tracer: {
      step: (step, failure) => {
        const frame = frames.at(-1) ?? outermost;
        if (failure !== undefined) frame.error = failure.message;
        else if (step.depth + 1 === frames.length) frames.push(...recordOpcode(step, frame));
        else frames = frames.slice(0, step.depth + 1);
      },
    },
    result: () => outermost.ops,
  };
}

/** Appends an opcode to its frame. Returns the frame that the opcode begins, if any. */
function recordOpcode(step: OpcodeStep, frame: OpcodeFrame): readonly OpcodeFrame[] {
  const before = frame.ops.at(-1);
  if (before !== undefined) {
    const count = pushedBy(before.op);
    for (let i = 0; i < count; i++) before.result.push(operandOf(step, i).toString(16));
  }
  const { op } = step;
  if (op === RETURN) frame.return = memoryOf(step, 0);
  if (op === STOP || op === SELFDESTRUCT) frame.return = {};
  const entry: DisassembledOp = { op, depth: step.depth + 1, result: [], ...detailsOf(step) };
  frame.ops.push(entry);
  const { ops } = entry;
  return ops === undefined ? [] : [entry as OpcodeFrame]; // it has opcodes of its own
}

function detailsOf(step: OpcodeStep): Partial<DisassembledOp> {
  const { op, pc } = step;
  if (op === JUMPDEST) return { pc };
  if (op >= PUSH1 && op <= PUSH32) return { len: op - PUSH0 + 1 };
  if (op === CALL || op === CALLCODE) return callOf(step, { value: operandOf(step, 2).toString() });
  if (op === DELEGATECALL || op === STATICCALL) return { op: opcodeName(op), ...callOf(step, {}) };
  return {};
}

function callOf(step: OpcodeStep, carried: Pick<DisassembledOp, "value">): Partial<DisassembledOp> {
  const argument = carried.value === undefined ? 2 : 3;
  return {
    gas: Number(operandOf(step, 0)),
    to: operandOf(step, 1).toString(16),
    ...carried,
    input: memoryOf(step, argument),
    error: null,
    return: null,
    ops: [],
  };
}

/** Returns the memory range of two stack words, offset and length; empty where memory does not reach. */
function memoryOf(step: OpcodeStep, index: number): Readonly<Record<string, number>> {
  const [offset, length] = [Number(operandOf(step, index)), Number(operandOf(step, index + 1))];
  if (offset + length > step.memory.length) return {};
  return Object.fromEntries(step.memory.slice(offset, offset + length).entries());
}

/** Ranges of opcode numbers that push one word, as far as the Go node's program knows them. */
const LEAVE_ONE: readonly (readonly [number, number])[] = [
  [0x01, 0x0b],
  [0x10, 0x1a],
  [0x20, 0x20],
  [0x30, 0x36],
  [0x38, 0x38],
  [0x3a, 0x3b],
  [0x40, 0x45],
  [0x51, 0x51],
  [0x54, 0x54],
  [0x58, 0x5a],
  [PUSH1, PUSH32],
  [0xf0, CALLCODE],
];
const [DUP1, SWAP1, SWAP16] = [0x80, 0x90, 0x9f];

/** Returns the number of words that an opcode has put on the stack or changed. */
function pushedBy(op: number | string): number {
  if (typeof op === "string") return 0;
  if (op >= DUP1 && op <= SWAP16) return (op < SWAP1 ? op - DUP1 : op - SWAP1) + 2;
  return LEAVE_ONE.some(([from, to]) => op >= from && op <= to) ? 1 : 0;
}

/** Returns the approximate size of an opcode's entry in the response, in bytes. */
export function evmdisBytes(step: OpcodeStep): number {
  const { op } = step;
  const isCall = op === CALL || op === CALLCODE || op === DELEGATECALL || op === STATICCALL;
  if (!isCall && op !== RETURN) return OP_BYTES + WORD_BYTES * pushedBy(op);
  const argument = op === RETURN ? 0 : op === CALL || op === CALLCODE ? 3 : 2;
  const [offset, length] = [Number(operandOf(step, argument)), Number(operandOf(step, argument + 1))];
  return CALL_BYTES + (offset + length > step.memory.length ? 0 : length * BYTE_BYTES);
}

const OP_BYTES = 40;
const CALL_BYTES = 300;
const WORD_BYTES = 67;
/** Approximate size of one byte with its index, in bytes. */
const BYTE_BYTES = 12;
