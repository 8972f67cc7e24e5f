/** Distributes cuts over accounts, largest first. */
import { Heap } from "./heap.ts";

/**
 * Returns the number of transactions that each account loses when all together hold `excess` too many. Takes one after
 * the other from the account that is the largest at that time, and leaves each account at least `keep`.
 */
export function levelCuts(sizes: readonly number[], excess: number, keep: number): number[] {
  const left = [...sizes];
  const sizeOf = (index: number) => left[index] ?? 0;
  const largest = new Heap<number>((a, b) => sizeOf(a) > sizeOf(b), [...left.keys()]);
  for (let taken = 0; taken < excess; taken++) {
    const index = largest.top();
    if (index === undefined || sizeOf(index) <= keep) break;
    left[index] = sizeOf(index) - 1;
    largest.replaceTop(index);
  }
  return sizes.map((size, index) => size - sizeOf(index));
}
