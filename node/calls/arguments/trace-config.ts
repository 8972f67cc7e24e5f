/** How a trace is to be made (the Go node's `tracers.TraceConfig`). */
import { type Decoder, object } from "../../jsonrpc/codec.ts";
import { hash } from "../../jsonrpc/codecs/hex.ts";
import { boolean, integer, text } from "../../jsonrpc/codecs/plain.ts";
import { failure } from "../../jsonrpc/errors.ts";

/** What a caller may set. Times as Go writes durations. */
export interface TraceConfig {
  readonly disableMemory?: boolean | undefined;
  readonly disableStack?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
  /** Taken and without effect: the Go node prints to its own console then. */
  readonly debug?: boolean | undefined;
  /** Entries of a default trace; 0 for no limit. */
  readonly limit?: number | undefined;
  /** A tracer's name, or a program that is one; the default trace when absent. */
  readonly tracer?: string | undefined;
  /** Of any but the default trace, per transaction. */
  readonly timeout?: string | undefined;
  /** Of the default trace, per transaction. */
  readonly loggerTimeout?: string | undefined;
  /** How far the Go node may go back to make an old state anew. */
  readonly reexec?: number | undefined;
}

const INT = Number.MAX_SAFE_INTEGER;

/** A trace's configuration; keys match without regard to case. */
export const traceConfig: Decoder<TraceConfig> = object("trace config", "tracers.TraceConfig", {
  disableMemory: boolean,
  disableStack: boolean,
  disableStorage: boolean,
  debug: boolean,
  limit: integer("int", -INT, INT),
  tracer: text,
  timeout: text,
  loggerTimeout: text,
  reexec: integer("uint64", 0, INT),
});

/** How traces are written to files (the Go node's `tracers.StdTraceConfig`). */
export interface FileTraceConfig
  extends Pick<
    TraceConfig,
    "disableMemory" | "disableStack" | "disableStorage" | "debug" | "limit" | "reexec"
  > {
  /** The one transaction to trace; all of the block when absent. */
  readonly txHash?: Uint8Array | undefined;
}

/** Keys match without regard to case. */
export const fileTraceConfig: Decoder<FileTraceConfig> = object(
  "file trace config",
  "tracers.StdTraceConfig",
  {
    disableMemory: boolean,
    disableStack: boolean,
    disableStorage: boolean,
    debug: boolean,
    limit: integer("int", -INT, INT),
    reexec: integer("uint64", 0, INT),
    txHash: hash,
  },
);

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const DURATION = /^[-+]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g;

/** Milliseconds of a Go duration such as `1m30s`; below zero for `-1s`. Throws `RpcError`. */
export function durationMs(given: string): number {
  if (/^[-+]?0$/.test(given)) return 0;
  if (given.length > 100 || !DURATION.test(given)) {
    throw failure(`time: invalid duration ${JSON.stringify(given.slice(0, 100))}`);
  }
  let sum = 0;
  for (const [, count, unit = "s"] of given.matchAll(PART)) sum += Number(count) * (UNITS[unit] ?? 0);
  return given.startsWith("-") ? -sum : sum;
}
