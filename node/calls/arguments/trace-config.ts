/** Decoders of trace options, the Go node's `tracers.TraceConfig` (`node/cn/tracers/api.go@v2.2.2`). */
import type { Hash } from "../../bytes/brands.ts";
import { type Decoder, object } from "../../jsonrpc/codec.ts";
import { hash } from "../../jsonrpc/codecs/hex.ts";
import { boolean, integer, text } from "../../jsonrpc/codecs/plain.ts";
import { failure } from "../../jsonrpc/errors.ts";

/** Options of a trace. Times are Go durations such as `5s`. */
export interface TraceConfig {
  readonly disableMemory?: boolean | undefined;
  readonly disableStack?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
  /** Accepted without effect: the Go node prints the trace to its console. */
  readonly debug?: boolean | undefined;
  /** Maximum number of entries of a struct log; 0 is no limit. */
  readonly limit?: number | undefined;
  /** Name or JavaScript program of a tracer; a struct log when absent. */
  readonly tracer?: string | undefined;
  /** Deadline of one transaction's trace by a tracer. */
  readonly timeout?: string | undefined;
  /** Deadline of one transaction's struct log. */
  readonly loggerTimeout?: string | undefined;
  /**
   * Maximum number of blocks that the Go node re-executes to regenerate a state; only error messages name it
   * here.
   */
  readonly reexec?: number | undefined;
}

const INT = Number.MAX_SAFE_INTEGER;
/** The names of the fields in Go, which have no tags. */
const LOG_FIELDS = {
  disableMemory: "LogConfig.DisableMemory",
  disableStack: "LogConfig.DisableStack",
  disableStorage: "LogConfig.DisableStorage",
  debug: "LogConfig.Debug",
  limit: "LogConfig.Limit",
} as const;

/** Decoder of trace options. Keys are case-insensitive. */
export const traceConfig: Decoder<TraceConfig> = object(
  "trace config",
  "tracers.TraceConfig",
  {
    disableMemory: boolean,
    disableStack: boolean,
    disableStorage: boolean,
    debug: boolean,
    limit: integer("int", -INT, INT),
    tracer: text,
    timeout: text,
    loggerTimeout: text,
    reexec: integer("uint64", 0, INT),
  },
  {
    ...LOG_FIELDS,
    tracer: "Tracer",
    timeout: "Timeout",
    loggerTimeout: "LoggerTimeout",
    reexec: "Reexec",
  },
);

/** Options of traces in files, the Go node's `tracers.StdTraceConfig`. */
export interface FileTraceConfig
  extends Pick<
    TraceConfig,
    "disableMemory" | "disableStack" | "disableStorage" | "debug" | "limit" | "reexec"
  > {
  /** Hash of the transaction to trace; all of the block when absent. */
  readonly txHash?: Hash | undefined;
}

/** Decoder of the options of traces in files. Keys are case-insensitive. */
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
  { ...LOG_FIELDS, reexec: "Reexec", txHash: "TxHash" },
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

/** Parses a Go duration such as `1m30s` or `-1s` into milliseconds. Throws `RpcError`. */
export function durationMs(given: string): number {
  if (/^[-+]?0$/.test(given)) return 0;
  if (given.length > 100 || !DURATION.test(given)) {
    throw failure(`time: invalid duration ${JSON.stringify(given.slice(0, 100))}`);
  }
  let sum = 0;
  for (const [, count, unit = "s"] of given.matchAll(PART)) sum += Number(count) * (UNITS[unit] ?? 0);
  return given.startsWith("-") ? -sum : sum;
}
