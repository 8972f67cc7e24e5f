/** Tests of SIGINT and SIGTERM. */
import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import { openShutdownSignal } from "../../../node/cli/signals.ts";
import { createLog } from "../../../node/observe/log.ts";

function openSignals(launcher?: AbortSignal) {
  const lines: string[] = [];
  const emitter = new EventEmitter();
  const log = createLog({
    level: "info",
    format: "logfmt",
    stream: { write: (line) => void lines.push(line) },
  });
  const source = {
    on: (name: string, listener: () => void) => emitter.on(name, listener),
    off: (name: string, listener: () => void) => emitter.off(name, listener),
    exit: () => lines.push("exit"),
  };
  const shutdown = openShutdownSignal(source, log, launcher);
  return { lines, shutdown, press: () => emitter.emit("SIGINT") };
}

test("the end of the launcher shuts down, once", () => {
  const launcher = new AbortController();
  const { lines, shutdown } = openSignals(launcher.signal);
  expect(shutdown.signal.aborted).toBe(false);
  launcher.abort();
  expect(shutdown.signal.aborted).toBe(true);
  expect(lines).toEqual([expect.stringContaining("parent process has ended")]);
});

test("a launcher that ends after the signal says nothing more", () => {
  const launcher = new AbortController();
  const { lines, press } = openSignals(launcher.signal);
  press();
  launcher.abort();
  expect(lines).toEqual([expect.stringContaining("Got interrupt, shutting down...")]);
});

test("one press of Ctrl-C that npm passes on again is one press", () => {
  const { lines, press } = openSignals(new AbortController().signal);
  press();
  press();
  expect(lines).toHaveLength(1);
  press();
  expect(lines[1]).toContain("Already shutting down");
});

test("without a launcher the second press counts", () => {
  const { lines, press } = openSignals();
  press();
  press();
  expect(lines[1]).toContain("Already shutting down");
});
