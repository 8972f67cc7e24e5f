/**
 * The thread of `recoverer.ts`: takes `{ id, packed, wanted }`, gives `{ id, answer }`, transferred, in order; ends
 * when it is given null.
 */
import { parentPort } from "node:worker_threads";
import { recoverPacked, type Wanted } from "./recovery-batch.ts";

interface Question {
  readonly id: number;
  readonly packed: Uint8Array;
  readonly wanted: Wanted;
}

parentPort?.on("message", (question: Question | null) => {
  if (question === null) return parentPort?.close();
  const { id, packed, wanted } = question;
  const answer = recoverPacked(packed, wanted);
  parentPort?.postMessage({ id, answer }, [answer.buffer]);
});
