/** Keeps traces within time and memory: whoever asks for one says how long it may take, never how much. */
import type { Step, Tracer } from "../../evm/tracer.ts";
import { failure, RpcError, rpcCode } from "../../jsonrpc/errors.ts";

/** Bytes of one answer, which its traces share. */
export interface TraceBudget {
  readonly maxBytes: number;
  used: number;
}

/** What one trace may take. */
export interface TraceLimits {
  readonly budget: TraceBudget;
  /** As `performance.now()` counts. */
  readonly endsAt: number;
  /** What the caller is told after that. */
  readonly timeoutMessage: string;
  /** About what an opcode adds to the answer. */
  readonly stepBytes: (step: Step) => number;
}

/** Counts bytes of an answer. Throws `RpcError` when there are too many. */
export function taken(budget: TraceBudget, bytes: number): void {
  budget.used += bytes;
  if (budget.used <= budget.maxBytes) return;
  throw new RpcError(rpcCode.tooLarge, `trace is larger than ${budget.maxBytes} bytes`);
}

/** Opcodes between two looks at the clock. */
const STRIDE = 1024;
const FRAME_BYTES = 240;

/** The same observer, which throws an `RpcError` when a limit is passed. */
export function limited(tracer: Tracer, { budget, endsAt, timeoutMessage, stepBytes }: TraceLimits): Tracer {
  let steps = 0;
  const take = (bytes: number): void => taken(budget, bytes);
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
