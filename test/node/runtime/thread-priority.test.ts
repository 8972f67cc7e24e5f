/** Tests of the priority of threads. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "@jest/globals";

const NODE = new URL("../../../node/", import.meta.url).href;
const THREAD = `
const { readlinkSync } = require("node:fs");
const { getPriority } = require("node:os");
const { basename } = require("node:path");
const { parentPort } = require("node:worker_threads");
import("${NODE}runtime/thread-priority.ts").then(({ lowerReaderPriority }) => {
  lowerReaderPriority();
  parentPort.postMessage(getPriority(Number(basename(readlinkSync("/proc/thread-self")))));
});
`;

const onLinux = process.platform === "linux" ? test : test.skip; // no other system has priorities of threads
const onCores = availableParallelism() > 1 ? onLinux : test.skip; // on one core no helper steps back

onLinux("a thread that answers calls steps back behind the main thread, whose priority stays", async () => {
  const before = getPriority();
  const worker = new Worker(THREAD, { eval: true });
  const [priority] = (await once(worker, "message")) as [number];
  await worker.terminate();
  expect([priority, getPriority()]).toEqual([Math.min(19, before + 10), before]);
});

/** Says how far each thread of a process has stepped back in which the database has written a table file. */
const HELPERS = `
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { lowerHelperPriorities } from "${NODE}runtime/thread-priority.ts";
import { openLevelStore } from "${NODE}store/level-store.ts";
const directory = mkdtempSync("${join(tmpdir(), "knit-threads-")}");
const store = await openLevelStore(directory, { isTemporary: true });
const batch = store.createBatch();
batch.put(Uint8Array.of(1), new Uint8Array(4096));
await store.write(batch, { sync: false });
await store.compact();
const worker = new Worker("setInterval(() => undefined, 1000)", { eval: true, name: "other" });
await new Promise((resolve) => worker.once("online", resolve));
const tasks = () => readdirSync("/proc/self/task").map(Number);
const steps = (thread) => getPriority(thread) - getPriority(process.pid);
using _ = lowerHelperPriorities(10);
for (const end = Date.now() + 5000; Date.now() < end && !tasks().some((thread) => steps(thread) === 10); )
  await new Promise((resolve) => setTimeout(resolve, 10));
const said = tasks().map((thread) => [readFileSync("/proc/self/task/" + thread + "/comm", "utf8").trim(), steps(thread)]);
await worker.terminate();
await store[Symbol.asyncDispose]();
rmSync(directory, { recursive: true });
process.stdout.write(JSON.stringify(said));
`;

onCores(
  "threads that collect garbage and merge table files step back, those that others wait for do not",
  () => {
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", HELPERS], {
      encoding: "utf8",
    });
    const threads = JSON.parse(output) as [name: string, steps: number][];
    const stepsOf = (wanted: string): number[] =>
      threads.filter(([name]) => name === wanted).map(([, steps]) => steps);
    expect(new Set(stepsOf("V8Worker"))).toEqual(new Set([5]));
    expect(stepsOf("libuv-worker").sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 10]);
    expect(stepsOf("other")).toEqual([0]);
    expect(threads.filter(([, steps]) => steps === 10)).toHaveLength(1);
  },
);
