/** `trace_block` and `trace_transaction`: flat traces for indexers, in the form of OpenEthereum, Erigon and Nethermind. */
import { blockReference, referencedNumber } from "../calls/arguments/block-number.ts";
import type { OpenStoreReading } from "../calls/chain-reading.ts";
import { type FlatTrace, flatTraces } from "../calls/traces/flat-traces.ts";
import { recordedFrames, transactionFrames } from "../calls/traces/recorded-frames.ts";
import { tracedBlock } from "../calls/traces/traced-blocks.ts";
import { hash, nullable } from "../jsonrpc/codecs/hex.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";
import { TRACE_EXPIRY } from "./traces.ts";

/** Dependencies of the flat traces. */
export interface FlatTraceDeps {
  readonly open: OpenStoreReading;
  /** Maximum size of one result in bytes. */
  readonly maxBytes: number;
}

const traceList = plain<readonly FlatTrace[]>(
  "{action, result | error, type, subtraces, traceAddress, transactionHash, transactionPosition, blockHash, blockNumber}[]",
  arraySchema(objectSchema("flat trace")),
);

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
      runs: "reader",
      expires: TRACE_EXPIRY,
      handle: (args) => {
        using reading = open();
        const block = tracedBlock(reading, referencedNumber(reading, args.block));
        const range = { first: 0, last: block.transactions.length - 1 };
        const { chainId } = reading.config;
        return recordedFrames(reading, block, range, limits).flatMap((frames, index) =>
          flatTraces(frames, { block, index, chainId }),
        );
      },
    }),
    method({
      name: "trace_transaction",
      summary: "Returns the calls of a transaction as a flat list; null for an unknown one.",
      params: { hash },
      result: nullable(traceList),
      runs: "reader",
      expires: TRACE_EXPIRY,
      handle: (args) => {
        using reading = open();
        const found = transactionFrames(reading, args.hash, limits);
        return found && flatTraces(found.frames, { ...found, chainId: reading.config.chainId });
      },
    }),
  ];
}
