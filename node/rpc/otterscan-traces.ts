/** The methods of Otterscan that execute a transaction again. Reader threads serve them. */
import type { Hash } from "../bytes/brands.ts";
import type { OpenStoreReading } from "../calls/chain-reading.ts";
import {
  type InternalOperation,
  internalOperations,
  revertData,
  type TraceEntry,
  traceEntries,
} from "../calls/traces/otterscan-traces.ts";
import { transactionFrames } from "../calls/traces/recorded-frames.ts";
import type { RecordedFrame } from "../evm/tracers/frame-recorder.ts";
import type { Encoder } from "../jsonrpc/codec.ts";
import { hash, nullable } from "../jsonrpc/codecs/hex.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, nullableSchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { TRACE_EXPIRY } from "./traces.ts";

/** Dependencies of these methods. */
export interface OtterscanTraceDeps {
  readonly open: OpenStoreReading;
  /** Maximum size of one result in bytes. */
  readonly maxBytes: number;
}

const { integer, text } = plainSchemas;
const { address, quantity, data } = schemaRefs;
const operationSchema = recordSchema<InternalOperation>({
  type: integer,
  from: address,
  to: address,
  value: quantity,
});
const entrySchema = recordSchema<TraceEntry>({
  type: text,
  depth: integer,
  from: address,
  to: address,
  value: nullableSchema(quantity),
  input: data,
  output: data,
});

/** The methods; the node registers them and its reader threads serve them. */
export function otterscanTraceMethods({ open, maxBytes }: OtterscanTraceDeps): Method[] {
  const framesOf = (wanted: Hash): readonly RecordedFrame[] | undefined => {
    using reading = open();
    return transactionFrames(reading, wanted, { maxBytes, timeoutMs: TRACE_EXPIRY.afterMs })?.frames;
  };
  const row = <T>(
    name: string,
    summary: string,
    { result, format }: { result: Encoder<T>; format: (frames: readonly RecordedFrame[]) => T },
  ): Method =>
    method({
      name,
      summary,
      params: { hash },
      result: nullable(result),
      runs: "reader",
      expires: TRACE_EXPIRY,
      handle: (args) => {
        const frames = framesOf(args.hash);
        return frames && format(frames);
      },
    });
  return [
    row(
      "ots_getInternalOperations",
      "Returns the transfers (0), destructions (1) and creations (2, by CREATE2 3) inside a transaction; null for an unknown one.",
      {
        result: plain("{type, from, to, value}[]", arraySchema(operationSchema)),
        format: internalOperations,
      },
    ),
    row(
      "ots_getTransactionError",
      "Returns the data that a transaction was reverted with, 0x for any other; null for an unknown one.",
      { result: plain<string>("bytes", data), format: revertData },
    ),
    row(
      "ots_traceTransaction",
      "Returns all calls of a transaction in their order; null for an unknown one.",
      {
        result: plain("{type, depth, from, to, value, input, output}[]", arraySchema(entrySchema)),
        format: traceEntries,
      },
    ),
  ];
}
