/**
 * Blobs (EIP-4844, EIP-7594). Checks the form of a transaction's sidecar at once and its proofs on a thread. The pool
 * keeps sidecars beside the transactions, which go into blocks without them.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { Kzg, KzgClient } from "../crypto/kzg.ts";
import { CELLS } from "../crypto/kzg-backend.ts";
import { versionedHash } from "../crypto/versioned-hash.ts";
import { blobGasFor } from "../execution/blob-gas.ts";
import { BLOB_PRICE } from "../execution/block-context.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import { PoolError } from "./error.ts";
import type { NextBlockRules } from "./next-block-rules.ts";

/** Resolves with true when every proof of a sidecar holds. Rejects when no thread can check it now. */
export type ProveSidecar = (sidecar: BlobSidecar, client?: KzgClient) => Promise<boolean>;

/** Checks everything about a transaction's blobs but the proofs. Throws `PoolError` `bad-blobs` or `bad-sidecar`. */
export function checkBlobs({ fields }: Transaction, { price, maxBlobs }: NextBlockRules): void {
  const { blobVersionedHashes: hashes, sidecar } = fields;
  if (hashes === undefined) return;
  if (sidecar === undefined) throw badBlobsError("missing sidecar in blob transaction");
  const blobPrice = price * BLOB_PRICE;
  const offered = fields.maxFeePerBlobGas ?? 0n;
  if (offered < blobPrice) {
    const numbers = `blob fee cap ${offered}, minimum needed ${blobPrice}`;
    throw badBlobsError(`transaction gas price below minimum: ${numbers}`);
  }
  if (hashes.length === 0) throw badBlobsError("blobless blob transaction");
  if (hashes.length > maxBlobs) {
    throw badBlobsError(`too many blobs in transaction: have ${hashes.length}, permitted ${maxBlobs}`);
  }
  checkSidecar(hashes, sidecar);
}

/** Checks the blobs that travel with a proposed transaction, if any, before all others. Rejects with `PoolError` as above. */
export async function checkSentBlobs({ fields }: Transaction, prove: ProveSidecar): Promise<void> {
  const { blobVersionedHashes: hashes, sidecar } = fields;
  if (hashes === undefined) return;
  if (sidecar === undefined) throw badBlobsError("missing sidecar in blob transaction");
  checkSidecar(hashes, sidecar);
  if (!(await prove(sidecar, "block"))) throw badSidecarError("a proof does not hold");
}

/**
 * Checks that the sidecar belongs to the blobs that the transaction names and has the proofs of cells: version 0 is
 * refused (KIP-279). Throws `PoolError` `bad-sidecar`.
 */
export function checkSidecar(
  hashes: readonly Hash[],
  { version, blobs, commitments, proofs }: BlobSidecar,
): void {
  const want = hashes.length;
  if (blobs.length !== want) throw badSidecarError(`${blobs.length} blobs for ${want} hashes`);
  if (commitments.length !== want)
    throw badSidecarError(`${commitments.length} commitments for ${want} hashes`);
  const strange = hashes.findIndex(
    (hash, i) => !equalBytes(hash, versionedHash(commitments[i] as Uint8Array)),
  );
  if (strange >= 0) throw badSidecarError(`blob ${strange}: the commitment is not that of the hash`);
  if (version !== 1) throw badSidecarError(`blob sidecar version ${version} not supported`);
  if (proofs.length !== want * CELLS) throw badSidecarError(`${proofs.length} proofs, not ${want * CELLS}`);
}

/** Returns the highest fee of a transaction's blobs, in peb. */
export function blobCost({ fields }: Transaction): bigint {
  return blobGasFor(fields.blobVersionedHashes) * (fields.maxFeePerBlobGas ?? 0n);
}

/** True when a transaction without blobs, or one that offers enough for them, can go into the next block. */
export function paysForBlobs({ fields }: Transaction, price: bigint): boolean {
  return fields.maxFeePerBlobGas === undefined || fields.maxFeePerBlobGas >= price * BLOB_PRICE;
}

/** Checks sidecars with KZG. The caller has checked the numbers of blobs, commitments and proofs. */
export function kzgProver(kzg: Pick<Kzg, "verifyBlobCells">): ProveSidecar {
  return async ({ blobs, commitments, proofs }, client) => {
    for (const [i, blob] of blobs.entries()) {
      const commitment = commitments[i] as Uint8Array;
      const cells = proofs.slice(i * CELLS, (i + 1) * CELLS);
      const holds = await kzg.verifyBlobCells({ blob, commitment, proofs: cells }, client);
      if (!holds) return false;
    }
    return true;
  };
}

/**
 * Returns a blob transaction whose sidecar has a proof of each blob (version 0) with the proofs of cells instead, and any
 * other one as it is, as one of more than `maxBlobs`. Hash and signature do not cover the sidecar.
 */
export async function withCellProofs(
  tx: Transaction,
  { kzg, maxBlobs }: { readonly kzg: Pick<Kzg, "cellsOf">; readonly maxBlobs: number },
): Promise<Transaction> {
  const { sidecar } = tx.fields;
  if (sidecar?.version !== 0 || sidecar.blobs.length > maxBlobs) return tx;
  const proofs: Uint8Array[] = [];
  for (const blob of sidecar.blobs) {
    const cells = await kzg.cellsOf(blob);
    if (cells === undefined) throw badSidecarError("a blob is no list of field elements");
    proofs.push(...cells.proofs);
  }
  const fields = { ...tx.fields, sidecar: { ...sidecar, version: 1 as const, proofs } };
  return decodeTransaction(tx.type.encode({ ...tx, fields }, tx.signatures));
}

/** Creates the error for an invalid sidecar. */
export function badSidecarError(why: string): PoolError {
  return new PoolError("bad-sidecar", `invalid blob sidecar: ${why}`);
}

function badBlobsError(message: string): PoolError {
  return new PoolError("bad-blobs", message);
}
