/** Log records as lines of text: for a terminal, and as logfmt for collectors. Pure functions. */

/** A record: level, time, message and the caller's fields. */
export interface LogRecord {
  readonly level: "debug" | "info" | "warn" | "error";
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

const COLOURS = { debug: "36", info: "32", warn: "33", error: "31" } as const;
/** Fields begin in this column behind a short message, so that neighbouring lines can be compared. */
const MESSAGE_WIDTH = 32;

/** `14:28:42.120 info  imported block    number=3 hash=0x12..`, and an error's stack below it. Local time. */
export function terminalLine(record: LogRecord, colour: boolean): string {
  const paint = (code: string, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const level = paint(COLOURS[record.level], record.level.padEnd(5));
  const fields = fieldsOf(record).map(([name, value]) => `${paint("2", `${name}=`)}${valueText(value)}`);
  const message = record.msg ?? "";
  const text = fields.length > 0 ? `${message.padEnd(MESSAGE_WIDTH)} ${fields.join(" ")}` : message;
  return `${localTime(record.time)} ${level} ${text}\n${stacks(record)}`;
}

/** `time=2026-11-21T14:28:42.120Z level=info msg="imported block" number=3`. */
export function logfmtLine(record: LogRecord): string {
  const head: [string, unknown][] = [
    ["time", new Date(record.time).toISOString()],
    ["level", record.level],
    ["msg", record.msg ?? ""],
  ];
  const parts = [...head, ...fieldsOf(record)].map(([name, value]) => `${name}=${valueText(value)}`);
  return `${parts.join(" ")}\n`;
}

function fieldsOf(record: LogRecord): [string, unknown][] {
  return Object.entries(record).filter(([name]) => name !== "level" && name !== "time" && name !== "msg");
}

/** Bare when that is unambiguous, else JSON text; an error shows as its message. */
function valueText(value: unknown): string {
  const text = errorMessage(value) ?? (typeof value === "string" ? value : JSON.stringify(value));
  return typeof text === "string" && /^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text ?? "");
}

function errorMessage(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return "stack" in value && "message" in value ? String(value.message) : undefined;
}

/** The stacks of the errors among a record's fields, for records that a developer reads. */
function stacks(record: LogRecord): string {
  if (record.level !== "debug") return "";
  return Object.values(record)
    .filter((value) => errorMessage(value) !== undefined)
    .map((value) => `${(value as { stack: string }).stack}\n`) // the log writes errors with their stack
    .join("");
}

function localTime(timeMs: number): string {
  const date = new Date(timeMs);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  return `${parts.map((part) => String(part).padStart(2, "0")).join(":")}.${ms}`;
}
