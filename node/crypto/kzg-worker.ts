/** The thread of `kzg.ts`. Loading a library takes seconds, and the messages wait for it. Null ends it. */
import { parentPort } from "node:worker_threads";
import { doKzgJob, type KzgJob } from "./kzg-jobs.ts";
import { loadNativeKzg } from "./kzg-native.ts";

const kzg = loadNativeKzg() ?? (await (await import("./kzg-wasm.ts")).loadWasmKzg());

parentPort?.on("message", (job: KzgJob | null) => {
  if (job === null) return parentPort?.close();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(doKzgJob(kzg, job));
});
