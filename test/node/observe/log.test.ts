/** Tests of log records: levels, JSON, terminal lines. */
import { expect, test } from "@jest/globals";
import { createLog, type LogFormat, type LogLevel, silentLog } from "../../../node/observe/log.ts";
import { type LogRecord, logfmtLine, terminalLine } from "../../../node/observe/log-format.ts";

function recorder(format: LogFormat, level: LogLevel = "info") {
  const lines: string[] = [];
  return { lines, log: createLog({ level, format, stream: { write: (line) => void lines.push(line) } }) };
}

const RECORD: LogRecord = {
  level: "info",
  time: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  msg: "imported block",
  number: 7,
  reason: "two words",
};

test("a JSON record holds level, message and the fields, bytes as hex and bigints in decimal", () => {
  const { lines, log } = recorder("json");
  log.info({ hash: Uint8Array.of(1, 255), price: 25_000_000_000n, number: 7 }, "imported block");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "info",
    msg: "imported block",
    hash: "0x01ff",
    price: "25000000000",
    number: 7,
  });
});

test("what JSON cannot hold is named, and what is not there is left out", () => {
  const { lines, log } = recorder("logfmt");
  const ring: Record<string, unknown> = {};
  ring["self"] = ring;
  log.info({ ring, deep: { price: 1n }, none: undefined, list: ["a"] }, "odd");
  expect(lines[0]).toMatch(
    / msg=odd ring="\[object Object\]" deep="\[object Object\]" list="\[\\"a\\"\]"\n$/,
  );
});

test("a level that changes holds for the log's children too", () => {
  const { lines, log } = recorder("json", "warn");
  const child = log.child({ part: "p2p" });
  log.setLevel("debug");
  child.debug({}, "seen");
  log.setLevel("silent");
  child.error({}, "unseen");
  expect(lines.map((line) => (JSON.parse(line) as LogRecord).msg)).toEqual(["seen"]);
});

test("records below the level are not written, and a silent log writes none", () => {
  const { lines, log } = recorder("json", "warn");
  log.debug({}, "one");
  log.info({}, "two");
  log.warn({}, "three");
  log.error({}, "four");
  expect(lines.map((line) => (JSON.parse(line) as LogRecord).msg)).toEqual(["three", "four"]);
  const silent = recorder("json", "silent");
  silent.log.error({}, "nothing");
  silentLog.child({ a: 1 }).error({}, "nothing");
  expect(silent.lines).toEqual([]);
});

test("a child's records carry its fields too", () => {
  const { lines, log } = recorder("logfmt");
  log.child({ peer: Uint8Array.of(9) }).info({ number: 7 }, "new head");
  expect(lines[0]).toMatch(/ level=info msg="new head" peer=0x09 number=7\n$/);
});

test("an error is written as its message, and with its stack for developers", () => {
  const { lines, log } = recorder("terminal", "debug");
  const failure = new Error("disk full");
  log.error({ failure }, "block not written");
  expect(lines[0]).toMatch(/error block not written +failure="disk full"\n$/);
  log.debug({ failure }, "block not written");
  expect(lines[1]).toContain(failure.stack);
});

test("a terminal line begins with the time, level and message; fields stand in a column behind", () => {
  const line = terminalLine(RECORD, false);
  expect(line).toMatch(/^\d\d:\d\d:05\.006 info {2}imported block {19}number=7 reason="two words"\n$/);
});

test("colours are control sequences around the same text", () => {
  const coloured = terminalLine(RECORD, true);
  const escape = String.fromCharCode(27);
  expect(coloured).toContain(`${escape}[32minfo`);
  expect(coloured.replaceAll(new RegExp(`${escape}\\[\\d+m`, "g"), "")).toBe(terminalLine(RECORD, false));
});

test("logfmt quotes what has spaces, quotes, equal signs or line feeds, and keeps one record a line", () => {
  const line = logfmtLine({ ...RECORD, odd: 'a="b"\nc', empty: "", list: [1, 2] });
  expect(line).toBe(
    'time=2026-01-02T03:04:05.006Z level=info msg="imported block" number=7 reason="two words" ' +
      'odd="a=\\"b\\"\\nc" empty="" list=[1,2]\n',
  );
});
