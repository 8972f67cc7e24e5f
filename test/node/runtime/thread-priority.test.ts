/** Tests of the priority of threads. */
import { once } from "node:events";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "@jest/globals";

const MODULE = new URL("../../../node/runtime/thread-priority.ts", import.meta.url).href;
const THREAD = `
const { readlinkSync } = require("node:fs");
const { getPriority } = require("node:os");
const { basename } = require("node:path");
const { parentPort } = require("node:worker_threads");
import(${JSON.stringify(MODULE)}).then(({ lowerThreadPriority }) => {
  lowerThreadPriority();
  parentPort.postMessage(getPriority(Number(basename(readlinkSync("/proc/thread-self")))));
});
`;

const onLinux = process.platform === "linux" ? test : test.skip; // no other system has priorities of threads

onLinux("a thread steps back behind the main thread, whose priority stays", async () => {
  const before = getPriority();
  const worker = new Worker(THREAD, { eval: true });
  const [priority] = (await once(worker, "message")) as [number];
  await worker.terminate();
  expect([priority, getPriority()]).toEqual([Math.min(19, before + 5), before]);
});
