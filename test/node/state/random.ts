/** Random numbers of the state tests, by seed. */
import { randomBytes, seededRandom } from "../../support/random.ts";

/** Random whole numbers and bytes, the same on every run of a seed. */
export interface Random {
  below(limit: number): number;
  bytes(length: number): Uint8Array;
}

export function aRandom(seed: number): Random {
  const random = seededRandom(seed);
  return {
    below: (limit) => Math.floor(random() * limit),
    bytes: (length) => randomBytes(random, length),
  };
}
