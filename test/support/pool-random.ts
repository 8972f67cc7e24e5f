/** A small repeatable random source (mulberry32): the same seed gives the same numbers for ever. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Random numbers that begin at `seed`. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
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
