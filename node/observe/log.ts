/**
 * The program's log. Callers pass plain fields and a constant lower-case message; what comes out is one
 * line a record on standard error: readable text, logfmt or JSON. Bytes are written as `0x` text and
 * bigints in decimal, so callers hand over what they have. Lines are written at once: none is lost at exit.
 */
import { toHex } from "../bytes/hex.ts";
import { type LogRecord, logfmtLine, terminalLine } from "./log-format.ts";

/** A log. A record has fields first, then a constant lower-case message. */
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

/** Formats of a line. */
export type LogFormat = "terminal" | "json" | "logfmt";

/** Destination of lines: a writable stream or anything that takes text. */
export interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Options of `createLog`; without a stream lines go to standard error. */
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
  const write = (record: LogRecord): void => {
    for (const each of streams) each.write(lineOf(record, format, each));
  };
  const gate = { least: RANKS[level] };
  const setLevel = (next: LogLevel): void => {
    gate.least = RANKS[next];
  };
  return { ...recording(write, gate, {}), setLevel };
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** Threshold of the level that is written; shared by a log and its children. */
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

type Fields = Readonly<Record<string, unknown>>;

function recording(write: (record: LogRecord) => void, gate: Gate, common: Fields): Log {
  const at = (level: LogRecord["level"]) => (fields: object, msg: string) => {
    if (RANKS[level] < gate.least) return;
    write({ level, time: Date.now(), ...common, ...plain(fields), msg });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recording(write, gate, { ...common, ...plain(fields) }),
  };
}

/** Converts `fields`, which are flat by rule, into values that a record can hold. */
function plain(fields: object): Fields {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Uint8Array) result[name] = toHex(value);
    else if (typeof value === "bigint") result[name] = value.toString();
    else if (value instanceof Error) result[name] = { message: value.message, stack: value.stack };
    else if (typeof value === "object" && value !== null) result[name] = copyValue(value);
    else if (value !== undefined) result[name] = value;
  }
  return result;
}

/** Its JSON, read again; what has none is named: to log something never fails. */
function copyValue(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function lineOf(record: LogRecord, format: LogFormat, stream: LogStream): string {
  if (format === "json") return `${JSON.stringify(record)}\n`;
  if (format === "logfmt") return logfmtLine(record);
  return terminalLine(record, stream.isTTY === true && !process.env["NO_COLOR"]);
}
