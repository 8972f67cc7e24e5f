/**
 * The pool's contents: accounts with their queues, entries by hash, and the counts that the limits refer to. Data only:
 * callers decide on admission and on the consequences of a new head. Every change goes through `#change`, which keeps
 * counts and indexes consistent.
 */
import type { Clock } from "../runtime/clock.ts";
import { type Acceptable, AccountQueue } from "./account-queue.ts";
import type { PoolEntry } from "./entry.ts";
import { Heap } from "./heap.ts";
import { LruOrder } from "./lru-order.ts";
import { type PoolOptions, poolCapacity } from "./options.ts";
import { PriceFloor } from "./price-floor.ts";

/**
 * Local accounts that are remembered, at least: everybody with access to JSON-RPC can send for new accounts, whose
 * transactions need not be mined. Twice as many as the pool has places for, so that one without transactions is soon found.
 */
const MIN_REMEMBERED_LOCALS = 16_384;

/** Result of adding an entry: its account and the entry that it replaced. */
export interface AddedEntry {
  readonly account: AccountQueue;
  readonly old: PoolEntry | undefined;
}

/** The index. A method that removes entries returns them. */
export class PoolIndex {
  readonly #options: PoolOptions;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, AccountQueue>();
  readonly #entries = new Map<string, PoolEntry>();
  /** Local accounts in the order of their last transaction. */
  readonly #locals = new Set<string>();
  /** Number of pooled transactions by authority (EIP-7702). */
  readonly #authorities = new Map<string, number>();
  /** Accounts whose executable transactions may be cut when all together are too many. */
  readonly #large = new Set<AccountQueue>();
  /** Accounts with queued transactions, by heartbeat. */
  readonly #waiting = new LruOrder<AccountQueue>();
  readonly #floor = new PriceFloor();
  #pending = 0;
  #slots = 0;

  constructor(options: PoolOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  get pending(): number {
    return this.#pending;
  }

  get queued(): number {
    return this.#entries.size - this.#pending;
  }

  /** Sum of the entries' slots. */
  get slots(): number {
    return this.#slots;
  }

  get floor(): PriceFloor {
    return this.#floor;
  }

  get(key: string): PoolEntry | undefined {
    return this.#entries.get(key);
  }

  account(key: string): AccountQueue | undefined {
    return this.#accounts.get(key);
  }

  /** All accounts that hold a transaction; a copy, so that the index may change meanwhile. */
  accounts(): AccountQueue[] {
    return [...this.#accounts.values()];
  }

  /** True for an account that is an authority of a pooled transaction. */
  isAuthority(accountKey: string): boolean {
    return this.#authorities.has(accountKey);
  }

  isLocal(accountKey: string): boolean {
    return this.#locals.has(accountKey);
  }

  /** Makes an account local until many others are that have sent later, while it has no transaction here. */
  markLocal(accountKey: string): void {
    this.#locals.delete(accountKey);
    this.#locals.add(accountKey);
    this.#limitLocals();
    const account = this.#accounts.get(accountKey);
    if (account) {
      account.local = true;
      this.#large.delete(account);
    }
  }

  /** Puts an entry into its sender's queue, in place of the one with its nonce if there is one. */
  add(entry: PoolEntry): AddedEntry {
    const account = this.#accountOf(entry);
    const old = this.#change(account, () => account.put(entry));
    if (old) this.#release(old);
    entry.pooled = true;
    this.#entries.set(entry.key, entry);
    this.#slots += entry.slots;
    this.#floor.add(entry);
    for (const key of entry.authorities) this.#authorities.set(key, (this.#authorities.get(key) ?? 0) + 1);
    return { account, old };
  }

  /** Removes one entry; executable ones of its account with higher nonces are queued again. */
  remove(entry: PoolEntry): void {
    const account = this.#accounts.get(entry.senderKey);
    if (!account || !this.#entries.has(entry.key)) return;
    this.#change(account, () => account.remove(entry));
    this.#release(entry);
  }

  /** Promotes a run of queued transactions and returns it. */
  promote(account: AccountQueue, nonce: bigint, acceptable: Acceptable): PoolEntry[] {
    const promoted = this.#change(account, () => account.promote(nonce, acceptable));
    if (promoted.length > 0) this.#beat(account);
    return promoted;
  }

  /** The account's executable transaction at `index` and all after it are queued again. */
  demoteFrom(account: AccountQueue, index: number): void {
    this.#change(account, () => account.demoteFrom(index));
  }

  dropBelow(account: AccountQueue, nonce: bigint): PoolEntry[] {
    return this.#drop(account, () => account.dropBelow(nonce));
  }

  dropLastQueued(account: AccountQueue, count: number): PoolEntry[] {
    return this.#drop(account, () => account.dropLastQueued(count));
  }

  /** Drops those of `entries` that are `unwanted`. */
  filter(
    account: AccountQueue,
    entries: readonly PoolEntry[],
    unwanted: (entry: PoolEntry) => boolean,
  ): PoolEntry[] {
    return this.#drop(account, () => account.filter(entries, unwanted));
  }

  /** Cuts executable transactions of large accounts, largest first, down to the total limit. */
  limitPending(): PoolEntry[] {
    const excess = this.#pending - this.#options.pendingTotal;
    if (excess <= 0 || this.#large.size === 0) return [];
    const accounts = [...this.#large];
    const sizes = accounts.map((account) => account.pending);
    const cuts = levelCuts(sizes, excess, this.#options.pendingPerAccount);
    return accounts.flatMap((account, index) =>
      this.#drop(account, () => account.dropLastPending(cuts[index] ?? 0)),
    );
  }

  /** Cuts queued transactions, the most recently active accounts first, down to the total limit. */
  limitQueued(): PoolEntry[] {
    let excess = this.queued - this.#options.queuedTotal;
    if (excess <= 0) return [];
    const dropped: PoolEntry[] = [];
    for (const account of this.#waiting.fromNewest()) {
      if (excess <= 0) break;
      if (account.local) continue;
      const cut = this.dropLastQueued(account, excess);
      excess -= cut.length;
      dropped.push(...cut);
    }
    return dropped;
  }

  /** Drops the queued transactions of accounts without a heartbeat since `time`. */
  evict(time: number, keepLocals: boolean): PoolEntry[] {
    const dropped: PoolEntry[] = [];
    for (const account of this.#waiting.fromOldest()) {
      if (account.beat >= time) break;
      if (keepLocals && account.local) continue;
      dropped.push(...this.dropLastQueued(account, account.queued));
    }
    return dropped;
  }

  /** Removes everything, local accounts included. */
  clear(): void {
    for (const account of this.accounts()) this.#drop(account, () => account.dropAll());
    this.#locals.clear();
    this.#floor.clear();
  }

  #limitLocals(): void {
    const max = Math.max(MIN_REMEMBERED_LOCALS, 2 * poolCapacity(this.#options));
    if (this.#locals.size <= max) return;
    for (const key of this.#locals) {
      this.#locals.delete(key);
      if (!this.#accounts.has(key)) return;
      this.#locals.add(key);
    }
  }

  #accountOf(entry: PoolEntry): AccountQueue {
    const known = this.#accounts.get(entry.senderKey);
    if (known) return known;
    const account = new AccountQueue(entry.sender, entry.senderKey);
    account.local = this.#locals.has(entry.senderKey);
    this.#accounts.set(entry.senderKey, account);
    return account;
  }

  #drop(account: AccountQueue, take: () => PoolEntry[]): PoolEntry[] {
    const dropped = this.#change(account, take);
    for (const entry of dropped) this.#release(entry);
    return dropped;
  }

  #release(entry: PoolEntry): void {
    entry.pooled = false;
    this.#entries.delete(entry.key);
    this.#slots -= entry.slots;
    this.#floor.noteReleased();
    for (const key of entry.authorities) this.#forget(key);
  }

  #forget(authority: string): void {
    const rest = (this.#authorities.get(authority) ?? 0) - 1;
    if (rest > 0) this.#authorities.set(authority, rest);
    else this.#authorities.delete(authority);
  }

  #change<T>(account: AccountQueue, run: () => T): T {
    const before = account.pending;
    const result = run();
    this.#pending += account.pending - before;
    if (!account.local && account.pending > this.#options.pendingPerAccount) this.#large.add(account);
    else this.#large.delete(account);
    if (account.queued === 0) this.#waiting.delete(account);
    else if (!this.#waiting.has(account)) this.#beat(account);
    if (account.size === 0) this.#accounts.delete(account.key);
    return result;
  }

  #beat(account: AccountQueue): void {
    account.beat = this.#clock.now();
    if (account.queued > 0) this.#waiting.touch(account);
  }
}

/**
 * Returns the number of transactions that each account loses when all together hold `excess` too many. Takes one after
 * the other from the account that is the largest at that time, and leaves each account at least `keep`.
 */
export function levelCuts(sizes: readonly number[], excess: number, keep: number): number[] {
  const left = [...sizes];
  const sizeOf = (index: number) => left[index] ?? 0;
  const largest = new Heap<number>((a, b) => sizeOf(a) > sizeOf(b), [...left.keys()]);
  for (let taken = 0; taken < excess; taken++) {
    const index = largest.top();
    if (index === undefined || sizeOf(index) <= keep) break;
    left[index] = sizeOf(index) - 1;
    largest.replaceTop(index);
  }
  return sizes.map((size, index) => size - sizeOf(index));
}
