/**
 * One account's transactions, ascending by nonce, each nonce once. The first `pending` of them are
 * executable: without gaps from the account's nonce on. The rest is queued. Promotion and demotion
 * only move the border; look-ups are a binary search, appending is constant.
 */
import type { Address } from "../bytes/brands.ts";
import type { PoolEntry } from "./entry.ts";

/** True for a queued entry that may become executable; `previous` is the one before it that just has. */
export type Acceptable = (entry: PoolEntry, previous: PoolEntry | undefined) => boolean;

/** The queue of one account. Changed only by the pool index, which keeps the counts. */
export class AccountQueue {
  readonly address: Address;
  readonly key: string;
  /** The account submitted a transaction through this node. */
  local = false;
  /** Time of the last transaction queued or promoted for the account, in milliseconds. */
  beat = 0;
  #entries: PoolEntry[] = [];
  #pending = 0;

  constructor(address: Address, key: string) {
    this.address = address;
    this.key = key;
  }

  get size(): number {
    return this.#entries.length;
  }

  get pending(): number {
    return this.#pending;
  }

  get queued(): number {
    return this.#entries.length - this.#pending;
  }

  get(nonce: bigint): PoolEntry | undefined {
    const entry = this.#entries[this.#place(nonce)];
    return entry?.transaction.nonce === nonce ? entry : undefined;
  }

  /** True when the entry is one of the executable ones. */
  isPending(entry: PoolEntry): boolean {
    return this.#place(entry.transaction.nonce) < this.#pending;
  }

  /** The nonce after the executable ones; undefined when there are none. */
  nextNonce(): bigint | undefined {
    const last = this.#entries[this.#pending - 1];
    return last && last.transaction.nonce + 1n;
  }

  /** The queued entry with the highest nonce. */
  lastQueued(): PoolEntry | undefined {
    return this.queued > 0 ? this.#entries.at(-1) : undefined;
  }

  pendingEntries(): PoolEntry[] {
    return this.#entries.slice(0, this.#pending);
  }

  queuedEntries(): PoolEntry[] {
    return this.#entries.slice(this.#pending);
  }

  /** Adds an entry and returns the one with the same nonce that it replaced. */
  put(entry: PoolEntry): PoolEntry | undefined {
    const { nonce } = entry.transaction;
    const at = this.#place(nonce);
    const old = this.#entries[at];
    if (old?.transaction.nonce === nonce) {
      this.#entries[at] = entry;
      return old;
    }
    if (at === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
    this.#pending = Math.min(this.#pending, at);
    return undefined;
  }

  /**
   * Moves the border up over a run without gaps; the run starts at `nonce` when no entry is executable yet.
   * `acceptable` also receives the entry over which the border was moved before.
   */
  promote(nonce: bigint, acceptable: Acceptable): PoolEntry[] {
    const from = this.#pending;
    let next = this.nextNonce() ?? nonce;
    for (; this.#pending < this.#entries.length; this.#pending++) {
      const entry = this.#entries[this.#pending];
      if (entry?.transaction.nonce !== next) break;
      const previous = this.#pending > from ? this.#entries[this.#pending - 1] : undefined;
      if (!acceptable(entry, previous)) break;
      next += 1n;
    }
    return this.#entries.slice(from, this.#pending);
  }

  /** Moves the border down: the executable entry at `index` and all after it are queued again. */
  demoteFrom(index: number): void {
    this.#pending = Math.min(this.#pending, index);
  }

  /** Removes one entry; executable ones after it are queued again. False when it is not in the queue. */
  remove(entry: PoolEntry): boolean {
    const at = this.#place(entry.transaction.nonce);
    if (this.#entries[at] !== entry) return false;
    this.#entries.splice(at, 1);
    this.#pending = Math.min(this.#pending, at);
    return true;
  }

  /** Removes all with a nonce below `nonce`. */
  dropBelow(nonce: bigint): PoolEntry[] {
    const count = this.#place(nonce);
    if (count === 0) return [];
    this.#pending = Math.max(0, this.#pending - count);
    return this.#entries.splice(0, count);
  }

  /** Removes the executable entries with the highest nonces. Queued entries after them stay. */
  dropLastPending(count: number): PoolEntry[] {
    const cut = Math.min(count, this.#pending);
    this.#pending -= cut;
    return this.#entries.splice(this.#pending, cut);
  }

  /** Removes the queued entries with the highest nonces. */
  dropLastQueued(count: number): PoolEntry[] {
    const cut = Math.min(count, this.queued);
    return this.#entries.splice(this.#entries.length - cut, cut);
  }

  dropAll(): PoolEntry[] {
    this.#pending = 0;
    return this.#entries.splice(0);
  }

  /** Removes the entries that `unwanted` accepts; executable ones after the first such nonce are queued again. */
  filter(entries: readonly PoolEntry[], unwanted: (entry: PoolEntry) => boolean): PoolEntry[] {
    const dropped = entries.filter(unwanted);
    if (dropped.length === 0) return []; // nearly always, and asked of every account at each block
    const drops = new Set(dropped);
    const first = this.#entries.findIndex((entry) => drops.has(entry));
    if (first < 0) return [];
    this.#entries = this.#entries.filter((entry) => !drops.has(entry));
    this.#pending = Math.min(this.#pending, first);
    return dropped;
  }

  /** Index of a nonce, or its insertion index. */
  #place(nonce: bigint): number {
    const entries = this.#entries;
    let low = 0;
    let high = entries.length;
    const last = entries[high - 1];
    if (last === undefined || last.transaction.nonce < nonce) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = entries[middle] as PoolEntry; // low <= middle < high
      if (entry.transaction.nonce < nonce) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
