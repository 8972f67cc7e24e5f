/** Decoders of trace options, the Go node's `tracers.TraceConfig` (`node/cn/tracers/api.go@v2.2.2`). */
import type { Hash } from "../../bytes/brands.ts";
import { type Decoder, object } from "../../jsonrpc/codec.ts";
import { hash } from "../../jsonrpc/codecs/hex.ts";
import { boolean, count, signed, text } from "../../jsonrpc/codecs/plain.ts";
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
    limit: signed,
    tracer: text,
    timeout: text,
    loggerTimeout: text,
    reexec: count,
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
    limit: signed,
    reexec: count,
    txHash: hash,
  },
  { ...LOG_FIELDS, reexec: "Reexec", txHash: "TxHash" },
);

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["\u00b5s", 1e-3],
  ["\u03bcs", 1e-3],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);
const MAX_DURATION = 100;
/** 2^63 nanoseconds. */
const MAX_MS = 2 ** 63 / 1e6;
/** A count with or without a fraction, and everything up to the next count. */
const PART = /(\d+\.?\d*|\.\d+)([^\d.]*)/gy;

/** Parses a Go duration such as `1m30s` or `-1s` into milliseconds (`time/format.go` of Go). Throws `RpcError`. */
export function durationMs(given: string): number {
  const unsigned = given.replace(/^[-+]/, "");
  if (unsigned === "0") return 0;
  const parts = given.length > MAX_DURATION ? [] : [...unsigned.matchAll(PART)];
  let [sum, length] = [0, 0];
  for (const [part, amount, unit = ""] of parts) {
    sum += Number(amount) * unitMs(unit, given);
    length += part.length;
  }
  if (length === 0 || length < unsigned.length || sum > MAX_MS)
    throw failure(`time: invalid duration ${timeQuoted(given)}`);
  return given.startsWith("-") ? -sum : sum;
}

function unitMs(unit: string, given: string): number {
  if (unit === "") throw failure(`time: missing unit in duration ${timeQuoted(given)}`);
  const ms = UNITS.get(unit);
  if (ms !== undefined) return ms;
  throw failure(`time: unknown unit ${timeQuoted(unit)} in duration ${timeQuoted(given)}`);
}

/** Returns the beginning of a text in quotes as Go's package `time` writes it. */
function timeQuoted(quoted: string): string {
  const bytes = Buffer.from(quoted.slice(0, MAX_DURATION));
  const shown = [...bytes].map((byte) => {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, "0")}`;
    return character === '"' || character === "\\" ? `\\${character}` : character;
  });
  return `"${shown.join("")}"`;
}
