/**
 * The thread of `recoverer.ts`: takes `{ id, packed, wanted }`, gives `{ id, answer }`, transferred, in order; ends
 * when it is given null. Claims get no answer bytes where there is no fast implementation to check them with.
 */
import { parentPort } from "node:worker_threads";
import { type BlstCurve, loadBlst } from "./bls-blst.ts";
import { verifyPacked } from "./claim-batch.ts";
import { recoverPacked } from "./packed-recovery.ts";
import type { Wanted } from "./recovery-batch.ts";

interface Question {
  readonly id: number;
  readonly packed: Uint8Array;
  readonly wanted: Wanted | "claims";
}

const NOTHING = new Uint8Array(0);
let blst: BlstCurve | undefined;
let isLoaded = false;

parentPort?.on("message", (question: Question | null) => {
  if (question === null) return parentPort?.close();
  const { id, packed, wanted } = question;
  const answer = wanted === "claims" ? verifyJobs(packed) : recoverPacked(packed, wanted);
  parentPort?.postMessage({ id, answer }, [answer.buffer]);
});

function verifyJobs(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  if (!isLoaded) blst = loadBlst();
  isLoaded = true;
  const curve = blst;
  return curve === undefined ? NOTHING.slice() : verifyPacked(packed, (claims) => curve.verifyEach(claims));
}
