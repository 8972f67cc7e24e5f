/** Opcodes with what they put on the stack, calls with what they ran: the Go node's `evmdisTracer`. */

import type { Step, Tracer } from "../tracer.ts";
import { opcodeName } from "./opcode-name.ts";

/** An opcode, and for a call the opcodes that it ran. Words are hex without 0x and without leading zeros. */
export interface DisassembledOp {
  /** The opcode's number; the name of a call that carries no value. */
  readonly op: number | string;
  /** From 1. */
  readonly depth: number;
  /** What it left on the stack, the top first. */
  readonly result: string[];
  readonly pc?: number;
  /** Of a PUSH: its length in bytes with the opcode. */
  readonly len?: number;
  readonly gas?: number;
  readonly to?: string;
  /** Decimal. */
  readonly value?: string;
  /** Bytes by their position, as the Go node writes them. */
  readonly input?: Readonly<Record<string, number>>;
  error?: string | null;
  return?: Readonly<Record<string, number>> | null;
  readonly ops?: DisassembledOp[];
}

/** A tracer and what it has seen. */
export interface EvmdisTracer {
  readonly tracer: Tracer;
  /** The opcodes of the outermost frame. */
  readonly result: () => readonly DisassembledOp[];
}

interface Frame {
  error?: string | null;
  return?: Readonly<Record<string, number>> | null;
  readonly ops: DisassembledOp[];
}

const [JUMPDEST, STOP, RETURN, SELFDESTRUCT] = [0x5b, 0x00, 0xf3, 0xff];
const [CALL, CALLCODE, DELEGATECALL, STATICCALL] = [0xf1, 0xf2, 0xf4, 0xfa];
const [PUSH0, PUSH1, PUSH32] = [0x5f, 0x60, 0x7f];

/** A fresh tracer for one transaction. Creations are opcodes like others: what they run is left out. */
export function createEvmdisTracer(): EvmdisTracer {
  const outermost: Frame = { ops: [] };
  let frames: Frame[] = [outermost];
  return {
    tracer: {
      step: (step, failure) => {
        const frame = frames.at(-1) ?? outermost;
        if (failure !== undefined) frame.error = failure.message;
        else if (step.depth + 1 === frames.length) frames.push(...taken(step, frame));
        else frames = frames.slice(0, step.depth + 1);
      },
    },
    result: () => outermost.ops,
  };
}

/** Notes an opcode in its frame; the frame that it begins, if any. */
function taken(step: Step, frame: Frame): readonly Frame[] {
  const before = frame.ops.at(-1);
  if (before !== undefined) {
    const count = pushedBy(before.op);
    for (let i = 0; i < count; i++) before.result.push(peek(step, i).toString(16));
  }
  const { op } = step;
  if (op === RETURN) frame.return = memoryOf(step, 0);
  if (op === STOP || op === SELFDESTRUCT) frame.return = {};
  const shown: DisassembledOp = { op, depth: step.depth + 1, result: [], ...detailsOf(step) };
  frame.ops.push(shown);
  const { ops } = shown;
  return ops === undefined ? [] : [shown as Frame]; // it has opcodes of its own
}

function detailsOf(step: Step): Partial<DisassembledOp> {
  const { op, pc } = step;
  if (op === JUMPDEST) return { pc };
  if (op >= PUSH1 && op <= PUSH32) return { len: op - PUSH0 + 1 };
  if (op === CALL || op === CALLCODE) return callOf(step, { value: peek(step, 2).toString() });
  if (op === DELEGATECALL || op === STATICCALL) return { op: opcodeName(op), ...callOf(step, {}) };
  return {};
}

function callOf(step: Step, carried: Pick<DisassembledOp, "value">): Partial<DisassembledOp> {
  const argument = carried.value === undefined ? 2 : 3;
  return {
    gas: Number(peek(step, 0)),
    to: peek(step, 1).toString(16),
    ...carried,
    input: memoryOf(step, argument),
    error: null,
    return: null,
    ops: [],
  };
}

/** The nth word from the top; 0 below the bottom. */
function peek({ stack, stackLength }: Step, index: number): bigint {
  return stack[stackLength - 1 - index] ?? 0n;
}

/** The memory that two words of the stack name, offset and length; none where memory does not reach. */
function memoryOf(step: Step, index: number): Readonly<Record<string, number>> {
  const [offset, length] = [Number(peek(step, index)), Number(peek(step, index + 1))];
  if (offset + length > step.memory.length) return {};
  return Object.fromEntries(step.memory.slice(offset, offset + length).entries());
}

/** Numbers of opcodes that leave one word, from and to, of those that the Go node's program knows. */
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

/** How many words of the stack an opcode has to do with afterwards. */
function pushedBy(op: number | string): number {
  if (typeof op === "string") return 0;
  if (op >= DUP1 && op <= SWAP16) return (op < SWAP1 ? op - DUP1 : op - SWAP1) + 2;
  return LEAVE_ONE.some(([from, to]) => op >= from && op <= to) ? 1 : 0;
}

/** About how much of an answer an opcode is. */
export function evmdisBytes(step: Step): number {
  const { op } = step;
  const isCall = op === CALL || op === CALLCODE || op === DELEGATECALL || op === STATICCALL;
  if (!isCall && op !== RETURN) return OP_BYTES + WORD_BYTES * pushedBy(op);
  const argument = op === RETURN ? 0 : op === CALL || op === CALLCODE ? 3 : 2;
  const [offset, length] = [Number(peek(step, argument)), Number(peek(step, argument + 1))];
  return CALL_BYTES + (offset + length > step.memory.length ? 0 : length * BYTE_BYTES);
}

const OP_BYTES = 40;
const CALL_BYTES = 300;
const WORD_BYTES = 67;
/** Of a byte with its position. */
const BYTE_BYTES = 12;
