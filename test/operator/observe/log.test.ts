/** Tests of the operator's log records. */
import { expect, test } from "@jest/globals";
import { createLog, type LogLevel } from "../../../operator/observe/log.ts";

function recorder(level: LogLevel) {
  const lines: string[] = [];
  return { lines, log: createLog(level, { write: (line: string) => void lines.push(line) }) };
}

test("a record is a line of JSON: level, time in ISO 8601, the fields, the message", () => {
  const { lines, log } = recorder("info");
  log.debug({}, "unseen");
  log.warn({ node: "a/b", left: 3 }, "peers are missing");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^\{"level":"warn","time":"\d{4}-\d\d-\d\dT[\d:.]+Z","node":"a\/b","left":3,"msg":"peers are missing"\}\n$/,
  );
});

test("what JSON cannot hold costs the fields, never the record", () => {
  const { lines, log } = recorder("debug");
  log.error({ count: 1n }, "odd");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", msg: "odd", unsaid: expect.anything() });
});
