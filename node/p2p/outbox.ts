/**
 * Queue of messages to one connection. A full queue refuses messages. Its content counts in the memory budget
 * of all peers until the operating system has accepted it.
 */
import { BudgetedQueue, type QueueBudget } from "./budget.ts";
import type { FrameContent } from "./frame.ts";
import { MESSAGE_OVERHEAD, type MemoryShare } from "./peer-memory.ts";

/** Number of queued bytes up to which the queue counts as drained. */
const DRAINED_BYTES = 64 * 1024;

/** Queued messages in order. */
export class PeerOutbox {
  readonly #queue: BudgetedQueue<FrameContent>;
  readonly #memory: MemoryShare;
  /** Size of the frame that is being written, in bytes. */
  #writing = 0;
  #waiters: (() => void)[] = [];
  #isClosed = false;

  constructor(budget: QueueBudget, memory: MemoryShare) {
    this.#memory = memory;
    this.#queue = new BudgetedQueue(budget, ({ payload }) => memory.release(payload));
  }

  /** Queues a message. Returns false when the budget is exhausted or the connection is closed. */
  post(message: FrameContent): boolean {
    const { payload } = message;
    this.#memory.hold(payload); // may close this queue
    const isQueued = this.#queue.offer(message, payload.length + MESSAGE_OVERHEAD);
    if (!isQueued) this.#memory.release(payload);
    return isQueued;
  }

  /**
   * Resolves with true when at least a quarter of the budget is free, with false when the connection is
   * closed.
   */
  waitForRoom(): Promise<boolean> {
    return this.#queue.waitForRoom();
  }

  /** Resolves with true when the queue is drained, with false when the connection is closed. */
  async waitForDrain(): Promise<boolean> {
    while (!this.#isClosed && this.#queue.bytes + this.#writing > DRAINED_BYTES) {
      await new Promise<void>((resolve) => void this.#waiters.push(resolve));
    }
    return !this.#isClosed;
  }

  /** Resolves with the next message, or with undefined once closed. The previous one counts as written. */
  take(): Promise<FrameContent | undefined> {
    this.countWriting(0);
    return this.#queue.take();
  }

  /** Counts the size of a frame until the next message is taken. */
  countWriting(bytes: number): void {
    this.#memory.add(bytes - this.#writing);
    this.#writing = bytes;
    this.#wake();
  }

  /** Closes the queue and discards its messages. */
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
