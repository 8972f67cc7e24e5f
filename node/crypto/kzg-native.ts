/** KZG proofs of blobs by the native library. */
import { createRequire } from "node:module";
import { CELLS, type KzgBackend, type KzgCells } from "./kzg-backend.ts";

/**
 * The part of rust-eth-kzg's binding that is used; it comes without types. Sizes are right; invalid input
 * throws.
 */
export interface NativeContext {
  blobToKzgCommitment(blob: Uint8Array): Uint8Array;
  computeBlobKzgProof(blob: Uint8Array, commitment: Uint8Array): Uint8Array;
  computeCells(blob: Uint8Array): readonly Uint8Array[];
  computeCellsAndKzgProofs(blob: Uint8Array): KzgCells;
  /** The proof, then the value. */
  computeKzgProof(blob: Uint8Array, z: Uint8Array): readonly [Uint8Array, Uint8Array];
  verifyCellKzgProofBatch(
    commitments: readonly Uint8Array[],
    indices: readonly number[],
    cells: readonly Uint8Array[],
    proofs: readonly Uint8Array[],
  ): boolean;
}

interface NativeModule {
  readonly DasContextJs: { create(options: { readonly usePrecomp: boolean }): NativeContext };
}

/** rust-eth-kzg with Ethereum's trusted setup, or undefined when it does not load. Takes two seconds. */
export function loadNativeContext(): NativeContext | undefined {
  try {
    // The binary for Linux on x64 is an optional dependency of its own: elsewhere it is not installed.
    const native = createRequire(import.meta.url)("@crate-crypto/node-eth-kzg-linux-x64-gnu") as NativeModule;
    return native.DasContextJs.create({ usePrecomp: false });
  } catch {
    return undefined; // the caller chooses the other implementation and says so
  }
}

/** KZG by rust-eth-kzg, or undefined when it does not load. */
export function loadNativeKzg(): KzgBackend | undefined {
  const context = loadNativeContext();
  return context && createNativeKzg(context);
}

function createNativeKzg(context: NativeContext): KzgBackend {
  return {
    name: "native",
    commitmentOf: (blob) => context.blobToKzgCommitment(blob),
    blobProofOf: (blob, commitment) => context.computeBlobKzgProof(blob, commitment),
    extend: (blob) => context.computeCells(blob),
    cellsOf: (blob) => {
      const { cells, proofs } = context.computeCellsAndKzgProofs(blob);
      return { cells, proofs };
    },
    verifyCells: (commitment, cells, proofs) =>
      context.verifyCellKzgProofBatch(
        Array.from({ length: CELLS }, () => commitment),
        Array.from({ length: CELLS }, (_, index) => index),
        cells,
        proofs,
      ),
  };
}
