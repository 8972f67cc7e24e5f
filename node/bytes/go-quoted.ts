/** Texts in quotes as the Go node prints them. */

/** Characters that are escaped: those that are not printable, the quote and the backslash. */
const NOT_PLAIN = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|["\\]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Returns a text in quotes as Go's `%q` writes it (`strconv.Quote`). */
export function goQuoted(text: string): string {
  return `"${text.replace(NOT_PLAIN, quotedEscape)}"`;
}

function quotedEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number): string => code.toString(16).padStart(digits, "0");
  if (code < 0x80) return SHORT_ESCAPES[character] ?? `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
