/** What waits to be written to a connection. */
import type { BudgetedQueue } from "./budget.ts";
import type { FrameContent } from "./frame.ts";

/** Messages in their order. */
export type Outbox = BudgetedQueue<FrameContent>;

/** What a waiting message takes besides its payload. */
export const MESSAGE_OVERHEAD = 64;

/** Queues a message; false when there is no room. */
export function post(outbox: Outbox, message: FrameContent): boolean {
  return outbox.offer(message, message.payload.length + MESSAGE_OVERHEAD);
}
