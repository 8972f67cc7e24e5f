/** What `kzg.ts` asks of a library, on the thread that has it. Sizes have been checked; damage throws. */
export interface KzgBackend {
  readonly name: "native" | "wasm";
  commitmentOf(blob: Uint8Array): Uint8Array;
  blobProofOf(blob: Uint8Array, commitment: Uint8Array): Uint8Array;
  /** The cells of the extended blob. */
  extend(blob: Uint8Array): readonly Uint8Array[];
  cellsOf(blob: Uint8Array): KzgCells;
  verifyBlob(blob: Uint8Array, commitment: Uint8Array, proof: Uint8Array): boolean;
  /** Whether each proof is that of the cell of the same place; cell i of `commitment`'s extended blob at i. */
  verifyCells(commitment: Uint8Array, cells: readonly Uint8Array[], proofs: readonly Uint8Array[]): boolean;
}

/** The 128 cells of an extended blob, 2,048 bytes each, and their proofs, 48 bytes each (EIP-7594). */
export interface KzgCells {
  readonly cells: readonly Uint8Array[];
  readonly proofs: readonly Uint8Array[];
}

/** How many cells an extended blob has. */
export const CELLS = 128;
