/**
 * One protocol's part of a session: its message codes and its inboxes. Messages that wait in an inbox, and
 * the one that is being handled, count in the memory budget of all peers.
 */
import { BudgetedQueue, type QueueBudget, type SessionLimits } from "./budget.ts";
import type { MatchedProtocol } from "./capabilities.ts";
import { MESSAGE_OVERHEAD, type MemoryShare } from "./peer-memory.ts";
import type { Protocol, ProtocolMessage } from "./protocol.ts";

/** One protocol's part of a session. */
export interface Channel extends MatchedProtocol<Protocol> {
  /** Inboxes by lane. */
  readonly inboxes: readonly [Inbox, Inbox];
}

/** Observer of a session's traffic. */
export interface TrafficObserver {
  traffic(direction: "in" | "out", bytes: number): void;
  message(direction: "in" | "out", protocol: string, message: ProtocolMessage): void;
  writeTimeout(): void;
}

/** Creates the empty inboxes of one protocol. */
export function createInboxes(
  { inbox }: Pick<SessionLimits, "inbox">,
  memory: MemoryShare,
): Channel["inboxes"] {
  return [new Inbox(inbox, memory), new Inbox(inbox, memory)];
}

/** Received messages of one lane, in order. */
export class Inbox {
  readonly #queue: BudgetedQueue<ProtocolMessage>;
  readonly #memory: MemoryShare;
  #handling = 0;

  constructor(budget: QueueBudget, memory: MemoryShare) {
    this.#queue = new BudgetedQueue(budget);
    this.#memory = memory;
  }

  /** Adds a message as soon as the budget allows. Resolves with false when the session has ended. */
  put(message: ProtocolMessage): Promise<boolean> {
    const bytes = sizeOf(message);
    this.#memory.add(bytes);
    return this.#queue.put(message, bytes);
  }

  /**
   * Resolves with the oldest message, or with undefined once closed and empty. The previous message counts as
   * handled.
   */
  async take(): Promise<ProtocolMessage | undefined> {
    this.#memory.add(-this.#handling);
    this.#handling = 0;
    const message = await this.#queue.take();
    if (message !== undefined) this.#handling = sizeOf(message);
    return message;
  }

  /** Closes the inbox; `drop` also discards waiting messages. */
  close(how?: "drop"): void {
    this.#queue.close(how);
  }
}

function sizeOf({ payload }: ProtocolMessage): number {
  return payload.length + MESSAGE_OVERHEAD;
}
