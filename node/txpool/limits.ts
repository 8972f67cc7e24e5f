import { Heap } from "./heap.ts";

/**
 * How many transactions each of several accounts loses when all together hold `excess` too many: one after
 * the other is taken from the account that is then the largest, so the largest are levelled down first;
 * nobody is cut below `keep`. Takes and gives numbers in the same order.
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
