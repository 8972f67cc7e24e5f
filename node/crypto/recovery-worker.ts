/** The thread of `recoverer.ts`: takes `{ id, packed }`, gives `{ id, answer }`, both transferred, in order. */
import { parentPort } from "node:worker_threads";
import { recoverPacked } from "./recovery-batch.ts";

parentPort?.on("message", ({ id, packed }: { id: number; packed: Uint8Array }) => {
  const answer = recoverPacked(packed);
  parentPort?.postMessage({ id, answer }, [answer.buffer]);
});
