/** The operator's log: one JSON line a record on standard error, fields first, then a constant lower-case message. */

/** A structured log. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Log levels, most severe first. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

/** A log level. */
export type LogLevel = (typeof logLevels)[number];

/** Creates a log of `level` and more severe records, on standard error by default. */
export function createLog(level: LogLevel, stream: { write(line: string): unknown } = process.stderr): Log {
  const least = logLevels.indexOf(level);
  const at = (rank: LogLevel) => (fields: object, msg: string) => {
    if (logLevels.indexOf(rank) > least) return;
    stream.write(`${lineOf({ level: rank, time: new Date().toISOString(), ...fields, msg })}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Formats a record. Never throws: values that JSON cannot represent are omitted. */
function lineOf({ level, time, msg, ...fields }: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify({ level, time, ...fields, msg });
  } catch (error) {
    return JSON.stringify({ level, time, unsaid: String(error), msg });
  }
}

/** A log that discards all records. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
