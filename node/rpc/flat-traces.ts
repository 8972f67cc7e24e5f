/** `trace_*`: flat traces and replays for indexers, in the form of OpenEthereum, Erigon and Nethermind. */
import { toHex } from "../bytes/hex.ts";
import { blockReference, referencedNumber } from "../calls/arguments/block-number.ts";
import type { OpenStoreReading } from "../calls/chain-reading.ts";
import { type FlatTrace, type FrameTrace, flatTraces } from "../calls/traces/flat-traces.ts";
import {
  type AnswerLimits,
  recordedFrames,
  storedTransaction,
  type TransactionRange,
  transactionFrames,
} from "../calls/traces/recorded-frames.ts";
import { REPLAY_TYPES, type Replay, type ReplayType, replays } from "../calls/traces/replays.ts";
import type { AccountDiff } from "../calls/traces/state-diff.ts";
import type { TracedBlock } from "../calls/traces/trace-transaction.ts";
import { tracedBlock } from "../calls/traces/traced-blocks.ts";
import type { VmEffect, VmOpcode, VmTrace } from "../evm/tracers/vm-tracer.ts";
import type { Codec } from "../jsonrpc/codec.ts";
import { hash, listOf, nullable } from "../jsonrpc/codecs/hex.ts";
import { plain, refuseArgument, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import {
  arraySchema,
  type MembersOf,
  mapSchema,
  namedSchema,
  nullableSchema,
  plainSchemas,
  recordSchema,
  schemaRefs,
} from "../jsonrpc/schemas.ts";
import { TRACE_EXPIRY } from "./traces.ts";

/** Dependencies of the flat traces and replays. */
export interface FlatTraceDeps {
  readonly open: OpenStoreReading;
  /** Maximum size of one result in bytes. */
  readonly maxBytes: number;
}

const { integer, text: textSchema } = plainSchemas;
const { address, data, quantity, hash: hashSchema } = schemaRefs;

/** A call, a creation or a destruction, and its result; without one it failed or is a destruction. */
const FRAME: MembersOf<FrameTrace> = {
  action: {
    anyOf: [
      recordSchema({
        callType: textSchema,
        from: address,
        gas: quantity,
        input: data,
        to: address,
        value: quantity,
      }),
      recordSchema({ creationMethod: textSchema, from: address, gas: quantity, init: data, value: quantity }),
      recordSchema({ address, balance: quantity, refundAddress: address }),
    ],
  },
  "error?": textSchema,
  "result?": {
    anyOf: [
      recordSchema({ gasUsed: quantity, output: data }),
      recordSchema({ address, code: data, gasUsed: quantity }),
      plainSchemas.nothing,
    ],
  },
  subtraces: integer,
  traceAddress: arraySchema(integer),
  type: { enum: ["call", "create", "suicide"] },
};

const flatTraceSchema = namedSchema("flatTrace", () =>
  recordSchema<FlatTrace>({
    ...FRAME,
    blockHash: hashSchema,
    blockNumber: integer,
    transactionHash: hashSchema,
    transactionPosition: integer,
  }),
);

const vmTraceSchema = namedSchema("vmTrace", (self) => {
  const effect = recordSchema<VmEffect>({
    mem: nullableSchema(recordSchema({ off: integer, data })),
    push: arraySchema(quantity),
    store: nullableSchema(recordSchema({ key: quantity, val: quantity })),
    used: integer,
  });
  const opcode = recordSchema<VmOpcode>({
    cost: integer,
    ex: nullableSchema(effect),
    pc: integer,
    sub: nullableSchema(self),
    op: textSchema,
    idx: textSchema,
  });
  return recordSchema<VmTrace>({ code: data, ops: arraySchema(opcode) });
});

const stateDiffSchema = namedSchema("stateDiff", () => {
  const change = recordSchema({ from: data, to: data });
  const quantityChange = recordSchema({ from: quantity, to: quantity });
  const valueDiff = {
    anyOf: [
      { const: "=" },
      recordSchema({ "+": textSchema }),
      recordSchema({ "-": textSchema }),
      recordSchema({ "*": { anyOf: [change, quantityChange] } }),
    ],
  };
  const account = recordSchema<AccountDiff>({
    balance: valueDiff,
    nonce: valueDiff,
    code: valueDiff,
    storage: mapSchema("difference by slot", valueDiff),
  });
  return mapSchema("difference by account", account);
});

const REPLAY: MembersOf<Replay> = {
  output: data,
  stateDiff: nullableSchema(stateDiffSchema),
  trace: arraySchema(recordSchema<FrameTrace>(FRAME)),
  vmTrace: nullableSchema(vmTraceSchema),
};

const traceList = plain<readonly FlatTrace[]>(
  "{action, result | error, type, subtraces, traceAddress, transactionHash, transactionPosition, blockHash, blockNumber}[]",
  arraySchema(flatTraceSchema),
);

const reader = { runs: "reader", expires: TRACE_EXPIRY } as const;

/** The methods; the node registers them and its reader threads serve them. */
export function flatTraceMethods({ open, maxBytes }: FlatTraceDeps): Method[] {
  const limits = { maxBytes, timeoutMs: TRACE_EXPIRY.afterMs };
  return [
    method({
      name: "trace_block",
      summary:
        "Returns the calls of all transactions of a block as a flat list. Rewards are no part of it; `chain_getRewards` returns them.",
      params: { block: blockReference },
      result: traceList,
      ...reader,
      handle: (args) => {
        using reading = open();
        const block = tracedBlock(reading, referencedNumber(reading, args.block));
        const { chainId } = reading.config;
        return recordedFrames(reading, block, allOf(block), limits).flatMap((frames, index) =>
          flatTraces(frames, { block, index, chainId }),
        );
      },
    }),
    method({
      name: "trace_transaction",
      summary: "Returns the calls of a transaction as a flat list; null for an unknown one.",
      params: { hash },
      result: nullable(traceList),
      ...reader,
      handle: (args) => {
        using reading = open();
        const found = transactionFrames(reading, args.hash, limits);
        return found && flatTraces(found.frames, { ...found, chainId: reading.config.chainId });
      },
    }),
    ...replayMethods(open, limits),
  ];
}

function allOf({ transactions }: TracedBlock): TransactionRange {
  return { first: 0, last: transactions.length - 1 };
}

const typeName: Codec<ReplayType> = {
  ...text,
  label: "trace type",
  schema: { enum: REPLAY_TYPES },
  decode(json) {
    const name = text.decode(json);
    const type = REPLAY_TYPES.find((each) => each === name);
    return (
      type ?? refuseArgument(`unknown trace type ${JSON.stringify(name)}: use ${REPLAY_TYPES.join(", ")}`)
    );
  },
};
const types = listOf(typeName, "[]string");

function replayMethods(open: OpenStoreReading, limits: AnswerLimits): Method[] {
  return [
    method({
      name: "trace_replayTransaction",
      summary:
        "Executes a transaction again. Returns its output and, as `types` says, its calls (`trace`), its opcodes (`vmTrace`) and the changes that it and its fee made to accounts (`stateDiff`); null for an unknown one.",
      params: { hash, types },
      result: nullable(plain<Replay>("{output, stateDiff, trace, vmTrace}", recordSchema<Replay>(REPLAY))),
      ...reader,
      handle: (args) => {
        using reading = open();
        const found = storedTransaction(reading, args.hash);
        if (found === undefined) return undefined;
        const range = { first: found.index, last: found.index };
        return replays(reading, found.block, range, { ...limits, types: args.types })[0];
      },
    }),
    method({
      name: "trace_replayBlockTransactions",
      summary:
        "Executes the transactions of a block again and returns for each what `trace_replayTransaction` returns. Rewards are no part of it.",
      params: { block: blockReference, types },
      result: plain<readonly (Replay & { readonly transactionHash: string })[]>(
        "{output, stateDiff, trace, vmTrace, transactionHash}[]",
        arraySchema(recordSchema({ ...REPLAY, transactionHash: hashSchema })),
      ),
      ...reader,
      handle: (args) => {
        using reading = open();
        const block = tracedBlock(reading, referencedNumber(reading, args.block));
        const results = replays(reading, block, allOf(block), { ...limits, types: args.types });
        return results.map((result, index) => ({
          ...result,
          transactionHash: toHex(block.transactions[index]?.hash ?? new Uint8Array(0)),
        }));
      },
    }),
  ];
}
