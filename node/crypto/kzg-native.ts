import { createRequire } from "node:module";
import type * as Native from "@crate-crypto/node-eth-kzg";
import { CELLS, type KzgBackend } from "./kzg-backend.ts";

/** KZG by rust-eth-kzg through its native binding, or undefined when it does not load. Takes two seconds. */
export function loadNativeKzg(): KzgBackend | undefined {
  try {
    // The package's main entry, whose types these are; it picks the binary of this platform.
    const native = createRequire(import.meta.url)("@crate-crypto/node-eth-kzg") as typeof Native;
    return createNativeKzg(native.DasContextJs.create({ usePrecomp: false }));
  } catch {
    return undefined; // the caller chooses the other implementation and says so
  }
}

function createNativeKzg(context: Native.DasContextJs): KzgBackend {
  return {
    name: "native",
    commitmentOf: (blob) => context.blobToKzgCommitment(blob),
    blobProofOf: (blob, commitment) => context.computeBlobKzgProof(blob, commitment),
    extend: (blob) => context.computeCells(blob),
    cellsOf: (blob) => {
      const { cells, proofs } = context.computeCellsAndKzgProofs(blob);
      return { cells, proofs };
    },
    verifyBlob: (blob, commitment, proof) => context.verifyBlobKzgProof(blob, commitment, proof),
    verifyCells: (commitment, cells, proofs) =>
      context.verifyCellKzgProofBatch(
        Array.from({ length: CELLS }, () => commitment),
        Array.from({ length: CELLS }, (_, index) => index),
        [...cells],
        [...proofs],
      ),
  };
}
