/** The engine's heap as an import and a busy node set it up. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";

const ROOM = new URL("../../../node/runtime/", import.meta.url);
const PROBE = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { enlargeWhenBusy, enlargeYoungSpace } from "${ROOM.href}young-space.ts";
  const size = () => getHeapSpaceStatistics().find((each) => each.space_name === "new_space").space_size;
  BEGIN
  const enlarged = size();
  globalThis.kept = Array.from({ length: 100 }, () => Array.from({ length: 20_000 }, () => ({})));
  process.stdout.write(JSON.stringify([enlarged, size()].map((bytes) => Math.round(bytes / 1024 / 1024))));`;

test.each([
  ["an import", "enlargeYoungSpace();", 16],
  [
    "a node that has much to do",
    `enlargeWhenBusy(1);
    while (size() < 8 * 1024 * 1024) {
      for (const until = performance.now() + 20; performance.now() < until; );
      await new Promise((resolve) => setImmediate(resolve));
    }`,
    8,
  ],
])(
  "the space for young objects of %s grows once and stays so, whatever outlives collections",
  (_who, begin, size) => {
    const output = execFileSync(
      process.execPath,
      ["--input-type=module", "--eval", PROBE.replace("BEGIN", begin)],
      {
        encoding: "utf8",
      },
    );
    const [enlarged, later] = JSON.parse(output);
    expect(enlarged).toBeGreaterThanOrEqual(size);
    expect(later).toBeLessThan(2 * size);
  },
);

const THREADS = `
  import { Worker } from "node:worker_threads";
  import { enlargeInThreads } from "${ROOM.href}young-space.ts";
  const measure = () => new Promise((resolve) => new Worker(\`
    const { getHeapSpaceStatistics } = require("node:v8");
    const { space_size: size } = getHeapSpaceStatistics().find((each) => each.space_name === "new_space");
    require("node:worker_threads").parentPort.postMessage(Math.round(size / 1024 / 1024));
  \`, { eval: true, execArgv: [] }).once("message", resolve));
  const before = await measure();
  enlargeInThreads();
  process.stdout.write(JSON.stringify([before, await measure()]));`;

test("threads begin with a large space once that is asked for", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", THREADS], {
    encoding: "utf8",
  });
  const [before, after] = JSON.parse(output);
  expect(before).toBeLessThan(8);
  expect(after).toBeGreaterThanOrEqual(8);
});
