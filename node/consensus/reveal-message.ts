import { fixedBytes } from "../bytes/integer.ts";

/** What the proposer of block `number` signs for its random reveal (KIP-114). */
export function revealMessage(number: number): Uint8Array {
  return fixedBytes(number, 32);
}
