/** Suggestions for mistyped words by edit distance. */

/** Returns the word with the smallest edit distance to `word`, if that is at most a third of its length. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const near = words
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit);
  return near.sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** Returns the number of insertions, deletions, replacements and transpositions between two words. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const changed = Math.min(at(above, j) + 1, at(current, j - 1) + 1, at(above, j - 1) + same);
      current[j] = swapped ? Math.min(changed, at(before, j - 2) + 1) : changed;
    }
    before = above;
    above = current;
  }
  return at(above, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
