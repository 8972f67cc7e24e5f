/** The thread of `recoverer.ts`: takes `{ id, packed, wanted }`, gives `{ id, answer }`, transferred, in order. */
import { parentPort } from "node:worker_threads";
import { recoverPacked, type Wanted } from "./recovery-batch.ts";

interface Question {
  readonly id: number;
  readonly packed: Uint8Array;
  readonly wanted: Wanted;
}

parentPort?.on("message", ({ id, packed, wanted }: Question) => {
  const answer = recoverPacked(packed, wanted);
  parentPort?.postMessage({ id, answer }, [answer.buffer]);
});
