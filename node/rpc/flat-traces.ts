/** `trace_*`: flat traces and replays for indexers, in the form of OpenEthereum, Erigon and Nethermind. */
import { toHex } from "../bytes/hex.ts";
import { blockReference, referencedNumber } from "../calls/arguments/block-number.ts";
import type { OpenStoreReading } from "../calls/chain-reading.ts";
import { type FlatTrace, flatTraces } from "../calls/traces/flat-traces.ts";
import {
  type AnswerLimits,
  recordedFrames,
  storedTransaction,
  type TransactionRange,
  transactionFrames,
} from "../calls/traces/recorded-frames.ts";
import { REPLAY_TYPES, type Replay, type ReplayType, replays } from "../calls/traces/replays.ts";
import type { TracedBlock } from "../calls/traces/trace-transaction.ts";
import { tracedBlock } from "../calls/traces/traced-blocks.ts";
import type { Codec } from "../jsonrpc/codec.ts";
import { hash, listOf, nullable } from "../jsonrpc/codecs/hex.ts";
import { plain, refuseArgument, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";
import { TRACE_EXPIRY } from "./traces.ts";

/** Dependencies of the flat traces and replays. */
export interface FlatTraceDeps {
  readonly open: OpenStoreReading;
  /** Maximum size of one result in bytes. */
  readonly maxBytes: number;
}

const traceList = plain<readonly FlatTrace[]>(
  "{action, result | error, type, subtraces, traceAddress, transactionHash, transactionPosition, blockHash, blockNumber}[]",
  arraySchema(objectSchema("flat trace")),
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
      result: nullable(plain<Replay>("{output, stateDiff, trace, vmTrace}", objectSchema("replay"))),
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
        arraySchema(objectSchema("replay of a block")),
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
