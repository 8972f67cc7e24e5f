/** What all endpoints of a process share: limits, and what is counted. */

import { TurnQueue } from "../runtime/scheduler.ts";
import { KeptBytes } from "./byte-cache.ts";
import type { CallListener } from "./call-outcomes.ts";
import { ByteShares } from "./memory-budget.ts";

/** Shared by all endpoints of a process. */
export interface DispatchBudget {
  /** Requests that wait for an asynchronous answer. */
  pending: number;
  /** Calls and notifications since the start, and those that failed. */
  total: number;
  errors: number;
  readonly maxPending: number;
  /** Characters of one message's answer; in a batch, what would come after is refused entry by entry. */
  readonly maxAnswer: number;
  /** Answers and notifications that peers have not taken yet, of all transports. */
  readonly unsent: ByteShares;
  /** Characters of batches' answers that are not whole yet. */
  making: number;
  /** Where long batches wait for each other. */
  readonly turns: TurnQueue;
  /** Of texts that answers repeat. */
  readonly kept: KeptBytes;
  /** Told of each call when it has been answered. */
  readonly onCall: CallListener;
}

/** Bytes that may wait for all peers together. */
const MAX_UNSENT = 256 * 1024 * 1024;

/** The Go node's limit of pending requests; answers of 25 MB. */
export function createBudget(
  limits: Partial<Pick<DispatchBudget, "maxPending" | "maxAnswer" | "unsent" | "kept" | "onCall">> = {},
): DispatchBudget {
  const unsent = new ByteShares(MAX_UNSENT);
  const turns = new TurnQueue();
  return {
    pending: 0,
    total: 0,
    errors: 0,
    making: 0,
    maxPending: 200_000,
    maxAnswer: 25_000_000,
    unsent,
    turns,
    kept: new KeptBytes(),
    onCall: () => undefined,
    ...limits,
  };
}

/**
 * Whether batches may go on: half of what may wait for all peers is left for answers that came before, so that a peer
 * is refused the rest of a batch before another one is dropped.
 */
export function hasRoom({ making, unsent }: Pick<DispatchBudget, "making" | "unsent">): boolean {
  return making + unsent.used < unsent.max / 2;
}
