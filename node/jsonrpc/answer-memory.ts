/**
 * Memory of long answers while they are written in parts. They are charged to the connections that asked for them: when
 * the memory is full, the address with the most loses its own for one with less.
 */
import { noRoom, tooLarge } from "./batch-answer.ts";
import type { DispatchBudget } from "./dispatch-budget.ts";
import type { Holder } from "./memory-budget.ts";

/** Limits of a caller's long answers. */
export interface AnswerRoom {
  readonly budget: Pick<DispatchBudget, "maxAnswer" | "written">;
  /** The connection. */
  readonly holder: Holder;
}

/** The characters of one answer. Dispose of it once the text is composed, or when the answer is abandoned. */
export class AnswerMemory implements Disposable {
  readonly #room: AnswerRoom;
  #length = 0;

  constructor(room: AnswerRoom) {
    this.#room = room;
  }

  /** Counts a part. Throws `RpcError` when the answer is too long, or when no memory is left for it. */
  count({ length }: string): void {
    const { budget, holder } = this.#room;
    if (this.#length + length > budget.maxAnswer) throw tooLarge;
    if (!budget.written.displace(holder, budget.written.of(holder) + length)) throw noRoom;
    this.#length += length;
  }

  [Symbol.dispose](): void {
    const { budget, holder } = this.#room;
    budget.written.hold(holder, Math.max(0, budget.written.of(holder) - this.#length)); // dropped ones hold nothing
    this.#length = 0;
  }
}
