/** Eviction from a full pool. */
import type { PoolEntry } from "./entry.ts";
import { PoolError } from "./error.ts";
import type { PoolIndex } from "./pool-index.ts";

/** The pool's size in slots; `local` for a transaction submitted here. */
export interface EvictionOptions {
  readonly capacity: number;
  readonly local: boolean;
}

/**
 * Selects the transactions that leave a full pool for `entry`. A full pool admits only a transaction that fills a gap
 * before its sender's last queued one: it replaces that one, the first of the result, and the cheapest ones when more
 * room is needed. Throws `PoolError` `full` or `underpriced`.
 *
 * The Go node refuses a transaction as underpriced when it pays no more than the cheapest, after it has dropped the
 * queued one; under a fixed price no gap could be filled. Here it is underpriced when it pays less.
 */
export function planEviction(
  index: PoolIndex,
  entry: PoolEntry,
  { capacity, local }: EvictionOptions,
): PoolEntry[] {
  const excess = index.slots + entry.slots - capacity;
  if (excess <= 0) return [];
  const last = lastQueued(index, entry);
  const others = cheapest(index, last, excess - last.slots);
  const privileged = local || index.isLocal(entry.senderKey);
  if (!privileged && isUnderpriced(entry, others.first)) {
    throw new PoolError("underpriced", "transaction underpriced");
  }
  if (others.slots < excess - last.slots) throw poolFullError(index);
  return [last, ...others.dropped];
}

/** Returns the sender's queued transaction that the new one may replace. */
function lastQueued(index: PoolIndex, entry: PoolEntry): PoolEntry {
  const { nonce } = entry.transaction;
  const account = index.account(entry.senderKey);
  const last = account?.lastQueued();
  if (!account || !last) throw poolFullError(index);
  const present = account.get(nonce);
  const fillsGap = (!present || account.isPending(present)) && last.transaction.nonce > nonce;
  if (fillsGap) return last;
  throw new PoolError("full", `txpool is full and the new tx does not have missing nonce: ${index.size}`);
}

/** Selects the cheapest transactions of accounts that are not local, except `spared`, until `slots` are free. */
function cheapest(
  index: PoolIndex,
  spared: PoolEntry,
  slots: number,
): { first: PoolEntry | undefined; dropped: PoolEntry[]; slots: number } {
  let first: PoolEntry | undefined;
  let freed = 0;
  const dropped: PoolEntry[] = [];
  index.floor.cheapest(
    (entry) => entry !== spared && !index.isLocal(entry.senderKey),
    (entry) => {
      first ??= entry;
      if (freed < slots) {
        freed += entry.slots;
        dropped.push(entry);
      }
      return freed >= slots;
    },
  );
  return { first, dropped, slots: freed };
}

function isUnderpriced(entry: PoolEntry, cheapestOther: PoolEntry | undefined): boolean {
  return cheapestOther !== undefined && entry.transaction.gasFeeCap < cheapestOther.transaction.gasFeeCap;
}

function poolFullError(index: PoolIndex): PoolError {
  return new PoolError("full", `txpool is full: ${index.size}`);
}
