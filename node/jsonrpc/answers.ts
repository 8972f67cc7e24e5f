/**
 * Answers of an endpoint: one text, or bytes of the cache between two texts; and the answer of a batch while
 * it is built, entry by entry, within the limits of one answer and of all of them.
 */
import { type DispatchBudget, hasRoom } from "./dispatch-budget.ts";
import type { RpcMessage } from "./envelope.ts";
import { errorJson, RpcError, rpcCode } from "./errors.ts";
import { goEscape } from "./json-text.ts";

/** An answer, at once or later. An empty one is not sent. */
export type RpcAnswer = string | Promise<string>;

/** An answer whose middle comes from the byte cache. */
export interface LongAnswer {
  readonly head: string;
  readonly bytes: Buffer;
  readonly tail: string;
}

/** Builds an answer from the JSON text of an id and that of a result. */
export type Wrap = (id: string, result: string) => string | LongAnswer;

/** Returns the beginning of an answer, up to its result. */
export function answerHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`;
}

/** Returns an answer as one text. */
export function inText(id: string, result: string): string {
  return `${answerHead(id)}${result}}`;
}

/**
 * The answer of a batch while it is built. Dispose of it once its text has been taken, or when the batch is
 * given up.
 */
export class BatchAnswer implements Disposable {
  readonly #budget: Pick<DispatchBudget, "maxAnswer" | "unfinished" | "unsent">;
  #text = "";
  #counted = 0;

  constructor(budget: Pick<DispatchBudget, "maxAnswer" | "unfinished" | "unsent">) {
    this.#budget = budget;
  }

  /** The reason why no further entry is executed; `undefined` while there is room. */
  get fullness(): RpcError | undefined {
    if (this.#text.length >= this.#budget.maxAnswer) return tooLarge;
    return this.#text.length > SHORT_ANSWER && !hasRoom(this.#budget) ? noRoom : undefined;
  }

  add(part: string, message: RpcMessage | undefined): void {
    if (part === "") return;
    const fits = this.#text.length + part.length <= this.#budget.maxAnswer;
    const kept = fits || message === undefined ? part : entryRefusal(message, tooLarge);
    if (kept === "") return;
    this.#text = this.#text === "" ? `[${kept}` : `${this.#text},${kept}`;
    this.#budget.unfinished += kept.length;
    this.#counted += kept.length;
  }

  text(): string {
    return this.#text === "" ? "" : `${this.#text}]\n`;
  }

  [Symbol.dispose](): void {
    this.#budget.unfinished -= this.#counted;
    this.#counted = 0;
  }
}

/** Characters that every batch may answer with, however short memory is. */
const SHORT_ANSWER = 64 * 1024;

/** The error of an answer above the size limit. */
export const tooLarge = new RpcError(rpcCode.tooLarge, "response too large");
/** The error of batch entries for which no memory is left. */
const noRoom = new RpcError(rpcCode.noMemory, "too many answers wait to be taken: try again later");

/** Returns the answer of a batch entry that was not executed: empty for a notification. */
export function entryRefusal({ id, method }: RpcMessage, why: RpcError): string {
  return id === undefined && method !== ""
    ? ""
    : answerError(id === undefined ? "null" : goEscape(id), errorJson(why));
}

/** Returns a whole answer that is an error; both arguments are JSON text. */
export function answerError(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}
