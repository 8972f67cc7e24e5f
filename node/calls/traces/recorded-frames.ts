/** The frames of a block's transactions, within the time and the size of one answer. */
import type { Hash } from "../../bytes/brands.ts";
import { createFrameRecorder, type RecordedFrame } from "../../evm/tracers/frame-recorder.ts";
import type { ChainReading, StoreReading } from "../chain-reading.ts";
import { limitTracer } from "./trace-limits.ts";
import { observeBlock, type TracedBlock } from "./trace-transaction.ts";
import { tracedBlock } from "./traced-blocks.ts";

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

/** A transaction of a stored block with its frames. */
export interface TransactionFrames {
  readonly block: TracedBlock;
  readonly index: number;
  readonly frames: readonly RecordedFrame[];
}

/** Returns the frames of a transaction by its hash; undefined for an unknown one. Throws as `recordedFrames`. */
export function transactionFrames(
  reading: StoreReading,
  hash: Hash,
  limits: FrameLimits,
): TransactionFrames | undefined {
  const place = reading.place(hash);
  if (place === undefined) return undefined;
  const { number, index } = place;
  const block = tracedBlock(reading, number);
  const [frames = []] = recordedFrames(reading, block, { first: index, last: index }, limits);
  return { block, index, frames };
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
