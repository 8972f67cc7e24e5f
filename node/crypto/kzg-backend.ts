/**
 * The interface of a KZG library on the thread of `kzg.ts`. Sizes have been checked; invalid input throws.
 */
export interface KzgBackend {
  readonly name: "native" | "wasm";
  commitmentOf(blob: Uint8Array): Uint8Array;
  blobProofOf(blob: Uint8Array, commitment: Uint8Array): Uint8Array;
  /** The cells of the extended blob. */
  extend(blob: Uint8Array): readonly Uint8Array[];
  cellsOf(blob: Uint8Array): KzgCells;
  /** Returns true when each proof fits the cell at its index, cell i of `commitment`'s extended blob. */
  verifyCells(commitment: Uint8Array, cells: readonly Uint8Array[], proofs: readonly Uint8Array[]): boolean;
}

/** The 128 cells of an extended blob, 2,048 bytes each, and their proofs, 48 bytes each (EIP-7594). */
export interface KzgCells {
  readonly cells: readonly Uint8Array[];
  readonly proofs: readonly Uint8Array[];
}

/** Cells of an extended blob. */
export const CELLS = 128;
