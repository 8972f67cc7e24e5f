/** What an endpoint answers: text, or text around bytes. */

/** An answer, at once or later. Empty when nothing is to be written. */
export type Answer = string | Promise<string>;

/** An answer, the middle of which is kept as bytes. */
export interface LongAnswer {
  readonly head: string;
  readonly bytes: Buffer;
  readonly tail: string;
}

/** Makes an answer of the text of an id and that of a result. */
export type Wrap = (id: string, result: string) => string | LongAnswer;

/** An answer up to its result. */
export function answerHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`;
}

/** An answer as one text. */
export function inText(id: string, result: string): string {
  return `${answerHead(id)}${result}}`;
}
