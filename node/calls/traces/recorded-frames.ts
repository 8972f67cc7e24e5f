/** The frames of a block's transactions, within the time and the size of one answer. */
import type { Hash } from "../../bytes/brands.ts";
import { createFrameRecorder, type RecordedFrame } from "../../evm/tracers/frame-recorder.ts";
import type { ChainReading, StoreReading } from "../chain-reading.ts";
import { limitTracer, type TraceLimits } from "./trace-limits.ts";
import { type ObservedTransaction, observeBlock, type TracedBlock } from "./trace-transaction.ts";
import { tracedBlock } from "./traced-blocks.ts";

/** Limits of one answer. */
export interface AnswerLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Transactions of a block: those from `first` up to `last`, with it. */
export interface TransactionRange {
  readonly first: number;
  readonly last: number;
}

/** A transaction of a stored block. */
export interface StoredTransaction {
  readonly block: TracedBlock;
  readonly index: number;
}

/** A transaction of a stored block with its frames. */
export interface TransactionFrames extends StoredTransaction {
  readonly frames: readonly RecordedFrame[];
}

/** Returns a transaction by its hash; undefined for an unknown one. */
export function storedTransaction(reading: StoreReading, hash: Hash): StoredTransaction | undefined {
  const place = reading.place(hash);
  return place && { block: tracedBlock(reading, place.number), index: place.index };
}

/** Returns the frames of a transaction by its hash; undefined for an unknown one. Throws as `recordedFrames`. */
export function transactionFrames(
  reading: StoreReading,
  hash: Hash,
  limits: AnswerLimits,
): TransactionFrames | undefined {
  const found = storedTransaction(reading, hash);
  if (found === undefined) return undefined;
  const { block, index } = found;
  const [frames = []] = recordedFrames(reading, block, { first: index, last: index }, limits);
  return { block, index, frames };
}

/**
 * Returns the frames of transactions of a block; an empty list for one that ran no code, such as an account update.
 * Throws as `observeRange`.
 */
export function recordedFrames(
  reading: ChainReading,
  block: TracedBlock,
  range: TransactionRange,
  limits: AnswerLimits,
): readonly (readonly RecordedFrame[])[] {
  const shared = sharedLimits(limits);
  return observeRange(reading, block, range, ({ run }) => {
    const { tracer, frames } = createFrameRecorder();
    run(limitTracer(tracer, shared));
    return frames;
  });
}

/** Starts the limits that the traces of one answer share. */
export function sharedLimits({ maxBytes, timeoutMs }: AnswerLimits): TraceLimits {
  return {
    budget: { maxBytes, used: 0 },
    endsAt: performance.now() + timeoutMs,
    timeoutMessage: "execution timeout",
    stepBytes: () => 0,
  };
}

/**
 * Executes transactions of a block, each of the range by `observe`, which calls `run` once; returns its results. Block 0
 * has none. Throws `RpcError` beyond a limit, or when the state before the block is no longer stored.
 */
export function observeRange<T>(
  reading: ChainReading,
  block: TracedBlock,
  { first, last }: TransactionRange,
  observe: (transaction: ObservedTransaction) => T,
): readonly T[] {
  const results: T[] = [];
  if (block.header.number === 0) return results;
  observeBlock(reading, block, { reexec: undefined, count: last + 1 }, (transaction) => {
    if (transaction.index < first) transaction.run();
    else results.push(observe(transaction));
  });
  return results;
}
