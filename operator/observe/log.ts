/** The operator's log: one JSON line a record on standard error, fields first, then a constant lower-case message. */

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

/** A log that writes `level` and graver records, to standard error unless told otherwise. */
export function createLog(level: LogLevel, stream: { write(line: string): unknown } = process.stderr): Log {
  const least = logLevels.indexOf(level);
  const at = (rank: LogLevel) => (fields: object, msg: string) => {
    if (logLevels.indexOf(rank) > least) return;
    stream.write(`${lineOf({ level: rank, time: new Date().toISOString(), ...fields, msg })}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** To log something never fails: of what JSON cannot hold the rest is told. */
function lineOf({ level, time, msg, ...fields }: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify({ level, time, ...fields, msg });
  } catch (error) {
    return JSON.stringify({ level, time, unsaid: String(error), msg });
  }
}

/** Writes nothing. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
