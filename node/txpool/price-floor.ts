/** The cheapest entries of the pool. */
import type { PoolEntry } from "./entry.ts";
import { Heap } from "./heap.ts";

/**
 * A heap of the pool's entries, cheapest first. Entries that left the pool are skipped, and swept once they are as
 * many as the others, so adding and removing stay logarithmic.
 */
export class PriceFloor {
  #heap = new Heap<PoolEntry>(isCheaper);
  #stale = 0;

  add(entry: PoolEntry): void {
    this.#heap.push(entry);
  }

  /** Notes that one entry is no longer `pooled`. */
  noteReleased(): void {
    this.#stale += 1;
    if (this.#stale > 64 && this.#stale * 2 > this.#heap.size) this.#sweep();
  }

  clear(): void {
    this.#heap = new Heap(isCheaper);
    this.#stale = 0;
  }

  /** Visits eligible entries, cheapest first, until `enough` returns true. Removes nothing. */
  cheapest(eligible: (entry: PoolEntry) => boolean, enough: (entry: PoolEntry) => boolean): void {
    const kept: PoolEntry[] = [];
    for (let entry = this.#heap.pop(); entry; entry = this.#heap.pop()) {
      if (!entry.pooled) {
        this.#stale -= 1;
        continue;
      }
      kept.push(entry);
      if (eligible(entry) && enough(entry)) break;
    }
    for (const entry of kept) this.#heap.push(entry);
  }

  #sweep(): void {
    const live = this.#heap.values().filter((entry) => entry.pooled);
    this.#heap = new Heap(isCheaper, live);
    this.#stale = 0;
  }
}

/** The lower price goes first; of equal ones the higher nonce, which others depend on least. */
function isCheaper(a: PoolEntry, b: PoolEntry): boolean {
  const left = a.transaction;
  const right = b.transaction;
  if (left.gasFeeCap !== right.gasFeeCap) return left.gasFeeCap < right.gasFeeCap;
  return left.nonce > right.nonce;
}
