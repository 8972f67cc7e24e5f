/** The answer of a batch while it grows: entry by entry, up to its limit and that of all of them together. */
import { type DispatchBudget, hasRoom } from "./dispatch-budget.ts";
import type { Message } from "./envelope.ts";
import { errorJson, RpcError, rpcCode } from "./errors.ts";
import { goEscape } from "./json-text.ts";

/** The answer of a batch while it grows. Disposed when it has been handed on or given up. */
export class BatchAnswer implements Disposable {
  readonly #budget: Pick<DispatchBudget, "maxAnswer" | "making" | "unsent">;
  #text = "";
  #counted = 0;

  constructor(budget: Pick<DispatchBudget, "maxAnswer" | "making" | "unsent">) {
    this.#budget = budget;
  }

  /** Why no further entry is carried out; `undefined` when it is. */
  get fullness(): RpcError | undefined {
    if (this.#text.length >= this.#budget.maxAnswer) return tooLarge;
    return this.#text.length > SHORT_ANSWER && !hasRoom(this.#budget) ? noRoom : undefined;
  }

  add(part: string, message: Message | undefined): void {
    if (part === "") return;
    const fits = this.#text.length + part.length <= this.#budget.maxAnswer;
    const kept = fits || message === undefined ? part : refusal(message, tooLarge);
    if (kept === "") return;
    this.#text = this.#text === "" ? `[${kept}` : `${this.#text},${kept}`;
    this.#budget.making += kept.length;
    this.#counted += kept.length;
  }

  text(): string {
    return this.#text === "" ? "" : `${this.#text}]\n`;
  }

  [Symbol.dispose](): void {
    this.#budget.making -= this.#counted;
    this.#counted = 0;
  }
}

/** Characters that every batch gets. */
const SHORT_ANSWER = 64 * 1024;

/** The error of an answer that passes the limit. */
export const tooLarge = new RpcError(rpcCode.tooLarge, "response too large");
/** The error of what stands in a batch behind what there was memory for. */
const noRoom = new RpcError(rpcCode.noMemory, "too many answers wait to be taken: try again later");

/** What stands in a full batch for an entry that was not carried out. */
export function refusal({ id, method }: Message, why: RpcError): string {
  return id === undefined && method !== ""
    ? ""
    : answerError(id === undefined ? "null" : goEscape(id), errorJson(why));
}

/** A whole answer that is an error; both are JSON text. */
export function answerError(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}
