/**
 * Backlog of consensus messages for later views (`consensus/istanbul/core/backlog.go@v2.2.2`). The number of
 * messages of each sender is bounded, and only messages of validators are stored. A message beyond the bounds
 * is dropped, as a network may drop it.
 */
import type { ConsensusMessage, Proposal } from "./message.ts";
import { compareViews, type View } from "./view.ts";

/** Messages by sender. */
export type Backlog<P> = ReadonlyMap<string, readonly ConsensusMessage<P>[]>;

/** Backlog without messages. */
export const EMPTY_BACKLOG: Backlog<never> = new Map();

/**
 * Bounds of the backlog: messages and proposed blocks of one sender, bytes of the proposed blocks of all
 * senders, heights ahead of the current one.
 */
export const BACKLOG_LIMITS = { messages: 128, blocks: 2, blockBytes: 64 * 2 ** 20, heights: 2 } as const;

/** Returns the backlog with one more message, or the same backlog when a bound is reached. */
export function storeBacklog<P extends Proposal>(
  backlog: Backlog<P>,
  message: ConsensusMessage<P>,
  now: View,
): Backlog<P> {
  const { sender, payload } = message;
  const kept = backlog.get(sender) ?? [];
  if (payload.view.sequence > now.sequence + BACKLOG_LIMITS.heights || kept.length >= BACKLOG_LIMITS.messages)
    return backlog;
  if (payload.kind === "preprepare" && !hasRoomForBlock(backlog, kept, message)) return backlog;
  return new Map(backlog).set(sender, [...kept, message]);
}

function hasRoomForBlock<P>(
  backlog: Backlog<P>,
  kept: readonly ConsensusMessage<P>[],
  { bytes }: ConsensusMessage<P>,
): boolean {
  if (kept.filter(isBlock).length >= BACKLOG_LIMITS.blocks) return false;
  let total = bytes.length;
  for (const messages of backlog.values()) {
    for (const each of messages) if (isBlock(each)) total += each.bytes.length;
  }
  return total <= BACKLOG_LIMITS.blockBytes;
}

function isBlock({ payload }: ConsensusMessage<unknown>): boolean {
  return payload.kind === "preprepare";
}

/** Splits the backlog into the messages that can be handled now, ordered by view and kind, and the rest. */
export function takeDueMessages<P extends Proposal>(
  backlog: Backlog<P>,
  isFuture: (message: ConsensusMessage<P>) => boolean,
): { readonly due: readonly ConsensusMessage<P>[]; readonly rest: Backlog<P> } {
  const due: ConsensusMessage<P>[] = [];
  const rest = new Map<string, readonly ConsensusMessage<P>[]>();
  for (const [sender, messages] of backlog) {
    const later = messages.filter(isFuture);
    if (later.length > 0) rest.set(sender, later);
    if (later.length < messages.length) due.push(...messages.filter((message) => !isFuture(message)));
  }
  return due.length === 0 ? { due, rest: backlog } : { due: due.sort(byUse), rest };
}

const USE = { "round-change": 0, preprepare: 1, commit: 2, prepare: 3 } as const;

function byUse(a: ConsensusMessage<unknown>, b: ConsensusMessage<unknown>): number {
  return compareViews(a.payload.view, b.payload.view) || USE[a.payload.kind] - USE[b.payload.kind];
}
