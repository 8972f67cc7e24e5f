/**
 * Messages that wait to be written to one connection. Full, it refuses; what it holds counts in the memory of all peers
 * until the system has taken it.
 */
import { BudgetedQueue, type QueueBudget } from "./budget.ts";
import type { FrameContent } from "./frame.ts";
import { MESSAGE_OVERHEAD, type MemoryShare } from "./peer-memory.ts";

/** A queue with no more than these bytes counts as drained. */
const DRAINED_BYTES = 64 * 1024;

/** Messages in their order. */
export class Outbox {
  readonly #queue: BudgetedQueue<FrameContent>;
  readonly #memory: MemoryShare;
  /** Bytes of the frame that the system is taking. */
  #writing = 0;
  #waiters: (() => void)[] = [];
  #isClosed = false;

  constructor(budget: QueueBudget, memory: MemoryShare) {
    this.#memory = memory;
    this.#queue = new BudgetedQueue(budget, ({ payload }) => memory.release(payload));
  }

  /** Queues a message; false when there is no room or the connection is closed. */
  post(message: FrameContent): boolean {
    const { payload } = message;
    this.#memory.hold(payload); // may close this queue
    const isQueued = this.#queue.offer(message, payload.length + MESSAGE_OVERHEAD);
    if (!isQueued) this.#memory.release(payload);
    return isQueued;
  }

  /** Resolves when at least a quarter of the budget is free; false when the connection is closed. */
  room(): Promise<boolean> {
    return this.#queue.room();
  }

  /** Resolves when next to nothing waits for the system to take it; false when the connection is closed. */
  async drained(): Promise<boolean> {
    while (!this.#isClosed && this.#queue.bytes + this.#writing > DRAINED_BYTES) {
      await new Promise<void>((resolve) => void this.#waiters.push(resolve));
    }
    return !this.#isClosed;
  }

  /** The next message as soon as there is one; the system has taken the one before. Undefined when it is closed. */
  take(): Promise<FrameContent | undefined> {
    this.wrote(0);
    return this.#queue.take();
  }

  /** Counts the bytes of a frame until the next message is taken. */
  wrote(bytes: number): void {
    this.#memory.add(bytes - this.#writing);
    this.#writing = bytes;
    this.#wake();
  }

  /** Drops everything. */
  close(): void {
    this.#isClosed = true;
    this.#queue.close("drop");
    this.#wake();
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
