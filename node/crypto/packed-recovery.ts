/** Recovers the packed jobs of `recovery-batch.ts`, many at once where the engine can. */
import type { Address, PublicKey } from "../bytes/brands.ts";
import { KEY_ANSWER_BYTES, MAX_AT_ONCE, openRecoverMany, type RecoverMany } from "./recover-many.ts";
import { JOB_BYTES, jobAt, recoverSigner, WANTED_BYTES, type Wanted } from "./recovery-batch.ts";
import { addressOfPublicKey } from "./secp256k1.ts";

/** Minimum of jobs for a recovery of many at once. */
const MIN_PACKED = 4;

let many: RecoverMany | undefined;
let isLoaded = false;

/** Recovers packed jobs in order. */
export function recoverPacked(packed: Uint8Array, wanted: Wanted): Uint8Array<ArrayBuffer> {
  if (!isLoaded) many = openRecoverMany();
  isLoaded = true;
  return recoverPackedBy(many, packed, wanted);
}

/**
 * As `recoverPacked`, with a given function for many at once, or none. A job that it does not recover is done
 * singly.
 */
export function recoverPackedBy(
  recoverMany: RecoverMany | undefined,
  packed: Uint8Array,
  wanted: Wanted,
): Uint8Array<ArrayBuffer> {
  const count = Math.floor(packed.length / JOB_BYTES);
  const width = 1 + WANTED_BYTES[wanted];
  const answer = new Uint8Array(count * width);
  for (let first = 0; first < count; first += MAX_AT_ONCE) {
    const here = Math.min(MAX_AT_ONCE, count - first);
    const some = packed.subarray(first * JOB_BYTES, (first + here) * JOB_BYTES);
    const keys = here < MIN_PACKED ? undefined : recoverMany?.(some);
    for (let i = 0; i < here; i++) {
      const signer = signerOf(keys, i, wanted) ?? recoverSigner(jobAt(some, i), wanted);
      if (signer === undefined) continue;
      answer[(first + i) * width] = 1;
      answer.set(signer, (first + i) * width + 1);
    }
  }
  return answer;
}

function signerOf(keys: Uint8Array | undefined, i: number, wanted: Wanted): Address | PublicKey | undefined {
  const at = i * KEY_ANSWER_BYTES;
  if (keys?.[at] !== 1) return undefined;
  const key = keys.subarray(at + 1, at + KEY_ANSWER_BYTES);
  return wanted === "key" ? key : addressOfPublicKey(key);
}
