/** Bounds the time and the size of traces. Callers set the deadline, the node sets the size. */
import type { OpcodeStep, Tracer } from "../../evm/tracer.ts";
import { failure, RpcError, rpcCode } from "../../jsonrpc/errors.ts";

/** Bytes of one result, shared by its traces. */
export interface TraceBudget {
  readonly maxBytes: number;
  used: number;
}

/** Limits of one trace. */
export interface TraceLimits {
  readonly budget: TraceBudget;
  /** Deadline on the clock of `performance.now()`. */
  readonly endsAt: number;
  /** Error message after the deadline. */
  readonly timeoutMessage: string;
  /** Estimates the bytes that an opcode adds to the result. */
  readonly stepBytes: (step: OpcodeStep) => number;
}

/** Adds to the used bytes of a result. Throws `RpcError` above the limit. */
export function addToBudget(budget: TraceBudget, bytes: number): void {
  budget.used += bytes;
  if (budget.used <= budget.maxBytes) return;
  throw new RpcError(rpcCode.tooLarge, `trace is larger than ${budget.maxBytes} bytes`);
}

/** Number of opcodes between two checks of the clock. */
const STRIDE = 1024;
const FRAME_BYTES = 240;

/** Wraps a tracer. The wrapper throws `RpcError` when a limit is exceeded. */
export function limitTracer(
  tracer: Tracer,
  { budget, endsAt, timeoutMessage, stepBytes }: TraceLimits,
): Tracer {
  let steps = 0;
  const take = (bytes: number): void => addToBudget(budget, bytes);
  return {
    ...tracer,
    enter: (start) => {
      take(FRAME_BYTES + start.input.length * 2);
      tracer.enter?.(start);
    },
    exit: (end) => {
      take(end.output.length * 2);
      tracer.exit?.(end);
    },
    step: (step, error) => {
      steps++;
      if (steps % STRIDE === 0 && performance.now() > endsAt) throw failure(timeoutMessage);
      take(stepBytes(step));
      tracer.step?.(step, error);
    },
  };
}
