/** `debug_trace*`: traces of transactions, blocks and calls. They run in reader threads. */
import { bareHex, toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import {
  type BlockReference,
  blockNumber,
  blockReference,
  resolveNumber,
} from "../calls/arguments/block-number.ts";
import { type TraceConfig, traceConfig } from "../calls/arguments/trace-config.ts";
import { type CallArgs, callArgs } from "../calls/arguments/transaction-args.ts";
import { contextOfHeader, type OpenStoreReading, type StoreReading } from "../calls/chain-reading.ts";
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
  type TracedRange,
  tracedBlock,
  tracedBlockByHash,
  tracedRange,
  tracedReference,
} from "../calls/traces/traced-blocks.ts";
import type { TraceForm } from "../calls/traces/tracing.ts";
import type { CallTrace } from "../evm/tracers/call-tracer.ts";
import type { StructLog, StructTrace } from "../evm/tracers/struct-logger.ts";
import { optional } from "../jsonrpc/codec.ts";
import { data, hash } from "../jsonrpc/codecs/hex.ts";
import { plain, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson, sortedMembers } from "../jsonrpc/json-text.ts";
import { type CallContext, type Expiry, type Method, method } from "../jsonrpc/method.ts";
import {
  arraySchema,
  mapSchema,
  namedSchema,
  plainSchemas,
  recordSchema,
  schemaRefs,
} from "../jsonrpc/schemas.ts";
import { blockHash } from "../model/header.ts";

/** Dependencies of the tracing methods. */
export interface TraceMethodDeps {
  readonly open: OpenStoreReading;
  readonly limits: CallLimits;
  /** Maximum size of one result in bytes. */
  readonly maxBytes: number;
  readonly traceForm: TraceForm;
  /** `debug_traceCall` charges a call without a price at the base fee, so its sender needs the balance. */
  readonly chargesTracedCalls: boolean;
}

/** Deadline of a result with all its transactions, in milliseconds. */
const DEADLINE_MS = 60_000;
/** Deadline of a reader thread for one result. */
export const TRACE_EXPIRY: Expiry = { afterMs: DEADLINE_MS, message: "execution timeout" };
const config = optional(traceConfig, {});

const reader = {
  runs: "reader",
  expires: TRACE_EXPIRY,
} as const;

const { text, integer, boolean } = plainSchemas;
const { address, quantity, data: bytes, anyValue } = schemaRefs;

/** The result of `callTracer`. */
const callTraceSchema = namedSchema("callTrace", (self) =>
  recordSchema<CallTrace>({
    from: address,
    gas: quantity,
    gasUsed: quantity,
    "to?": address,
    input: bytes,
    "output?": bytes,
    "error?": text,
    "revertReason?": text,
    "reverted?": recordSchema<NonNullable<CallTrace["reverted"]>>({ "contract?": address, "message?": text }),
    "calls?": arraySchema(self),
    "value?": quantity,
    type: text,
  }),
);

/** The default trace. An error is an empty object in some profiles. */
const structTraceSchema = namedSchema("structTrace", () => {
  const words = arraySchema(text);
  const log = recordSchema<StructLog>({
    pc: integer,
    op: text,
    gas: integer,
    gasCost: integer,
    depth: integer,
    "error?": { anyOf: [text, recordSchema({})] },
    "stack?": words,
    "memory?": words,
    "storage?": mapSchema("value by slot", text),
    computation: integer,
    computationCost: integer,
  });
  return recordSchema<StructTrace>({
    gas: integer,
    failed: boolean,
    returnValue: text,
    structLogs: arraySchema(log),
  });
});

const traceSchema = namedSchema("trace", () => ({
  description: "The default trace, that of `callTracer`, or what another tracer returns.",
  anyOf: [structTraceSchema, callTraceSchema, anyValue],
}));

/** A transaction that could not be traced has the error instead of a result. */
const blockTraceSchema = namedSchema("blockTrace", () =>
  recordSchema({ txHash: hash.schema, "result?": traceSchema, "error?": text }),
);

/** A block and the traces of its transactions. */
export const tracedBlockSchema = namedSchema("tracedBlock", () =>
  recordSchema({ block: quantity, hash: hash.schema, traces: arraySchema(blockTraceSchema) }),
);

const blockRangeSchema = mapSchema("traces by block number", tracedBlockSchema);

/** The methods; the node registers them and its reader threads serve them. */
export function traceMethods(deps: TraceMethodDeps): Method[] {
  return [
    ...singleTraces(deps),
    ...blockTraces(deps),
    method({
      name: "debug_traceBlockByNumberRange",
      summary: "Traces all transactions of a range of blocks, by block number.",
      privilege: "process",
      params: { first: blockNumber, last: blockNumber, config },
      result: writtenAs("object of block number to {block, hash, traces}", blockRangeSchema),
      ...reader,
      handle: async ({ first, last, ...rest }, context) => {
        const options = await createTracingOptions(deps, rest.config, context);
        using reading = deps.open();
        return rangeTraces(reading, { start: first, end: last, hasFirst: true }, options);
      },
    }),
  ];
}

function singleTraces(deps: TraceMethodDeps): Method[] {
  return [
    method({
      name: "debug_traceTransaction",
      summary:
        "Traces a transaction: a struct log of its opcodes, or the result of a tracer, built-in or written in JavaScript.",
      params: { hash, config },
      result: plain("trace", traceSchema),
      ...reader,
      handle: async (args, context) => {
        const options = await createTracingOptions(deps, args.config, context);
        using reading = deps.open();
        const place = reading.place(args.hash);
        if (place === undefined) throw failure(`transaction ${bareHex(args.hash)} not found`);
        return traceInBlock(reading, tracedBlock(reading, place.number), place.index, options);
      },
    }),
    method({
      name: "debug_traceCall",
      summary: "Traces a call on the state after a block.",
      params: { args: callArgs, block: blockReference, config },
      result: plain("trace", traceSchema),
      ...reader,
      handle: async (question, context) => {
        const options = await createTracingOptions(deps, question.config, context);
        using reading = deps.open();
        return callTrace({ ...deps, options }, reading, question);
      },
    }),
  ];
}

/** Encoder of the traces of a block. */
export const blockTraceList = plain<readonly BlockTrace[]>(
  "{txHash, result | error}[]",
  arraySchema(blockTraceSchema),
);

type BlockTraces = (
  find: (reading: StoreReading) => TracedBlock,
  given: TraceConfig,
  context: CallContext,
) => Promise<BlockTrace[]>;

function blockTraces(deps: TraceMethodDeps): Method[] {
  const traces: BlockTraces = async (find, given, context) => {
    const options = await createTracingOptions(deps, given, context);
    using reading = deps.open();
    return traceBlock(reading, find(reading), options);
  };
  return [
    method({
      name: "debug_traceBlockByNumber",
      summary: "Traces all transactions of a block.",
      params: { number: blockNumber, config },
      result: blockTraceList,
      ...reader,
      handle: (args, context) =>
        traces(
          (reading) => tracedBlock(reading, resolveNumber(reading.head, args.number)),
          args.config,
          context,
        ),
    }),
    method({
      name: "debug_traceBlockByHash",
      summary: "Traces all transactions of a block.",
      params: { hash, config },
      result: blockTraceList,
      ...reader,
      handle: (args, context) =>
        traces((reading) => tracedBlockByHash(reading, args.hash), args.config, context),
    }),
    callersBlockTrace(traces),
    method({
      name: "debug_traceBadBlock",
      summary: "Traces all transactions of a bad block.",
      params: { hash, config },
      result: blockTraceList,
      ...reader,
      handle: (args, context) => traces((reading) => findBadBlock(reading, args.hash), args.config, context),
    }),
  ];
}

function callersBlockTrace(traces: BlockTraces): Method {
  return method({
    name: "debug_traceBlock",
    summary: "Traces all transactions of a block that the caller sends as RLP. Its parent must be canonical.",
    params: { rlp: data, config },
    result: blockTraceList,
    ...reader,
    handle: (args, context) =>
      traces((reading) => requireParent(reading, decodeCallerBlock(args.rlp)), args.config, context),
  });
}

interface TraceCallQuery {
  readonly args: CallArgs;
  readonly block: BlockReference | undefined;
  readonly config: TraceConfig;
}

function callTrace(
  deps: TraceMethodDeps & { readonly options: SharedTracingOptions },
  reading: StoreReading,
  question: TraceCallQuery,
): unknown {
  const { header } = tracedReference(reading, question.block);
  const { number } = header;
  const context = contextOfHeader(reading, header);
  const world = historicalWorld(reading, number, question.config.reexec);
  const call = callOf(question.args, context, deps.limits);
  const { baseFee = 0n } = header;
  // The Go node grants the base fee alone; the sender has the rest of the price.
  const granted = call.gas * (deps.chargesTracedCalls ? baseFee : call.price);
  return traceCall(world, { ...call, granted }, context, deps.options);
}

/** Traces the blocks of a range. Throws `RpcError`. */
function rangeTraces(reading: StoreReading, range: TracedRange, options: SharedTracingOptions): string {
  const { before, last } = tracedRange(reading.head, range);
  const traced: [key: string, json: string][] = [];
  for (let number = before + 1; number <= last; number++) {
    const block = tracedBlock(reading, number);
    const entry = {
      block: toQuantity(number),
      hash: toHex(blockHash(block.header)),
      traces: traceBlock(reading, block, options),
    };
    traced.push([`${number}`, goJson(entry)]);
  }
  return sortedMembers(traced); // Go sorts the keys of a map as texts
}
