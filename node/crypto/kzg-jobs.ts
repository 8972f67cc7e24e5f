/** Messages between `kzg.ts` and its thread. Both ends are ours and of one version. */
import type { KzgBackend, KzgCells } from "./kzg-backend.ts";

/** One thing to do. */
export type KzgJob =
  | { readonly do: "backend" }
  | { readonly do: "commitmentOf" | "cellsOf"; readonly blob: Uint8Array }
  | { readonly do: "blobProofOf"; readonly blob: Uint8Array; readonly commitment: Uint8Array }
  | {
      readonly do: "verifyBlobCells";
      readonly blob: Uint8Array;
      readonly commitment: Uint8Array;
      readonly proofs: readonly Uint8Array[];
    };

/** A job's answer; undefined where the library refused the bytes. */
export type KzgAnswer = string | boolean | Uint8Array | KzgCells | undefined;

/** Does a job. Never throws. */
export function doKzgJob(kzg: KzgBackend, job: KzgJob): KzgAnswer {
  try {
    return answer(kzg, job);
  } catch {
    return undefined; // sizes are right: a field element or a point is out of range
  }
}

function answer(kzg: KzgBackend, job: KzgJob): KzgAnswer {
  switch (job.do) {
    case "backend":
      return kzg.name;
    case "commitmentOf":
      return kzg.commitmentOf(job.blob);
    case "cellsOf":
      return kzg.cellsOf(job.blob);
    case "blobProofOf":
      return kzg.blobProofOf(job.blob, job.commitment);
    case "verifyBlobCells":
      // A version-1 sidecar (EIP-7594) has the blob and proofs of the extended blob's cells: these are computed.
      return kzg.verifyCells(job.commitment, kzg.extend(job.blob), job.proofs);
    default:
      return undefined; // nobody sends another
  }
}
