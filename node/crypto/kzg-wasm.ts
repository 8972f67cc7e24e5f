/** KZG proofs of blobs in WebAssembly, the fallback. */
import { loadKZG } from "kzg-wasm";
import { fromHex, toHex } from "../bytes/hex.ts";
import { CELLS, type KzgBackend } from "./kzg-backend.ts";

/** KZG by c-kzg-4844 in WebAssembly, for machines without the native one: takes 15 seconds to load. */
export async function loadWasmKzg(): Promise<KzgBackend> {
  const kzg = await loadKZG();
  return {
    name: "wasm",
    commitmentOf: (blob) => fromHex(kzg.blobToKzgCommitment(toHex(blob))),
    blobProofOf: (blob, commitment) => fromHex(kzg.computeBlobProof(toHex(blob), toHex(commitment))),
    extend: (blob) => kzg.computeCells(toHex(blob)).map(fromHex),
    cellsOf: (blob) => {
      const [cells, proofs] = kzg.computeCellsAndProofs(toHex(blob));
      return { cells: cells.map(fromHex), proofs: proofs.map(fromHex) };
    },
    verifyCells: (commitment, cells, proofs) =>
      kzg.verifyCellKzgProofBatch(
        Array.from({ length: CELLS }, () => toHex(commitment)),
        Array.from({ length: CELLS }, (_, index) => index),
        cells.map(toHex),
        proofs.map(toHex),
      ),
  };
}
