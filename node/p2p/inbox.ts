/** Messages of one lane that wait for their protocol, and the one that it handles: they count in the memory of all peers. */
import { BudgetedQueue, type QueueBudget } from "./budget.ts";
import { MESSAGE_OVERHEAD, type MemoryShare } from "./peer-memory.ts";
import type { Message } from "./protocol.ts";

/** Messages in their order. */
export class Inbox {
  readonly #queue: BudgetedQueue<Message>;
  readonly #memory: MemoryShare;
  #handling = 0;

  constructor(budget: QueueBudget, memory: MemoryShare) {
    this.#queue = new BudgetedQueue(budget);
    this.#memory = memory;
  }

  /** Adds a message as soon as there is room; false when the session has ended. */
  put(message: Message): Promise<boolean> {
    const bytes = sizeOf(message);
    this.#memory.add(bytes);
    return this.#queue.put(message, bytes);
  }

  /** The oldest message as soon as there is one, undefined once closed and empty. The one before has been handled. */
  async take(): Promise<Message | undefined> {
    this.#memory.add(-this.#handling);
    this.#handling = 0;
    const message = await this.#queue.take();
    if (message !== undefined) this.#handling = sizeOf(message);
    return message;
  }

  /** Takes nothing more; `drop` also forgets what waits. */
  close(how?: "drop"): void {
    this.#queue.close(how);
  }
}

function sizeOf({ payload }: Message): number {
  return payload.length + MESSAGE_OVERHEAD;
}
