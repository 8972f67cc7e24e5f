/**
 * Returns the number of open braces and parentheses of an input outside of quotes; negative when too many are
 * closed.
 */
export function openBrackets(input: string): number {
  const bare = input.replaceAll(TEXTS, "");
  return count(bare, /[{(]/g) - count(bare, /[})]/g);
}

/** A quoted text; the closing quote may be missing. */
const TEXTS = /(["'])(?:\\.|(?!\1)[^\\])*(?:\1|$)/gs;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
