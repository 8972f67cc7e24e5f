/** Blob gas of headers (EIP-4844, KIP-279). */
import type { Hash } from "../bytes/brands.ts";
import type { BlobLimits } from "../config/blob-schedule.ts";
import type { Header } from "../model/header.ts";
import type { Transaction } from "../model/transaction.ts";

/** Gas of one blob. */
export const GAS_PER_BLOB = 131_072n;

/** Returns the excess blob gas of the block after `parent` (EIP-4844). */
export function excessBlobGas(
  parent: Pick<Header, "blobGasUsed" | "excessBlobGas">,
  { target }: Pick<BlobLimits, "target">,
): bigint {
  const spent = parent.excessBlobGas === undefined ? 0n : parent.excessBlobGas + (parent.blobGasUsed ?? 0n);
  const excess = spent - BigInt(target) * GAS_PER_BLOB;
  return excess > 0n ? excess : 0n;
}

/** Returns the gas of a transaction's blobs; 0 without versioned hashes. */
export function blobGasFor(hashes: readonly Hash[] | undefined): bigint {
  return hashes === undefined ? 0n : BigInt(hashes.length) * GAS_PER_BLOB;
}

/** Returns the gas of the blobs of a block's transactions. */
export function blobGasOf(transactions: readonly Transaction[]): bigint {
  let gas = 0n;
  for (const { fields } of transactions) gas += blobGasFor(fields.blobVersionedHashes);
  return gas;
}
