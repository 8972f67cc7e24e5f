/** Tests of the end of threads. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "@jest/globals";
import { endThread } from "../../../node/runtime/end-thread.ts";

/** A thread that says 1 when it is there; 7 is its exit code when it ends by itself. */
async function aThread(onMessage: string): Promise<Worker> {
  const code = `import { parentPort } from "node:worker_threads";
    parentPort.on("message", (message) => { ${onMessage} });
    parentPort.postMessage(1);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  await once(worker, "message");
  return worker;
}

test("a thread ends by its own hand when it can, and is terminated when it does not", async () => {
  for (const [onMessage, patienceMs, exitCode] of [
    ["if (message === null) process.exit(7)", 20_000, 7],
    ["for (;;);", 50, 1],
  ] as const) {
    const worker = await aThread(onMessage);
    const exit = once(worker, "exit");
    await endThread(worker, patienceMs);
    expect(await exit).toEqual([exitCode]);
  }
});
