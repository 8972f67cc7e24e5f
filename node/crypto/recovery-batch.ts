/**
 * Batches of recoveries as bytes for another thread: 97 bytes a job (digest, r, s, v) to it; for each job 1
 * or 0 and the address or public key back.
 */
import type { Address, Hash, PublicKey } from "../bytes/brands.ts";
import { addressOfPublicKey, recover } from "./secp256k1.ts";

/** One signature: 32-byte digest; r, s, v (0 or 1), 65 bytes. */
export interface RecoveryJob {
  readonly digest: Hash;
  readonly signature: Uint8Array;
}

/** Form of a recovered signer: the address, 20 bytes, or the public key, 64. */
export type Wanted = "address" | "key";

/** Bytes of one packed job. */
export const JOB_BYTES = 97;
/** Bytes of a recovered signer by form. */
export const WANTED_BYTES: Readonly<Record<Wanted, number>> = { address: 20, key: 64 };

/** Returns the signer of a job; undefined when none is recovered. Never throws. */
export function recoverSigner(
  { digest, signature }: RecoveryJob,
  wanted: Wanted,
): Address | PublicKey | undefined {
  const publicKey = recover(digest, signature);
  return publicKey === undefined || wanted === "key" ? publicKey : addressOfPublicKey(publicKey);
}

/** Packs jobs; one of a wrong size becomes zeros, from which nothing recovers. */
export function packJobs(batch: readonly RecoveryJob[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(batch.length * JOB_BYTES);
  batch.forEach(({ digest, signature }, i) => {
    if (digest.length !== 32 || signature.length !== 65) return;
    packed.set(digest, i * JOB_BYTES);
    packed.set(signature, i * JOB_BYTES + 32);
  });
  return packed;
}

/** Returns packed jobs as views of their bytes, in order. */
export function unpackJobs(packed: Uint8Array): RecoveryJob[] {
  return Array.from({ length: Math.floor(packed.length / JOB_BYTES) }, (_, i) => jobAt(packed, i));
}

/** Returns packed job i as views of its bytes. */
export function jobAt(packed: Uint8Array, i: number): RecoveryJob {
  const at = i * JOB_BYTES;
  return { digest: packed.subarray(at, at + 32), signature: packed.subarray(at + 32, at + JOB_BYTES) };
}

/** Returns the signers in a result as views of it, in the order of the jobs. */
export function unpackSigners(answer: Uint8Array, wanted: Wanted): (Uint8Array | undefined)[] {
  const width = 1 + WANTED_BYTES[wanted];
  return Array.from({ length: answer.length / width }, (_, i) => {
    const at = i * width;
    return answer[at] === 1 ? answer.subarray(at + 1, at + width) : undefined;
  });
}
