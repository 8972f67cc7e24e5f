/** Every opcode with its effects, and the opcodes of inner calls inside it, in the form of OpenEthereum's `vmTrace`. */
import { toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import { opcodes } from "../opcodes.ts";
import { type FrameStart, isCreation, type OpcodeStep, type Tracer } from "../tracer.ts";
import { opcodeName } from "./opcode-name.ts";
import { operandOf } from "./opcode-operands.ts";

/** The opcodes of a frame. */
export interface VmTrace {
  /** Code that runs; `0x` where none does. */
  readonly code: string;
  readonly ops: readonly VmOpcode[];
}

/** One opcode. */
export interface VmOpcode {
  /** Gas, including the gas that is passed to an inner call. */
  readonly cost: number;
  /** Null for an opcode that failed. */
  readonly ex: VmEffect | null;
  readonly pc: number;
  /** The opcodes of the frame that the opcode began. */
  readonly sub: VmTrace | null;
  /** Name, as Erigon adds it. */
  readonly op: string;
  /** Positions of the opcode and of those that began its frames, such as `4-17`, as Erigon adds it. */
  readonly idx: string;
}

/** Effects of an opcode. */
export interface VmEffect {
  /** Memory that the opcode may have written. */
  readonly mem: { readonly off: number; readonly data: string } | null;
  /** Words that the opcode left on the stack, the top last; all that a DUP or SWAP moved. */
  readonly push: readonly string[];
  readonly store: { readonly key: string; readonly val: string } | null;
  /** Gas left after the opcode. */
  readonly used: number;
}

/** A tracer with its result. */
export interface VmTracer {
  readonly tracer: Tracer;
  /** Returns the opcodes of the outermost frame, none for a transaction without one. */
  readonly result: () => VmTrace;
}

interface MutableOpcode extends VmOpcode {
  cost: number;
  ex: VmEffect | null;
  sub: VmTrace | null;
}

interface MemoryRange {
  readonly off: number;
  readonly length: number;
}

/** An opcode whose effects the next step of its frame shows. */
interface RunningOpcode {
  readonly entry: MutableOpcode;
  readonly store: VmEffect["store"];
  readonly pushes: number;
  readonly range: MemoryRange | undefined;
}

interface OpenFrame {
  readonly trace: { code: string; readonly ops: MutableOpcode[] };
  readonly prefix: string;
  isStarted: boolean;
  running: RunningOpcode | undefined;
}

const SSTORE = 0x55;
const rows = new Map(opcodes.map((row) => [row.number, row]));
/** Size of an entry without its texts of variable length, in bytes. */
const ENTRY_BYTES = 110;
const WORD_BYTES = 69;

/** Creates a tracer of one transaction. `take` receives the bytes that the tracer keeps and may throw. */
export function createVmTracer(take: (bytes: number) => void): VmTracer {
  let outermost: VmTrace = { code: "0x", ops: [] };
  const open: (OpenFrame | undefined)[] = [];
  return {
    result: () => outermost,
    tracer: {
      enter: (start) => {
        const caller = open.at(-1);
        // OpenEthereum has no opcodes of precompiled contracts and of self-destructs.
        const isLeftOut = caller !== undefined && (start.isPrecompile || start.kind === "SELFDESTRUCT");
        const frame = isLeftOut ? undefined : openFrame(start, caller, take);
        if (open.push(frame) === 1 && frame !== undefined) outermost = frame.trace;
      },
      exit: () => void open.pop(),
      step: (step, failure) => {
        const frame = open.at(-1);
        if (frame === undefined) return;
        finishOpcode(frame, step, take);
        if (!frame.isStarted) startCode(frame, step, take);
        addOpcode(frame, step, { isFailed: failure !== undefined, take });
      },
      fault: (_step, { code }) => {
        const running = open.at(-1)?.running;
        if (running !== undefined && code !== "reverted") running.entry.ex = null;
      },
    },
  };
}

function openFrame(
  start: FrameStart,
  caller: OpenFrame | undefined,
  take: (bytes: number) => void,
): OpenFrame {
  const isCreated = isCreation(start);
  if (isCreated) take(2 * start.input.length);
  const trace = { code: isCreated ? toHex(start.input) : "0x", ops: [] };
  const place = (caller?.trace.ops.length ?? 0) - 1;
  const beginner = caller?.trace.ops[place];
  if (beginner !== undefined) {
    beginner.sub = trace;
    if (isCreated) beginner.cost += Number(start.gas); // those of calls include it
  }
  const prefix = caller === undefined ? "" : `${caller.prefix}${place}-`;
  return { trace, prefix, isStarted: isCreated, running: undefined };
}

function startCode(frame: OpenFrame, { code }: OpcodeStep, take: (bytes: number) => void): void {
  take(2 * code.length);
  frame.trace.code = toHex(code);
  frame.isStarted = true;
}

/** Adds the effects of the frame's last opcode, which the stack and the memory before the next one show. */
function finishOpcode(frame: OpenFrame, step: OpcodeStep, take: (bytes: number) => void): void {
  const { running } = frame;
  frame.running = undefined;
  if (running === undefined) return;
  const { entry, store, pushes, range } = running;
  take(pushes * WORD_BYTES + (range === undefined ? 0 : 2 * range.length));
  const first = Math.max(0, step.stackLength - pushes);
  entry.ex = {
    mem: range === undefined ? null : { off: range.off, data: toHex(memoryAt(step, range)) },
    push: step.stack.slice(first, step.stackLength).map(toQuantity),
    store,
    used: Number(step.gas),
  };
}

function memoryAt({ memory }: OpcodeStep, { off, length }: MemoryRange): Uint8Array {
  return memory.subarray(off, off + length);
}

function addOpcode(
  frame: OpenFrame,
  step: OpcodeStep,
  { isFailed, take }: { readonly isFailed: boolean; readonly take: (bytes: number) => void },
): void {
  const { op, pc, gas, gasCost } = step;
  const { ops } = frame.trace;
  const row = rows.get(op);
  const store = op === SSTORE && !isFailed ? storeOf(step) : null;
  const entry: MutableOpcode = {
    cost: Number(gasCost),
    ex: isFailed ? null : { mem: null, push: [], store, used: Number(gas - gasCost) },
    pc,
    sub: null,
    op: row?.name ?? opcodeName(op),
    idx: `${frame.prefix}${ops.length}`,
  };
  take(ENTRY_BYTES + entry.idx.length + (store === null ? 0 : 2 * WORD_BYTES));
  ops.push(entry);
  if (!isFailed) frame.running = { entry, store, pushes: row?.leaves ?? 0, range: writtenMemory(step) };
}

function storeOf(step: OpcodeStep): VmEffect["store"] {
  return { key: toQuantity(operandOf(step, 0)), val: toQuantity(operandOf(step, 1)) };
}

/** Opcodes that write memory: the operand with the offset, and the operand with the length or the length itself. */
const MEMORY_WRITES: ReadonlyMap<
  number,
  { readonly at: number; readonly sizeAt?: number; readonly size?: number }
> = new Map([
  [0x37, { at: 0, sizeAt: 2 }], // CALLDATACOPY
  [0x39, { at: 0, sizeAt: 2 }], // CODECOPY
  [0x3c, { at: 1, sizeAt: 3 }], // EXTCODECOPY
  [0x3e, { at: 0, sizeAt: 2 }], // RETURNDATACOPY
  [0x51, { at: 0, size: 32 }], // MLOAD may expand it
  [0x52, { at: 0, size: 32 }], // MSTORE
  [0x53, { at: 0, size: 1 }], // MSTORE8
  [0x5e, { at: 0, sizeAt: 2 }], // MCOPY
  [0xf1, { at: 5, sizeAt: 6 }], // CALL
  [0xf2, { at: 5, sizeAt: 6 }], // CALLCODE
  [0xf4, { at: 4, sizeAt: 5 }], // DELEGATECALL
  [0xfa, { at: 4, sizeAt: 5 }], // STATICCALL
]);

/** Returns the memory that an opcode writes, which its gas has paid for; undefined for none. */
function writtenMemory(step: OpcodeStep): MemoryRange | undefined {
  const row = MEMORY_WRITES.get(step.op);
  if (row === undefined) return undefined;
  const { at, sizeAt, size = 0 } = row;
  const length = sizeAt === undefined ? size : Number(operandOf(step, sizeAt));
  return length === 0 ? undefined : { off: Number(operandOf(step, at)), length };
}
