/** The frames of a block's transactions, within the time and the size of one answer. */
import { createFrameRecorder, type RecordedFrame } from "../../evm/tracers/frame-recorder.ts";
import type { ChainReading } from "../chain-reading.ts";
import { limitTracer } from "./trace-limits.ts";
import { observeBlock, type TracedBlock } from "./trace-transaction.ts";

/** Limits of the frames of one answer. */
export interface FrameLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Transactions whose frames are recorded: those from `first` up to `last`, with it. */
export interface RecordedRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the frames of transactions of a block; an empty list for one that ran no code, such as an account update.
 * Throws `RpcError` beyond a limit, or when the state before the block is no longer stored.
 */
export function recordedFrames(
  reading: ChainReading,
  block: TracedBlock,
  { first, last }: RecordedRange,
  { maxBytes, timeoutMs }: FrameLimits,
): readonly (readonly RecordedFrame[])[] {
  const limits = {
    budget: { maxBytes, used: 0 },
    endsAt: performance.now() + timeoutMs,
    timeoutMessage: "execution timeout",
    stepBytes: () => 0,
  };
  const recorded: (readonly RecordedFrame[])[] = [];
  if (block.header.number === 0) return recorded;
  observeBlock(reading, block, { reexec: undefined, count: last + 1 }, (index, run) => {
    if (index < first) return run();
    const { tracer, frames } = createFrameRecorder();
    run(limitTracer(tracer, limits));
    recorded.push(frames);
  });
  return recorded;
}
