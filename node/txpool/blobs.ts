/**
 * Blobs (EIP-4844, EIP-7594): what of a transaction's sidecar can be said at once, and, on a thread of its own, whether
 * its proofs hold. The pool keeps sidecars beside the transactions, which go into blocks without them.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { Kzg } from "../crypto/kzg.ts";
import { CELLS } from "../crypto/kzg-backend.ts";
import { versionedHash } from "../crypto/versioned-hash.ts";
import { blobGasFor } from "../execution/blob-gas.ts";
import { BLOB_PRICE } from "../execution/evm-block.ts";
import type { Transaction } from "../model/transaction.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import { PoolError } from "./error.ts";
import type { Terms } from "./terms.ts";

/** Says whether every proof of a sidecar holds. Rejects when it cannot tell now. */
export type ProveSidecar = (sidecar: BlobSidecar) => Promise<boolean>;

/** Checks everything about a transaction's blobs but the proofs. Throws `PoolError` `bad-blobs` or `bad-sidecar`. */
export function checkBlobs({ fields }: Transaction, { price, maxBlobs }: Terms): void {
  const { blobVersionedHashes: hashes, sidecar } = fields;
  if (hashes === undefined) return;
  if (sidecar === undefined) throw bad("missing sidecar in blob transaction");
  const blobPrice = price * BLOB_PRICE;
  const offered = fields.maxFeePerBlobGas ?? 0n;
  if (offered < blobPrice) {
    throw bad(
      `max fee per blob gas less than block blob gas fee: maxFeePerBlobGas: ${offered}, blobBaseFee: ${blobPrice}`,
    );
  }
  if (hashes.length === 0) throw bad("blobless blob transaction");
  if (hashes.length > maxBlobs) {
    throw bad(`too many blobs in transaction: have ${hashes.length}, permitted ${maxBlobs}`);
  }
  checkSidecar(hashes, sidecar);
}

/** Checks the blobs that travel with a proposed transaction, if it has any. Rejects with `PoolError` as above. */
export async function checkSentBlobs({ fields }: Transaction, prove: ProveSidecar): Promise<void> {
  const { blobVersionedHashes: hashes, sidecar } = fields;
  if (hashes === undefined) return;
  if (sidecar === undefined) throw bad("missing sidecar in blob transaction");
  checkSidecar(hashes, sidecar);
  if (!(await prove(sidecar))) throw badSidecar("a proof does not hold");
}

/** What the sidecar says has to be of the blobs that the transaction names. Throws `PoolError` `bad-sidecar`. */
function checkSidecar(
  hashes: readonly Uint8Array[],
  { version, blobs, commitments, proofs }: BlobSidecar,
): void {
  const perBlob = version === 0 ? 1 : CELLS;
  const want = hashes.length;
  if (blobs.length !== want) throw badSidecar(`${blobs.length} blobs for ${want} hashes`);
  if (commitments.length !== want) throw badSidecar(`${commitments.length} commitments for ${want} hashes`);
  if (proofs.length !== want * perBlob) throw badSidecar(`${proofs.length} proofs, not ${want * perBlob}`);
  const strange = hashes.findIndex(
    (hash, i) => !equalBytes(hash, versionedHash(commitments[i] as Uint8Array)),
  );
  if (strange >= 0) throw badSidecar(`blob ${strange}: the commitment is not that of the hash`);
}

/** The most that a transaction's blobs may cost, in peb. */
export function blobCost({ fields }: Transaction): bigint {
  return blobGasFor(fields.blobVersionedHashes) * (fields.maxFeePerBlobGas ?? 0n);
}

/** True when a transaction without blobs, or one that offers enough for them, can go into the next block. */
export function paysForBlobs({ fields }: Transaction, price: bigint): boolean {
  return fields.maxFeePerBlobGas === undefined || fields.maxFeePerBlobGas >= price * BLOB_PRICE;
}

/** Proves sidecars with KZG. The numbers of blobs, commitments and proofs fit: the pool has checked them. */
export function kzgProver(kzg: Pick<Kzg, "verifyBlob" | "verifyBlobCells">): ProveSidecar {
  return async ({ version, blobs, commitments, proofs }) => {
    for (const [i, blob] of blobs.entries()) {
      const commitment = commitments[i] as Uint8Array;
      const holds =
        version === 0
          ? await kzg.verifyBlob({ blob, commitment, proof: proofs[i] as Uint8Array })
          : await kzg.verifyBlobCells({ blob, commitment, proofs: proofs.slice(i * CELLS, (i + 1) * CELLS) });
      if (!holds) return false;
    }
    return true;
  };
}

/** The refusal of a sidecar that is not what it claims to be. */
export function badSidecar(why: string): PoolError {
  return new PoolError("bad-sidecar", `invalid blob sidecar: ${why}`);
}

function bad(message: string): PoolError {
  return new PoolError("bad-blobs", message);
}
