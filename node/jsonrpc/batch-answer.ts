/**
 * The answer of a batch while it is built, and the refusal of entries for which there is no room. Parts are joined in
 * pieces: a text that grows by concatenation takes three times its characters.
 */
import { type AnswerRoom, hasRoom } from "./dispatch-budget.ts";
import type { RpcMessage } from "./envelope.ts";
import { errorJson, RpcError, rpcCode } from "./errors.ts";
import { goEscape } from "./json-text.ts";

/** Characters that every batch may answer with, however short memory is. */
const SHORT_ANSWER = 64 * 1024;
/** Characters of refusals after which a batch ends: what is left is refused with one error. */
const MAX_REFUSALS = 256 * 1024;
/** Parts that are joined into one text. */
const MAX_PARTS = 256;
/** Bytes of a part besides its characters. */
const PART_BYTES = 64;

/** The error of an answer above the size limit. */
export const tooLarge = new RpcError(rpcCode.tooLarge, "response too large");
/** The error of batch entries and long answers for which no memory is left. */
export const noRoom = new RpcError(
  rpcCode.limitExceeded,
  "too many answers wait to be taken: try again later",
);

/**
 * The answer of a batch. Dispose of it once its text has been taken, or when the batch is abandoned.
 */
export class BatchAnswer implements Disposable {
  readonly #budget: AnswerRoom;
  readonly #joined: string[] = [];
  #parts: string[] = [];
  #length = 0;
  #refused = 0;
  #counted = 0;

  constructor(budget: AnswerRoom) {
    this.#budget = budget;
  }

  /** The reason why no further entry is executed; `undefined` while there is room. */
  get fullness(): RpcError | undefined {
    if (this.#length >= this.#budget.maxAnswer) return tooLarge;
    return this.#length > SHORT_ANSWER && !hasRoom(this.#budget) ? noRoom : undefined;
  }

  /** True when the refusals of the batch are as long as they may be: one error more, without an id, ends it. */
  get isOver(): boolean {
    return this.#refused > MAX_REFUSALS;
  }

  /** Adds the answer of an entry, or the error that takes its place when it is too long. */
  add(part: string, message: RpcMessage | undefined): void {
    if (part === "") return;
    const fits = this.#length + part.length <= this.#budget.maxAnswer;
    if (fits || message === undefined) this.#add(part);
    else this.refuse(message, tooLarge);
  }

  /** Refuses an entry. */
  refuse(message: RpcMessage, why: RpcError): void {
    const refusal = this.isOver ? answerError("null", errorJson(why)) : entryRefusal(message, why);
    this.#refused += refusal.length;
    if (refusal !== "") this.#add(refusal);
  }

  text(): string {
    if (this.#length === 0) return "";
    this.#join();
    return `[${this.#joined.join(",")}]\n`;
  }

  [Symbol.dispose](): void {
    this.#budget.unfinished -= this.#counted;
    this.#counted = 0;
  }

  #add(part: string): void {
    this.#parts.push(part);
    this.#length += part.length + 1;
    this.#budget.unfinished += part.length + PART_BYTES;
    this.#counted += part.length + PART_BYTES;
    if (this.#parts.length >= MAX_PARTS) this.#join();
  }

  #join(): void {
    if (this.#parts.length === 0) return;
    const { length } = this.#parts;
    this.#joined.push(this.#parts.join(","));
    this.#parts = [];
    this.#budget.unfinished -= length * PART_BYTES;
    this.#counted -= length * PART_BYTES;
  }
}

/** Returns the answer of a batch entry that was not executed: empty for a notification. */
function entryRefusal({ id, method }: RpcMessage, why: RpcError): string {
  return id === undefined && method !== ""
    ? ""
    : answerError(id === undefined ? "null" : goEscape(id), errorJson(why));
}

/** Returns a whole answer that is an error; both arguments are JSON text. */
export function answerError(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}
