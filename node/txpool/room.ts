import type { PoolEntry } from "./entry.ts";
import { PoolError } from "./error.ts";
import type { Ledger } from "./ledger.ts";

/** The pool's size in slots, and whether the new transaction was submitted here. */
export interface RoomOptions {
  readonly capacity: number;
  readonly local: boolean;
}

/**
 * Which transactions have to leave a full pool for `entry`. Only one that fills a gap before its sender's
 * last queued transaction is let in: it takes that one's place, the first of the answer, and where this
 * is not enough the places of the cheapest. Throws `PoolError` `full` or `underpriced`.
 *
 * The Go node refuses as underpriced what offers no more than the cheapest, and that after dropping the
 * queued one; under a fixed price nothing would ever fill a gap. Here it has to offer less.
 */
export function planRoom(ledger: Ledger, entry: PoolEntry, { capacity, local }: RoomOptions): PoolEntry[] {
  const excess = ledger.slots + entry.slots - capacity;
  if (excess <= 0) return [];
  const last = lastQueued(ledger, entry);
  const others = cheapest(ledger, last, excess - last.slots);
  const privileged = local || ledger.isLocal(entry.senderKey);
  if (!privileged && isUnderpriced(entry, others.first)) {
    throw new PoolError("underpriced", "transaction underpriced");
  }
  if (others.slots < excess - last.slots) throw full(ledger);
  return [last, ...others.dropped];
}

/** The sender's queued transaction whose place the new one may take. */
function lastQueued(ledger: Ledger, entry: PoolEntry): PoolEntry {
  const { nonce } = entry.transaction;
  const account = ledger.account(entry.senderKey);
  const last = account?.lastQueued();
  if (!account || !last) throw full(ledger);
  const present = account.get(nonce);
  const fillsGap = (!present || account.isPending(present)) && last.transaction.nonce > nonce;
  if (fillsGap) return last;
  throw new PoolError("full", `txpool is full and the new tx does not have missing nonce: ${ledger.size}`);
}

/** The cheapest transactions of accounts that are not local, `spared` apart, that free `slots`. */
function cheapest(
  ledger: Ledger,
  spared: PoolEntry,
  slots: number,
): { first: PoolEntry | undefined; dropped: PoolEntry[]; slots: number } {
  let first: PoolEntry | undefined;
  let freed = 0;
  const dropped: PoolEntry[] = [];
  ledger.floor.cheapest(
    (entry) => entry !== spared && !ledger.isLocal(entry.senderKey),
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

function full(ledger: Ledger): PoolError {
  return new PoolError("full", `txpool is full: ${ledger.size}`);
}
