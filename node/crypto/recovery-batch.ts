/**
 * Many recoveries as one byte string each way, so that a batch crosses to another thread without copying:
 * 97 bytes a job (digest, r, s, v) there, 21 bytes a job (1 or 0 for found, address) back.
 */
import { addressOfPublicKey, recover } from "./secp256k1.ts";

/** One signature whose signer is wanted: 32-byte digest; r, s, v (0 or 1), 65 bytes. */
export interface RecoveryJob {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** Bytes of one packed job. */
export const JOB_BYTES = 97;
const ANSWER_BYTES = 21;

/** The signer's address; undefined when nothing recovers. Never throws. */
export function recoverAddress({ digest, signature }: RecoveryJob): Uint8Array | undefined {
  const publicKey = recover(digest, signature);
  return publicKey === undefined ? undefined : addressOfPublicKey(publicKey);
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

/** Does packed jobs in order. */
export function recoverPacked(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const count = Math.floor(packed.length / JOB_BYTES);
  const answer = new Uint8Array(count * ANSWER_BYTES);
  for (let i = 0; i < count; i++) {
    const at = i * JOB_BYTES;
    const job = { digest: packed.subarray(at, at + 32), signature: packed.subarray(at + 32, at + JOB_BYTES) };
    const address = recoverAddress(job);
    if (address === undefined) continue;
    answer[i * ANSWER_BYTES] = 1;
    answer.set(address, i * ANSWER_BYTES + 1);
  }
  return answer;
}

/** The addresses of an answer, views of it, in the order of the jobs. */
export function unpackAddresses(answer: Uint8Array): (Uint8Array | undefined)[] {
  return Array.from({ length: answer.length / ANSWER_BYTES }, (_, i) => {
    const at = i * ANSWER_BYTES;
    return answer[at] === 1 ? answer.subarray(at + 1, at + ANSWER_BYTES) : undefined;
  });
}
