/** Traces transactions of blocks, on the state before them, and calls. */
import type { Address } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { toHex } from "../../bytes/hex.ts";
import { wordBytes } from "../../bytes/word.ts";
import { ProgramError } from "../../evm/programs/error.ts";
import { loadSandboxes } from "../../evm/programs/sandbox.ts";
import type { Tracer } from "../../evm/tracer.ts";
import { blobGasFor } from "../../execution/blob-gas.ts";
import { ExecutionError } from "../../execution/error.ts";
import { verifySender } from "../../execution/participants.ts";
import { type SimulatedCall, simulate } from "../../execution/simulate.ts";
import { beginBlock } from "../../execution/system-call.ts";
import { type BlockContext, executeTransaction } from "../../execution/transaction.ts";
import type { Transition } from "../../execution/transition.ts";
import { failure, RpcError } from "../../jsonrpc/errors.ts";
import type { CallContext } from "../../jsonrpc/method.ts";
import type { Header } from "../../model/header.ts";
import { STATUS_SUCCESS } from "../../model/receipt-status.ts";
import { effectivePrice, type Transaction } from "../../model/transaction.ts";
import { StateError } from "../../state/error.ts";
import type { World } from "../../state/world/world.ts";
import type { TraceConfig } from "../arguments/trace-config.ts";
import { type ChainReading, contextOfHeader } from "../chain-reading.ts";
import { isNamedTracer, startTracing } from "./tracers.ts";
import type { TracedOutcome, TraceForm, Tracing, TracingOptions } from "./tracing.ts";

/** A block to trace. It need not be canonical, but its parent must be. */
export interface TracedBlock {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
}

/** Options that the traces of one result share. */
export type SharedTracingOptions = Omit<TracingOptions, "computationLimit" | "block">;

/** Dependencies of the traces of one result. */
export interface TraceResultDeps {
  /** Maximum size of the result in bytes. */
  readonly maxBytes: number;
  readonly traceForm: TraceForm;
}

/**
 * Creates the options of one result. Loads the JavaScript engine for a program if the interface allows
 * programs.
 */
export async function createTracingOptions(
  { maxBytes, traceForm }: TraceResultDeps,
  config: TraceConfig,
  { refusesPrograms = false }: CallContext,
): Promise<SharedTracingOptions> {
  const { tracer } = config;
  const isProgram = tracer !== undefined && !isNamedTracer(tracer);
  const sandboxes = isProgram && !refusesPrograms ? await loadSandboxes() : undefined;
  return { config, traceForm, budget: { maxBytes, used: 0 }, sandboxes };
}

/** Result of one transaction in a block's trace. */
export type BlockTrace =
  | { readonly txHash: string; readonly result: unknown }
  | { readonly txHash: string; readonly error: string };

interface Stage {
  readonly world: World;
  readonly context: BlockContext;
}

/** Traces the transaction at `index`. Throws `RpcError`. */
export function traceInBlock(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  index: number,
  options: SharedTracingOptions,
): unknown {
  const stage = stageOf(reading, header, options.config);
  for (const tx of transactions.slice(0, index)) executeTransaction(stage.world, tx, stage.context);
  const tx = transactions[index];
  if (tx === undefined)
    throw failure(`transaction index ${index} out of range for block ${toHex(header.parentHash)}`);
  return traceTransaction(stage, tx, options);
}

/**
 * Returns the slots of an account that the transactions before `index` wrote, with their values. Throws
 * `RpcError`.
 */
export function slotsBefore(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  { index, address }: { readonly index: number; readonly address: Address },
): ReadonlyMap<bigint, Uint8Array> {
  const { world, context } = stageOf(reading, header, {});
  const keys = new Set<bigint>();
  const storageWrite = (owner: Address, key: bigint): void => {
    if (equalBytes(owner, address)) keys.add(key);
  };
  for (const tx of transactions.slice(0, index)) executeTransaction(world, tx, context, { storageWrite });
  return new Map([...keys].map((key) => [key, wordBytes(world.slot(address, key))]));
}

/** Traces all transactions of a block. Throws `RpcError` for a block that cannot be traced. */
export function traceBlock(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  options: SharedTracingOptions,
): BlockTrace[] {
  if (header.number === 0) throw failure("genesis is not traceable");
  const stage = stageOf(reading, header, options.config);
  return transactions.map((tx) => {
    const txHash = toHex(tx.hash);
    const mark = stage.world.snapshot();
    try {
      return { txHash, result: traceTransaction(stage, tx, options) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      stage.world.revert(mark);
      executeUntraced(stage, tx);
      return { txHash, error: error.message };
    }
  });
}

/** Executes a transaction whose trace failed, because the following ones depend on its state. */
function executeUntraced({ world, context }: Stage, tx: Transaction): void {
  try {
    executeTransaction(world, tx, context);
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
  }
}

/** A transaction that is about to run behind those before it in its block. */
export interface ObservedTransaction extends Stage {
  readonly index: number;
  readonly tx: Transaction;
  /** Executes the transaction. Throws `RpcError`. */
  readonly run: (tracer?: Tracer) => Transition;
}

/** Executes the first `count` transactions of a block; `each` calls `run` once. Throws `RpcError`. */
export function observeBlock(
  reading: ChainReading,
  { header, transactions }: TracedBlock,
  { reexec, count }: { readonly reexec: number | undefined; readonly count: number },
  each: (transaction: ObservedTransaction) => void,
): void {
  const { world, context } = stageOf(reading, header, { reexec });
  for (const [index, tx] of transactions.slice(0, count).entries()) {
    const run = (tracer?: Tracer): Transition =>
      withTraceErrors(() => executeTransaction(world, tx, context, tracer).transition);
    each({ world, context, index, tx, run });
  }
}

/** Traces a call on a world of its own. Throws `RpcError`. */
export function traceCall(
  world: World,
  call: SimulatedCall,
  context: BlockContext,
  options: SharedTracingOptions,
): unknown {
  const { from, to, input, value, gas: gasLimit, price, granted = 0n } = call;
  const subject = { from, to, input, value, gasLimit, price, granted };
  return withTraceErrors(() =>
    runTracing(startTracing(optionsInBlock(options, context), world, subject), (tracer) => {
      const transition = simulate(world, call, { context, tracer });
      return { transition, fee: transition.gasUsed * price };
    }),
  );
}

function traceTransaction(
  { world, context }: Stage,
  tx: Transaction,
  options: SharedTracingOptions,
): unknown {
  return withTraceErrors(() => {
    const { address: from } = verifySender(world, tx, context);
    const { to, input, value, gas: gasLimit } = tx;
    const { feePayer, blobVersionedHashes } = tx.fields;
    const blobFee = blobGasFor(blobVersionedHashes) * context.block.blobBaseFee;
    const price = effectivePrice(tx, context.header.baseFee, context.rules);
    const subject = { from, to, input, value, gasLimit, price, feePayer, blobFee };
    return runTracing(startTracing(optionsInBlock(options, context), world, subject), (tracer) =>
      executeTransaction(world, tx, context, tracer),
    );
  });
}

interface Run {
  readonly transition: Transition;
  readonly fee: bigint;
}

function runTracing({ tracer, result, end }: Tracing, run: (tracer: Tracer) => Run): unknown {
  try {
    const { transition, fee } = run(tracer);
    return result(outcomeOf(transition, fee));
  } finally {
    end?.();
  }
}

function optionsInBlock(options: SharedTracingOptions, { rules, header }: BlockContext): TracingOptions {
  return { ...options, computationLimit: rules.computationLimit, block: header.number };
}

function outcomeOf({ gasUsed, status, output }: Transition, fee: bigint): TracedOutcome {
  return { gasUsed, output, fee, failed: status !== STATUS_SUCCESS };
}

function withTraceErrors<T>(trace: () => T): T {
  try {
    return trace();
  } catch (error) {
    if (error instanceof ExecutionError) throw failure(`tracing failed: ${error.message}`);
    if (error instanceof ProgramError) throw failure(error.message);
    throw error;
  }
}

/** Opens the state before a block's transactions. */
function stageOf(reading: ChainReading, header: Header, { reexec = 128 }: TraceConfig): Stage {
  const world = historicalWorld(reading, header.number - 1, reexec);
  const context = contextOfHeader(reading, header);
  beginBlock(world, context);
  return { world, context };
}

/** Opens the state after block `number`. Throws the Go node's `RpcError` when it is no longer stored. */
export function historicalWorld(reading: ChainReading, number: number, reexec = 128): World {
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
