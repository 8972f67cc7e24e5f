/** The operator's log: one JSON line a record on standard error, fields first, then a constant lower-case message. */
import { pino } from "pino";

/** Where records go. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The least that is written. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

/** The least that is written. */
export type LogLevel = (typeof logLevels)[number];

/** A log that writes `level` and graver records. */
export function createLog(level: LogLevel): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    process.stderr,
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

/** Writes nothing. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
