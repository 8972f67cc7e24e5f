/**
 * Counts the open braces and parentheses of an input; negative when too many are closed. Texts do not count.
 */
export function openBrackets(input: string): number {
  const bare = input.replaceAll(TEXTS, "");
  return count(bare, /[{(]/g) - count(bare, /[})]/g);
}

/** Between quotation marks; the last may not be closed. */
const TEXTS = /(["'])(?:\\.|(?!\1)[^\\])*(?:\1|$)/gs;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
