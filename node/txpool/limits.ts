/**
 * How many transactions each of several accounts loses when all together hold too many: the largest
 * are levelled down first, and nobody below `keep`. Takes and gives numbers in the same order; the
 * cuts sum up to `excess`, or to all there is above `keep`.
 */
export function levelCuts(sizes: readonly number[], excess: number, keep: number): number[] {
  const order = sizes.map((size, index) => ({ size, index })).toSorted((a, b) => b.size - a.size);
  const { level, count } = levelFor(
    order.map(({ size }) => size),
    excess,
    keep,
  );
  const cuts = sizes.map((size) => Math.max(0, size - level));
  // The level may cut a few too many: some of those brought down to it keep one more.
  let spare = cuts.reduce((sum, cut) => sum + cut, 0) - excess;
  for (let i = count - 1; i >= 0 && spare > 0; i--, spare--) {
    const index = order[i]?.index;
    if (index !== undefined) cuts[index] = (cuts[index] ?? 0) - 1;
  }
  return cuts;
}

/** The highest level that cuts at least `excess`, at least `keep`, and how many sizes lie above it. */
function levelFor(
  descending: readonly number[],
  excess: number,
  keep: number,
): { level: number; count: number } {
  let sum = 0;
  let count = 0;
  for (const size of descending) {
    if (size <= keep) break;
    sum += size;
    count += 1;
    const next = Math.max(descending[count] ?? 0, keep);
    if (sum - count * next >= excess) break;
  }
  if (count === 0) return { level: keep, count };
  return { level: Math.max(keep, Math.floor((sum - excess) / count)), count };
}
