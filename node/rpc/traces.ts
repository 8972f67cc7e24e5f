/** `debug_trace*`: what transactions do, step by step; run in reader threads. */
import { bareHex, toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import {
  type BlockNumber,
  type BlockReference,
  blockNumber,
  blockReference,
} from "../calls/arguments/block-number.ts";
import { type TraceConfig, traceConfig } from "../calls/arguments/trace-config.ts";
import { type CallArgs, callArgs } from "../calls/arguments/transaction-args.ts";
import {
  contextOfHeader,
  type OpenStoreReading,
  referencedNumber,
  type StoreReading,
} from "../calls/chain-reading.ts";
import { type CallLimits, callOf } from "../calls/run-call.ts";
import {
  type BlockTrace,
  createTracingOptions,
  historicalWorld,
  type SharedTracingOptions,
  type TracedBlock,
  traceBlock,
  traceCall,
  traceInBlock,
} from "../calls/traces/trace-transaction.ts";
import {
  decodeCallerBlock,
  findBadBlock,
  requireParent,
  tracedBlock,
  tracedBlockByHash,
  tracedNumber,
} from "../calls/traces/traced-blocks.ts";
import type { TraceProfile } from "../calls/traces/tracing.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { optional } from "../jsonrpc/codec.ts";
import { data, hash } from "../jsonrpc/codecs/hex.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type CallContext, type Expiry, type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";
import { blockHash } from "../model/header.ts";

/** What traces read, and how far they may go. */
export interface TraceParts {
  readonly open: OpenStoreReading;
  readonly limits: CallLimits;
  /** Of one answer. */
  readonly maxBytes: number;
  readonly profile: TraceProfile & Pick<RpcProfile, "traceCallPays" | "tracesBlocksWithPrograms">;
}

/** A whole answer, with all its transactions. */
const DEADLINE_MS = 60_000;
/** When a reader gives an answer up. */
export const TRACE_EXPIRY: Expiry = { afterMs: DEADLINE_MS, message: "execution timeout" };
const config = optional(traceConfig, {});

const reader = {
  runs: "reader",
  expires: TRACE_EXPIRY,
} as const;

/** The methods; the same rows are registered in the node and served in its reader threads. */
export function traceMethods(parts: TraceParts): Method[] {
  return [
    ...singleTraces(parts),
    ...blockTraces(parts),
    method({
      name: "debug_traceBlockByNumberRange",
      summary: "The traces of all transactions of a range of blocks, by block number.",
      privilege: "process",
      params: { first: blockNumber, last: blockNumber, config },
      result: plain<Readonly<Record<string, object>>>("object of block number to {block, hash, traces}"),
      ...reader,
      handle: async ({ first, last, ...rest }, context) => {
        const terms = await createTracingOptions(parts, rest.config, context);
        using reading = parts.open();
        return rangeTraces(reading, { first, last }, terms);
      },
    }),
  ];
}

function singleTraces(parts: TraceParts): Method[] {
  return [
    method({
      name: "debug_traceTransaction",
      summary:
        "What a transaction of the chain did: its opcodes, or what a tracer makes of them, named or written in JavaScript.",
      params: { hash, config },
      result: plain("trace", { title: "trace" }),
      ...reader,
      handle: async (args, context) => {
        const terms = await createTracingOptions(parts, args.config, context);
        using reading = parts.open();
        const place = reading.place(args.hash);
        if (place === undefined) throw failure(`transaction ${bareHex(args.hash)} not found`);
        return traceInBlock(reading, tracedBlock(reading, place.number), place.index, terms);
      },
    }),
    method({
      name: "debug_traceCall",
      summary: "What a call after a block would do.",
      params: { args: callArgs, block: blockReference, config },
      result: plain("trace", { title: "trace" }),
      ...reader,
      handle: async (question, context) => {
        const terms = await createTracingOptions(parts, question.config, context);
        using reading = parts.open();
        return callTrace({ ...parts, terms }, reading, question);
      },
    }),
  ];
}

const blockTraceList = plain<readonly BlockTrace[]>(
  "{txHash, result | error}[]",
  arraySchema(objectSchema("{txHash, result | error}")),
);

type BlockTraces = (
  find: (reading: StoreReading) => TracedBlock,
  given: TraceConfig,
  context: CallContext,
) => Promise<BlockTrace[]>;

function blockTraces(parts: TraceParts): Method[] {
  const traces: BlockTraces = async (find, given, context) => {
    const terms = await createTracingOptions(parts, given, context);
    using reading = parts.open();
    return traceBlock(reading, find(reading), terms);
  };
  const known: BlockTraces = (find, given, { refusesPrograms, ...context }) => {
    const refuses = refusesPrograms === true || !parts.profile.tracesBlocksWithPrograms;
    return traces(find, given, { ...context, refusesPrograms: refuses });
  };
  return [
    method({
      name: "debug_traceBlockByNumber",
      summary: "The traces of all transactions of a block.",
      params: { number: blockNumber, config },
      result: blockTraceList,
      ...reader,
      handle: (args, context) =>
        known((reading) => tracedBlock(reading, tracedNumber(reading, args.number)), args.config, context),
    }),
    method({
      name: "debug_traceBlockByHash",
      summary: "The traces of all transactions of a block.",
      params: { hash, config },
      result: blockTraceList,
      ...reader,
      handle: (args, context) =>
        known((reading) => tracedBlockByHash(reading, args.hash), args.config, context),
    }),
    callersBlockTrace(traces),
    method({
      name: "debug_traceBadBlock",
      summary: "The traces of all transactions of a block that was refused.",
      params: { hash, config },
      result: blockTraceList,
      ...reader,
      handle: (args, context) => known((reading) => findBadBlock(reading, args.hash), args.config, context),
    }),
  ];
}

function callersBlockTrace(traces: BlockTraces): Method {
  return method({
    name: "debug_traceBlock",
    summary: "The traces of all transactions of a block that the caller sends, on its parent in the chain.",
    params: { rlp: data, config },
    result: blockTraceList,
    ...reader,
    handle: (args, context) =>
      traces((reading) => requireParent(reading, decodeCallerBlock(args.rlp)), args.config, context),
  });
}

interface CallQuestion {
  readonly args: CallArgs;
  readonly block: BlockReference | undefined;
  readonly config: TraceConfig;
}

function callTrace(
  options: TraceParts & { readonly terms: SharedTracingOptions },
  reading: StoreReading,
  question: CallQuestion,
): unknown {
  const number = referencedNumber(reading, question.block);
  const { header } = tracedBlock(reading, number);
  const context = contextOfHeader(reading, header);
  const world = historicalWorld(reading, number, question.config.reexec);
  const terms = callOf(question.args, context, options.limits);
  const { baseFee = 0n } = header;
  const isPaid = options.profile.traceCallPays && context.rules.effectivePrice === "base-fee-and-tip";
  if (!isPaid || terms.price > 0n || baseFee === 0n) {
    return traceCall(world, terms, context, options.terms);
  }
  const fee = terms.gas * baseFee;
  if (world.balance(terms.from) < fee) {
    throw failure("tracing failed: insufficient balance of the fee payer to pay for gas");
  }
  world.subtractBalance(terms.from, fee); // the simulation lends it
  const priced = { ...terms, price: baseFee, gasFeeCap: baseFee, gasTipCap: baseFee };
  return traceCall(world, priced, context, options.terms);
}

interface BlockRange {
  readonly first: BlockNumber;
  readonly last: BlockNumber;
}

/** The Go node begins behind the block before `first`, and takes the one before block 0 for the newest. */
function rangeTraces(
  reading: StoreReading,
  { first, last }: BlockRange,
  options: SharedTracingOptions,
): Record<string, object> {
  const before = tracedNumber(reading, first) - 1;
  const to = tracedNumber(reading, last);
  if (before > reading.head) throw failure(`starting block #${before} not found`);
  if (to > reading.head) throw failure(`end block #${to} not found`);
  if (before < 0 || before >= to) {
    throw failure(`end block #${to} needs to come after start block #${before}`);
  }
  const traced: Record<string, object> = {};
  for (let number = before + 1; number <= to; number++) {
    const block = tracedBlock(reading, number);
    traced[number] = {
      block: toQuantity(number),
      hash: toHex(blockHash(block.header)),
      traces: traceBlock(reading, block, options),
    };
  }
  return traced;
}
