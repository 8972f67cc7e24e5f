/**
 * The program's log. Callers pass plain fields and a constant lower-case message; what comes out is one
 * line a record on standard error: readable text, logfmt or JSON. Bytes are written as `0x` text and
 * bigints in decimal, so callers hand over what they have. Lines are written at once (pino without its
 * worker transports): none is lost at exit, and start-up does not wait for a thread.
 */
import { type Logger, pino } from "pino";
import { toHex } from "../bytes/hex.ts";
import { type LogRecord, logfmtLine, terminalLine } from "./log-format.ts";

/** What a record tells; `fields` first, then a constant lower-case message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The same log with `fields` added to every record. */
  child(fields: object): Log;
}

/** A log whose level may change while it is written; that of its children changes with it. */
export interface AdjustableLog extends Log {
  setLevel(level: LogLevel): void;
}

/** The least that is written; `silent` writes nothing. */
export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

/** How a record looks as a line. */
export type LogFormat = "terminal" | "json" | "logfmt";

/** Where lines go: a writable stream or anything that takes text. */
export interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** What `createLog` needs; without a stream lines go to standard error. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly stream?: LogStream;
  /** Takes every line too, without colours. */
  readonly file?: LogStream | undefined;
}

/** A log that writes `level` and graver records to `stream`, one line each. */
export function createLog({ level, format, stream = process.stderr, file }: LogOptions): AdjustableLog {
  const streams = file === undefined ? [stream] : [stream, file];
  const destination = format === "json" ? copying(streams) : formatting(streams, format);
  const gate = { least: RANKS[level] };
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ level: "debug", base: null, formatters }, destination);
  const setLevel = (next: LogLevel): void => {
    gate.least = RANKS[next];
  };
  return { ...wrap(logger, gate), setLevel };
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** What is graver than this, or as grave, is written; shared by a log and its children. */
interface Gate {
  least: number;
}

/** Writes nothing; for tests and for parts that may run without a log. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};

function wrap(logger: Logger, gate: Gate): Log {
  const enabled = (level: LogLevel) => RANKS[level] >= gate.least;
  return {
    debug: (fields, message) => enabled("debug") && logger.debug(plain(fields), message),
    info: (fields, message) => enabled("info") && logger.info(plain(fields), message),
    warn: (fields, message) => enabled("warn") && logger.warn(plain(fields), message),
    error: (fields, message) => enabled("error") && logger.error(plain(fields), message),
    child: (fields) => wrap(logger.child(plain(fields)), gate),
  };
}

/** Replaces what JSON cannot hold. One level deep: fields are flat by rule. */
function plain(fields: object): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Uint8Array) result[name] = toHex(value);
    else if (typeof value === "bigint") result[name] = value.toString();
    else if (value instanceof Error) result[name] = { message: value.message, stack: value.stack };
    else result[name] = value;
  }
  return result;
}

function copying(streams: readonly LogStream[]): LogStream {
  return {
    write(line) {
      for (const stream of streams) stream.write(line);
    },
  };
}

function formatting(streams: readonly LogStream[], format: "terminal" | "logfmt"): LogStream {
  return {
    write(line) {
      const record = JSON.parse(line) as LogRecord; // pino wrote this line with the settings above
      for (const stream of streams) {
        const colour = stream.isTTY === true && !process.env["NO_COLOR"];
        stream.write(format === "logfmt" ? logfmtLine(record) : terminalLine(record, colour));
      }
    },
  };
}
