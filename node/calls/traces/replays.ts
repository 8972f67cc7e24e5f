/** Transactions of blocks, executed again, in the form of OpenEthereum's replays, which Erigon and Nethermind share. */
import type { Address } from "../../bytes/brands.ts";
import { toHex } from "../../bytes/hex.ts";
import type { Tracer } from "../../evm/tracer.ts";
import { createFrameRecorder } from "../../evm/tracers/frame-recorder.ts";
import { createStateChanges } from "../../evm/tracers/state-changes.ts";
import { createVmTracer, type VmTrace } from "../../evm/tracers/vm-tracer.ts";
import { feeReceiver } from "../../execution/transaction.ts";
import { authorityOf } from "../../model/authorization.ts";
import { senderOf } from "../../model/transaction.ts";
import type { ChainReading } from "../chain-reading.ts";
import { type FrameTrace, frameTraces } from "./flat-traces.ts";
import { type AnswerLimits, observeRange, sharedLimits, type TransactionRange } from "./recorded-frames.ts";
import { type StateDiff, stateDiff } from "./state-diff.ts";
import { addToBudget, limitTracer, type TraceLimits } from "./trace-limits.ts";
import type { ObservedTransaction, TracedBlock } from "./trace-transaction.ts";

/** Parts of a replay that a caller selects. */
export const REPLAY_TYPES = ["trace", "vmTrace", "stateDiff"] as const;

/** A part of a replay. */
export type ReplayType = (typeof REPLAY_TYPES)[number];

/** A replayed transaction. */
export interface Replay {
  readonly output: string;
  /** Null when it is not selected. */
  readonly stateDiff: StateDiff | null;
  /** Empty when it is not selected. */
  readonly trace: readonly FrameTrace[];
  /** Null when it is not selected. */
  readonly vmTrace: VmTrace | null;
}

/** Returns replays of transactions of a block with the selected parts. Throws as `observeRange`. */
export function replays(
  reading: ChainReading,
  block: TracedBlock,
  range: TransactionRange,
  { types, ...limits }: AnswerLimits & { readonly types: readonly ReplayType[] },
): readonly Replay[] {
  const shared = sharedLimits(limits);
  return observeRange(reading, block, range, (transaction) => replay(transaction, new Set(types), shared));
}

interface ReplayPart {
  readonly tracer: Tracer;
  /** Returns the part after the transaction. */
  readonly result: () => Partial<Replay>;
}

type CreatePart = (transaction: ObservedTransaction, take: (bytes: number) => void) => ReplayPart;

const PARTS: Readonly<Record<ReplayType, CreatePart>> = {
  trace: ({ tx, context }) => {
    const { tracer, frames } = createFrameRecorder();
    return { tracer, result: () => ({ trace: frameTraces(frames, tx, context.chainId) }) };
  },
  vmTrace: (_transaction, take) => {
    const { tracer, result } = createVmTracer(take);
    return { tracer, result: () => ({ vmTrace: result() }) };
  },
  stateDiff: (transaction, take) => {
    const { tracer, record, changes } = createStateChanges(transaction.world, take);
    for (const account of accountsOutsideFrames(transaction)) record(account);
    return { tracer, result: () => ({ stateDiff: stateDiff(changes()) }) };
  },
};

function replay(
  transaction: ObservedTransaction,
  types: ReadonlySet<ReplayType>,
  limits: TraceLimits,
): Replay {
  const take = (bytes: number): void => addToBudget(limits.budget, bytes);
  const parts = [...types].map((type) => PARTS[type](transaction, take));
  const { output } = transaction.run(limitTracer(joinTracers(parts.map(({ tracer }) => tracer)), limits));
  const nothing: Replay = { output: toHex(output), stateDiff: null, trace: [], vmTrace: null };
  return Object.assign(nothing, ...parts.map(({ result }) => result()));
}

/**
 * Lists the accounts that a transaction changes outside of its frames: sender and fee payer, from whose balances the fee
 * goes; the account that receives it, on chains that pay fees out with each transaction; and accounts that delegate
 * (EIP-7702). A state difference has all changes that the transaction itself makes: rewards and fees that are paid with
 * the block are no part of it, and neither are account keys, for which the form has no member.
 */
function accountsOutsideFrames({ tx, context }: ObservedTransaction): readonly Address[] {
  const { feePayer, authorizationList = [] } = tx.fields;
  const accounts = [
    senderOf(tx, context.chainId),
    feePayer,
    feeReceiver(context),
    ...authorizationList.map(authorityOf),
  ];
  return accounts.filter((account) => account !== undefined);
}

/** Joins tracers into one that calls them in their order. */
function joinTracers(tracers: readonly Tracer[]): Tracer {
  return {
    enter: (start) => {
      for (const each of tracers) each.enter?.(start);
    },
    exit: (end) => {
      for (const each of tracers) each.exit?.(end);
    },
    step: (step, failure) => {
      for (const each of tracers) each.step?.(step, failure);
    },
    fault: (step, failure) => {
      for (const each of tracers) each.fault?.(step, failure);
    },
    storageWrite: (address, key, value) => {
      for (const each of tracers) each.storageWrite?.(address, key, value);
    },
  };
}
