/** What nearly every call consists of, recognised where it stands and not cut out of the text. */

const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/** By their first character, of which no two have the same; with the closing quote. */
const byFirst: ({ readonly name: string; readonly quoted: string } | undefined)[] = [];
for (const name of MEMBERS) byFirst[name.charCodeAt(0)] = { name, quoted: `${name}"` };

const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const CLOSE_OBJECT = 0x7d;

/** Whether a message has a member of this name. */
export function isMember(name: string): boolean {
  return MEMBERS.has(name);
}

/** The member whose name, with the closing quote, begins at `at`. */
export function memberAt(text: string, at: number): string | undefined {
  const row = byFirst[text.charCodeAt(at)];
  return row !== undefined && text.startsWith(row.quoted, at) ? row.name : undefined;
}

/** Behind a number of digits alone that ends a member, as ids do; `start` when there is something else. */
export function plainNumberEnd(text: string, start: number): number {
  let at = start;
  let code = text.charCodeAt(at);
  if (code === ZERO) return start;
  while (code >= ZERO && code <= NINE) code = text.charCodeAt(++at);
  return code === COMMA || code === CLOSE_OBJECT ? at : start;
}
