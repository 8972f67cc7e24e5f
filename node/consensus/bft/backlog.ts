/**
 * Letters of views that are not here yet, kept until they are: a bounded number of each sender, of whom only
 * validators get this far. What does not fit is lost, as if the network had lost it.
 */
import type { Letter, Proposal } from "./letter.ts";
import { compareViews, type View } from "./view.ts";

/** Letters by their senders. */
export type Backlog<P> = ReadonlyMap<string, readonly Letter<P>[]>;

/** Nothing waits. */
export const EMPTY_BACKLOG: Backlog<never> = new Map();

/** What is kept of one sender, and how far ahead; blocks are counted apart, and in bytes all together. */
export const KEPT = { letters: 128, blocks: 2, blockBytes: 64 * 2 ** 20, heights: 2 } as const;

/** The backlog with one more letter, if there is room. */
export function putAside<P extends Proposal>(backlog: Backlog<P>, letter: Letter<P>, now: View): Backlog<P> {
  const { sender, statement } = letter;
  const kept = backlog.get(sender) ?? [];
  if (statement.view.sequence > now.sequence + KEPT.heights || kept.length >= KEPT.letters) return backlog;
  if (statement.kind === "preprepare" && !hasRoomForBlock(backlog, kept, letter)) return backlog;
  return new Map(backlog).set(sender, [...kept, letter]);
}

function hasRoomForBlock<P>(
  backlog: Backlog<P>,
  kept: readonly Letter<P>[],
  { payload }: Letter<P>,
): boolean {
  if (kept.filter(isBlock).length >= KEPT.blocks) return false;
  let bytes = payload.length;
  for (const letters of backlog.values()) {
    for (const each of letters) if (isBlock(each)) bytes += each.payload.length;
  }
  return bytes <= KEPT.blockBytes;
}

function isBlock({ statement }: Letter<unknown>): boolean {
  return statement.kind === "preprepare";
}

/** Splits the backlog into letters whose time has come, in the order in which they help most, and the rest. */
export function takeDue<P extends Proposal>(
  backlog: Backlog<P>,
  isFuture: (letter: Letter<P>) => boolean,
): { readonly due: readonly Letter<P>[]; readonly rest: Backlog<P> } {
  const due: Letter<P>[] = [];
  const rest = new Map<string, readonly Letter<P>[]>();
  for (const [sender, letters] of backlog) {
    const later = letters.filter(isFuture);
    if (later.length > 0) rest.set(sender, later);
    if (later.length < letters.length) due.push(...letters.filter((letter) => !isFuture(letter)));
  }
  return due.length === 0 ? { due, rest: backlog } : { due: due.sort(byUse), rest };
}

const USE = { "round-change": 0, preprepare: 1, commit: 2, prepare: 3 } as const;

function byUse(a: Letter<unknown>, b: Letter<unknown>): number {
  return compareViews(a.statement.view, b.statement.view) || USE[a.statement.kind] - USE[b.statement.kind];
}
