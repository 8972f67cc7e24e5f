/** Completions for Tab: members whose names begin with the last word of the line. */
import { memberNames } from "./pretty.ts";

/** Returns the start of the last word of `line`: letters, dots and `web3`. */
export function wordStart(line: string): number {
  const [word = ""] = /(?:web3|[a-zA-Z.])*$/.exec(line) ?? [];
  return line.length - word.length;
}

/** Returns the names that complete `word`, sorted; a complete and unique name gets `(` or `.`. */
export function completions(word: string, globals: object): string[] {
  const parts = word.split(".");
  const prefix = parts.pop() ?? "";
  let holder: unknown = globals;
  for (const part of parts) holder = member(holder, part);
  if (holder === null || holder === undefined) return [];
  const before = parts.map((part) => `${part}.`).join("");
  const names = memberNames(Object(holder) as object).filter((name) => name.startsWith(prefix));
  const found = [...new Set(names)].map((name) => before + name).sort();
  if (found.length !== 1 || found[0] !== word) return found;
  return [word + (typeof member(holder, prefix) === "function" ? "(" : ".")];
}

function member(holder: unknown, name: string): unknown {
  try {
    return (holder as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined; // a property that the node does not answer
  }
}
