/** Runs what is to be traced: transactions of blocks on the state before them, and callers' own calls. */
import { equalBytes } from "../../bytes/compare.ts";
import { toHex } from "../../bytes/hex.ts";
import { wordBytes } from "../../bytes/word.ts";
import { ProgramError } from "../../evm/programs/error.ts";
import type { Tracer } from "../../evm/tracer.ts";
import { blobGasFor } from "../../execution/blob-gas.ts";
import { ExecutionError } from "../../execution/error.ts";
import { verifySender } from "../../execution/participants.ts";
import { type SimulatedCall, simulate } from "../../execution/simulate.ts";
import { beginBlock } from "../../execution/system-call.ts";
import { type BlockContext, executeTransaction } from "../../execution/transaction.ts";
import type { Transition } from "../../execution/transition.ts";
import { failure, RpcError } from "../../jsonrpc/errors.ts";
import type { Header } from "../../model/header.ts";
import { STATUS_SUCCESS } from "../../model/receipt-status.ts";
import { effectivePrice, type Transaction } from "../../model/transaction.ts";
import { StateError } from "../../state/error.ts";
import type { World } from "../../state/world/world.ts";
import type { TraceConfig } from "../arguments/trace-config.ts";
import { type ChainReading, contextOfHeader } from "../chain-reading.ts";
import { startTracing } from "./tracers.ts";
import type { TracedOutcome, Tracing, TracingTerms } from "./tracing.ts";

/** A block to trace; it need not be in the chain, but its parent must. */
export interface TracedBlock {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
}

/** What traces of one answer share. */
export type SharedTerms = Omit<TracingTerms, "computationLimit" | "block">;

/** One entry of a block's trace. */
export type BlockTrace =
  | { readonly txHash: string; readonly result: unknown }
  | { readonly txHash: string; readonly error: string };

interface Stage {
  readonly world: World;
  readonly context: BlockContext;
}

/** The trace of the transaction at `index`. Throws `RpcError`. */
export function traceInBlock(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  index: number,
  terms: SharedTerms,
): unknown {
  const stage = stageOf(reading, header, terms.config);
  for (const tx of transactions.slice(0, index)) executeTransaction(stage.world, tx, stage.context);
  const tx = transactions[index];
  if (tx === undefined)
    throw failure(`transaction index ${index} out of range for block ${toHex(header.parentHash)}`);
  return tracedTransaction(stage, tx, terms);
}

/** What the transactions before `index` wrote into the slots of an account. Throws `RpcError`. */
export function slotsBefore(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  { index, address }: { readonly index: number; readonly address: Uint8Array },
): ReadonlyMap<bigint, Uint8Array> {
  const { world, context } = stageOf(reading, header, {});
  const keys = new Set<bigint>();
  const storageWrite = (owner: Uint8Array, key: bigint): void => {
    if (equalBytes(owner, address)) keys.add(key);
  };
  for (const tx of transactions.slice(0, index)) executeTransaction(world, tx, context, { storageWrite });
  return new Map([...keys].map((key) => [key, wordBytes(world.slot(address, key))]));
}

/** The traces of all transactions of a block. Throws `RpcError` where none can be made. */
export function traceBlock(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  terms: SharedTerms,
): BlockTrace[] {
  if (header.number === 0) throw failure("genesis is not traceable");
  const stage = stageOf(reading, header, terms.config);
  return transactions.map((tx) => {
    const txHash = toHex(tx.hash);
    const mark = stage.world.snapshot();
    try {
      return { txHash, result: tracedTransaction(stage, tx, terms) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      stage.world.revert(mark);
      settle(stage, tx);
      return { txHash, error: error.message };
    }
  });
}

/** The transaction whose trace ended early: those after it build on it. */
function settle({ world, context }: Stage, tx: Transaction): void {
  try {
    executeTransaction(world, tx, context);
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
  }
}

/**
 * Runs the first `count` transactions of a block, one after the other: `each` calls `run` with the observer of one.
 * Throws `RpcError`.
 */
export function observeBlock(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  { reexec, count }: { readonly reexec: number | undefined; readonly count: number },
  each: (index: number, run: (tracer?: Tracer) => void) => void,
): void {
  const { world, context } = stageOf(reading, header, { reexec });
  for (const [index, tx] of transactions.slice(0, count).entries()) {
    each(index, (tracer) => void tracingFailed(() => executeTransaction(world, tx, context, tracer)));
  }
}

/** The trace of a caller's call on a world that is its own. Throws `RpcError`. */
export function traceCall(
  world: World,
  call: SimulatedCall,
  context: BlockContext,
  terms: SharedTerms,
): unknown {
  const { from, to, input, value, gas: gasLimit, price } = call;
  const subject = { from, to, input, value, gasLimit, price };
  return tracingFailed(() =>
    traced(startTracing(inBlock(terms, context), world, subject), (tracer) => {
      const transition = simulate(world, call, { context, tracer });
      return { transition, fee: transition.gasUsed * price };
    }),
  );
}

function tracedTransaction({ world, context }: Stage, tx: Transaction, terms: SharedTerms): unknown {
  return tracingFailed(() => {
    const { address: from } = verifySender(world, tx, context);
    const { to, input, value, gas: gasLimit } = tx;
    const { feePayer, blobVersionedHashes } = tx.fields;
    const blobFee = blobGasFor(blobVersionedHashes) * context.block.blobBaseFee;
    const price = effectivePrice(tx, context.header.baseFee, context.rules);
    const subject = { from, to, input, value, gasLimit, price, feePayer, blobFee };
    return traced(startTracing(inBlock(terms, context), world, subject), (tracer) =>
      executeTransaction(world, tx, context, tracer),
    );
  });
}

interface Run {
  readonly transition: Transition;
  readonly fee: bigint;
}

function traced({ tracer, result, end }: Tracing, run: (tracer: Tracer) => Run): unknown {
  try {
    const { transition, fee } = run(tracer);
    return result(outcomeOf(transition, fee));
  } finally {
    end?.();
  }
}

function inBlock(terms: SharedTerms, { rules, header }: BlockContext): TracingTerms {
  return { ...terms, computationLimit: rules.computationLimit, block: header.number };
}

function outcomeOf({ gasUsed, status, output }: Transition, fee: bigint): TracedOutcome {
  return { gasUsed, output, fee, failed: status !== STATUS_SUCCESS };
}

function tracingFailed<T>(trace: () => T): T {
  try {
    return trace();
  } catch (error) {
    if (error instanceof ExecutionError) throw failure(`tracing failed: ${error.message}`);
    if (error instanceof ProgramError) throw failure(error.message);
    throw error;
  }
}

/** The state before a block's transactions. */
function stageOf(reading: ChainReading, header: Header, { reexec = 128 }: TraceConfig): Stage {
  const world = oldWorld(reading, header.number - 1, reexec);
  const context = contextOfHeader(reading, header);
  beginBlock(world, context);
  return { world, context };
}

/** The state after block `number`. Throws `RpcError` in the Go node's words where it is no longer kept. */
export function oldWorld(reading: ChainReading, number: number, reexec = 128): World {
  try {
    return reading.worldAt(number);
  } catch (error) {
    if (!(error instanceof StateError) || error.code !== "state-missing") throw error;
    throw failure(
      "historical state unavailable. tried regeneration but not possible, possibly due to state migration/pruning " +
        `or global state saving interval is bigger than reexec value (reexec=${reexec})`,
    );
  }
}
