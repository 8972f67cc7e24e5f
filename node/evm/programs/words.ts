/** What the Go node's engine (Duktape) says of faults that programs often have, from what QuickJS says of them. */
const TRANSLATIONS: readonly (readonly [RegExp, string])[] = [
  [/^ReferenceError: '?([^' ]+)'? is not defined/, "ReferenceError: identifier '$1' undefined"],
  [/^TypeError: cannot set property/, "TypeError: cannot write property"],
  [/^TypeError: circular reference/, "TypeError: cyclic input"],
];

/** The words for what a program threw; others stay as they are. */
export function translated(words: string): string {
  return TRANSLATIONS.reduce((text, [pattern, into]) => text.replace(pattern, into), words);
}
