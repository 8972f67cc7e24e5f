/** Frames of a transaction in the forms of Otterscan's methods. */
import { toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { FrameKind } from "../../evm/tracer.ts";
import type { RecordedFrame } from "../../evm/tracers/frame-recorder.ts";

/** One call in `ots_traceTransaction`. */
export interface TraceEntry {
  readonly type: FrameKind;
  readonly depth: number;
  readonly from: string;
  readonly to: string;
  /** Null for calls that pass no value on. */
  readonly value: string | null;
  readonly input: string;
  readonly output: string;
}

/** Formats all calls of a transaction. */
export function traceEntries(frames: readonly RecordedFrame[]): TraceEntry[] {
  return frames.map(({ start, end }) => ({
    type: start.kind,
    depth: start.depth,
    from: toHex(start.from),
    to: toHex(start.to),
    value: start.kind === "STATICCALL" || start.kind === "DELEGATECALL" ? null : toQuantity(start.value),
    input: toHex(start.input),
    output: end === undefined ? "0x" : toHex(end.output),
  }));
}

/** One entry of `ots_getInternalOperations`; `type` is that of `OPERATIONS`. */
export interface InternalOperation {
  readonly type: number;
  readonly from: string;
  readonly to: string;
  readonly value: string;
}

/** Numbers of the operations. Other calls move no coins. */
const OPERATIONS: Partial<Record<FrameKind, number>> = { CALL: 0, SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 };

/** Formats the transfers, creations and destructions inside a transaction that were not undone. */
export function internalOperations(frames: readonly RecordedFrame[]): InternalOperation[] {
  return frames.flatMap(({ start, isUndone }) => {
    const type = OPERATIONS[start.kind];
    const isInternal = start.depth > 0 && !isUndone;
    if (type === undefined || !isInternal || (type === 0 && start.value === 0n)) return [];
    return [{ type, from: toHex(start.from), to: toHex(start.to), value: toQuantity(start.value) }];
  });
}

/** Returns the data that a transaction was reverted with; `0x` for any other transaction. */
export function revertData([outermost]: readonly RecordedFrame[]): string {
  const { end } = outermost ?? {};
  return end?.failure?.code === "reverted" ? toHex(end.output) : "0x";
}
