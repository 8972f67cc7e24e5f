/** Blob transactions whose hashes belong to their commitments; their blobs are zeros and their proofs are not valid. */
import { sign } from "../../node/crypto/secp256k1.ts";
import { versionedHash } from "../../node/crypto/versioned-hash.ts";
import { signTransaction, type Transaction } from "../../node/model/transaction.ts";
import type { BlobSidecar, TypeFields } from "../../node/model/transaction-type.ts";
import { aSigner, CHAIN_ID } from "./pool-transactions.ts";

/** Price of gas of these transactions, in peb. */
export const BLOB_TX_PRICE = 25n;

const points = (count: number) => Array.from({ length: count }, (_, i) => new Uint8Array(48).fill(i + 1));

/** Creates a sidecar of some blobs. */
export function aSidecar(count = 1, version: 0 | 1 = 1): BlobSidecar {
  return {
    version,
    blobs: Array.from({ length: count }, () => new Uint8Array(131_072)),
    commitments: points(count),
    proofs: points(version === 0 ? count : count * 128),
  };
}

/** Creates a signed transaction with a sidecar of one blob, unless `changes` say otherwise. */
export function aBlobTransaction(changes: Partial<TypeFields> = {}, nonce = 0n): Transaction {
  const sidecar = "sidecar" in changes ? changes.sidecar : aSidecar();
  const hashes = sidecar?.commitments.map(versionedHash) ?? [new Uint8Array(32).fill(1)];
  const blobs = sidecar === undefined ? {} : { sidecar };
  const price = BLOB_TX_PRICE;
  const fields = { maxFeePerBlobGas: price * 8n, blobVersionedHashes: hashes, ...changes, ...blobs };
  const caps = { gasFeeCap: price, gasTipCap: 0n };
  const call = { nonce, gas: 21_000n, value: 0n, to: new Uint8Array(20).fill(9), input: new Uint8Array(0) };
  return signTransaction({ code: 0x7803, ...caps, ...call, fields }, CHAIN_ID, (digest) =>
    sign(digest, aSigner(1).key),
  );
}
