/**
 * Recovery of the signers that strangers send: their batches go to the threads in pieces, few at a time, so that the
 * signatures of a block wait for milliseconds and not for everything that strangers have sent. Batches take turns.
 */
import { createSlots } from "../runtime/parallel.ts";
import type { Recoverer, Signers } from "./recoverer.ts";
import type { RecoveryJob } from "./recovery-batch.ts";

/** Recovery of addresses and of keys. */
export type SignerRecovery = Pick<Recoverer, "recover" | "recoverKeys">;

/** Jobs of one piece, which two threads take about 3 ms for. */
const PIECE = 256;
/** Pieces with the threads at once: one that they work on, and the next one. */
const MAX_PIECES = 2;
/** Jobs of a batch that does not wait: the main thread does it at once. */
const MAX_AT_ONCE = 8;

/** Returns a recovery that leaves the threads to others between pieces. */
export function recoverInTurns(recoverer: SignerRecovery): SignerRecovery {
  const slots = createSlots(MAX_PIECES);
  const inPieces = async (
    batch: readonly RecoveryJob[],
    recover: (piece: readonly RecoveryJob[]) => Promise<Signers>,
  ): Promise<Signers> => {
    if (batch.length <= MAX_AT_ONCE) return recover(batch);
    const found: Signers[] = [];
    let next = 0;
    const goOn = async (): Promise<void> => {
      while (next * PIECE < batch.length) {
        const place = next++;
        found[place] = await slots(() => recover(batch.slice(place * PIECE, (place + 1) * PIECE)));
      }
    };
    await Promise.all(Array.from({ length: MAX_PIECES }, goOn));
    return found.flat();
  };
  return {
    recover: (batch) => inPieces(batch, recoverer.recover),
    recoverKeys: (batch) => inPieces(batch, recoverer.recoverKeys),
  };
}
