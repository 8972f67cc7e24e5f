/** The answer of a batch while it grows: entry by entry, up to a limit. */
import type { Message } from "./envelope.ts";
import { errorJson, RpcError, rpcCode } from "./errors.ts";
import { goEscape } from "./json-text.ts";

/** The answer of a batch while it grows. */
export class BatchAnswer {
  readonly #limit: number;
  #text = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#text.length >= this.#limit;
  }

  add(part: string, message: Message | undefined): void {
    if (part === "") return;
    const fits = this.#text.length + part.length <= this.#limit;
    const kept = fits || message === undefined ? part : refusal(message);
    if (kept !== "") this.#text = this.#text === "" ? `[${kept}` : `${this.#text},${kept}`;
  }

  text(): string {
    return this.#text === "" ? "" : `${this.#text}]\n`;
  }
}

/** The error of an answer that passes the limit. */
export const tooLarge = new RpcError(rpcCode.tooLarge, "response too large");
const TOO_LARGE = errorJson(tooLarge);

/** What stands in a full batch for an entry that was not carried out. */
export function refusal({ id, method }: Message): string {
  return id === undefined && method !== ""
    ? ""
    : answerError(id === undefined ? "null" : goEscape(id), TOO_LARGE);
}

/** A whole answer that is an error; both are JSON text. */
export function answerError(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}
