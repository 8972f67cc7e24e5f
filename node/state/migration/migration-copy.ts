/**
 * Makes the next generation of the trie beside a running chain: a copy of the tries of one block, then the changes
 * of the blocks since from their undo records, until it is close behind the chain.
 */

import { runInSlices } from "../../runtime/scheduler.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import { StateError } from "../error.ts";
import { encodeMarker, MARKER_KEY, type Point, readHead, readMarker } from "../rows.ts";
import { catchUp } from "../trie/recovery.ts";
import { TrieSet } from "../trie/trie-set.ts";
import { type CopyCounts, copyTries } from "./copy-tries.ts";

/** Databases of a copy and its listener. */
export interface MigrationCopyDeps {
  readonly chain: StoreReader;
  /** The valid generation. */
  readonly from: StoreReader;
  /** An empty trie database. */
  readonly to: Store;
  readonly signal: AbortSignal;
  /** Called before each batch; it may hold the thread up for a moment. */
  readonly rest: () => void;
  readonly report: (counts: CopyCounts) => void;
}

/** Blocks that the owner of the state can well catch up with. */
const CLOSE_BLOCKS = 2;

/**
 * Copies the tries and catches up with the chain. Resolves when the new generation is on disk with its
 * marker. Throws `StateError` `trie-damaged` and the signal's reason.
 */
export async function copyGeneration(parts: MigrationCopyDeps): Promise<void> {
  let at = await copyOne(parts);
  await writeMarker(parts.to, at);
  for (;;) {
    const next = await follow(parts, at);
    if (next === at) return;
    at = next;
  }
}

async function copyOne({ from, to, signal, rest, report }: MigrationCopyDeps): Promise<Point> {
  using snapshot = from.snapshot();
  const marker = readMarker(snapshot);
  if (marker === undefined) throw new StateError("trie-damaged", "no trie is stored");
  await copyTries({ from: snapshot, to, root: marker.root, signal, rest, report });
  return marker;
}

/** Takes in the blocks since; gives back the same point when there are but a few. */
async function follow({ chain, to, signal }: MigrationCopyDeps, at: Point): Promise<Point> {
  using rows = chain.snapshot();
  const head = readHead(rows);
  if (head.number - at.number <= CLOSE_BLOCKS) return at;
  const tries = new TrieSet(to, undefined, at.root);
  await runInSlices(catchUp(rows, tries, at, head), signal);
  const batch = to.createBatch();
  await runInSlices(tries.flushSteps(batch), signal);
  batch.put(MARKER_KEY, encodeMarker(head));
  await to.write(batch, { sync: true });
  return head;
}

async function writeMarker(to: Store, point: Point): Promise<void> {
  const batch = to.createBatch();
  batch.put(MARKER_KEY, encodeMarker(point));
  await to.write(batch, { sync: true });
}
