/** Repeatable random choices. */
import { seededRandom } from "./random.ts";

/** Repeatable choices: the same seed makes the same ones. */
export interface Choices {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Choices that begin at `seed`. */
export function seededChoices(seed: number): Choices {
  const random = seededRandom(seed);
  const int = (below: number) => Math.floor(random() * below);
  return {
    int,
    pick: <T>(items: readonly T[]) => items[int(items.length)] as T, // callers pass at least one item
    shuffle<T>(items: readonly T[]) {
      const shuffled = [...items];
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = int(i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T]; // both in range
      }
      return shuffled;
    },
  };
}
