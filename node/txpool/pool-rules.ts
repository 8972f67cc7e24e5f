/**
 * Applies the pool's rules to its contents when a transaction arrives, when the chain has a new head and when time
 * passes. Returns the entries that became executable. Uses no file, timer or listener.
 */
import type { Address } from "../bytes/brands.ts";
import { bareHex, mapKey } from "../bytes/hex.ts";
import { bareTransaction } from "../model/bare-transaction.ts";
import type { Transaction } from "../model/transaction.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import type { Clock } from "../runtime/clock.ts";
import { type AccountQueue } from "./account-queue.ts";
import { admit, stillValid } from "./admission.ts";
import { badSidecarError } from "./blobs.ts";
import { createEntry, type PoolEntry } from "./entry.ts";
import { PoolError } from "./error.ts";
import { planEviction } from "./eviction.ts";
import type { ExceptionRules } from "./exceptions.ts";
import type { PoolMetrics } from "./metrics.ts";
import { isRepriced, type NextBlockRules, nextBlockRules } from "./next-block-rules.ts";
import { type PoolOptions, poolCapacity } from "./options.ts";
import type { PoolChain } from "./pool-chain.ts";
import { PoolIndex } from "./pool-index.ts";
import { isPayable, replaces } from "./price.ts";

/** Executable transactions that are checked in full at a new head; of the others only the nonce is. */
const FULL_CHECKS = 1000;

/** Parts and settings of the rules. */
export interface PoolCoreOptions {
  readonly chain: PoolChain;
  readonly options: PoolOptions;
  readonly clock: Clock;
  readonly metrics: PoolMetrics;
  /** True while memory is short: the pool does not grow and counts as full. */
  readonly isShort?: (() => boolean) | undefined;
  /** Rules for senders who need no balance. */
  readonly exceptions?: ExceptionRules | undefined;
}

/** The rules and the contents; `index` is for reading. */
export class PoolRules {
  readonly index: PoolIndex;
  readonly #chain: PoolChain;
  readonly #options: PoolOptions;
  readonly #clock: Clock;
  readonly #metrics: PoolMetrics;
  readonly #isShort: () => boolean;
  readonly #exceptions: ExceptionRules | undefined;
  #rules: NextBlockRules;
  #seen = 0;

  constructor({ chain, options, clock, metrics, isShort = () => false, exceptions }: PoolCoreOptions) {
    this.#chain = chain;
    this.#options = options;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#isShort = isShort;
    this.#exceptions = exceptions;
    this.#rules = nextBlockRules(chain, options, exceptions);
    this.index = new PoolIndex(options, clock);
  }

  /** Next nonce of an account: after its executable transactions, or the state's. */
  nonce(address: Address): bigint {
    return this.index.account(mapKey(address))?.nextNonce() ?? this.#rules.state.nonce(address);
  }

  /** True for an entry that the pool holds and that can be executed. */
  isExecutable(entry: PoolEntry): boolean {
    return entry.pooled && this.index.account(entry.senderKey)?.isPending(entry) === true;
  }

  /** True when the sender of a transaction of the pool submitted something through this node. */
  isLocal(transaction: Transaction): boolean {
    const entry = this.index.get(mapKey(transaction.hash));
    return entry !== undefined && this.index.isLocal(entry.senderKey);
  }

  /** Throws the `PoolError` of `add`, proofs of blobs excepted. */
  check(transaction: Transaction): void {
    this.#admit(transaction);
  }

  /** Sidecars with valid proofs. */
  readonly proven = new WeakSet<BlobSidecar>();

  /**
   * Adds a transaction and returns the entries that became executable. Throws `PoolError` when it is
   * refused.
   */
  add(transaction: Transaction, local: boolean): PoolEntry[] {
    const { sidecar } = transaction.fields;
    if (this.isException(transaction)) this.#exceptions?.enter(transaction);
    const entry = this.#admit(transaction);
    if (sidecar !== undefined && !this.proven.has(sidecar))
      throw badSidecarError("its proofs were not checked");
    const leaving = this.#makeRoom(entry, local);
    this.#checkNonce(entry);
    for (const other of leaving) this.index.remove(other);
    this.#metrics.underpriced.add(Math.max(0, leaving.length - 1));
    if (local) this.index.markLocal(entry.senderKey);
    const { account, old } = this.index.add(entry);
    const executable = account.isPending(entry);
    if (old) (executable ? this.#metrics.pendingReplace : this.#metrics.queuedReplace).add(1);
    const promoted = this.#settle(account, entry);
    return executable ? [entry, ...promoted] : promoted;
  }

  /** Follows the chain to its head and returns the entries that became executable. */
  reset(): PoolEntry[] {
    for (const key of this.#exceptions?.expire() ?? []) {
      const entry = this.index.get(key);
      if (entry !== undefined) this.index.remove(entry);
    }
    const promoted = this.#follow();
    this.#exceptions?.follow((key) => this.#placeOf(key));
    return promoted;
  }

  #follow(): PoolEntry[] {
    const before = this.#rules;
    this.#rules = nextBlockRules(this.#chain, this.#options, this.#exceptions);
    if (isRepriced(before, this.#rules)) {
      this.index.clear();
      return [];
    }
    const accounts = this.index.accounts();
    let checks = FULL_CHECKS;
    for (const account of accounts) checks -= this.#demote(account, checks > 0);
    const promoted = accounts.flatMap((account) => this.#promote(account, true));
    this.#limit();
    return promoted.filter((entry) => entry.pooled);
  }

  #placeOf(key: string): "queued" | "pending" | undefined {
    const entry = this.index.get(key);
    if (entry === undefined) return undefined;
    return this.isExecutable(entry) ? "pending" : "queued";
  }

  /** True for a transaction of a sender who needs no balance. */
  isException(transaction: Transaction): boolean {
    return this.#exceptions?.covers(transaction) === true;
  }

  /** Marks a transaction that could not be executed; the next head drops it. */
  markUnexecutable(key: string): void {
    const entry = this.index.get(key);
    if (entry === undefined) return;
    entry.unexecutable = true;
    this.#exceptions?.markUnexecutable(key);
  }

  /** Drops the queued transactions of accounts that were inactive for longer than the lifetime. */
  evict(): number {
    const { lifetimeMs, keepLocals } = this.#options;
    return this.index.evict(this.#clock.now() - lifetimeMs, keepLocals).length;
  }

  #admit(transaction: Transaction): PoolEntry {
    const key = mapKey(transaction.hash);
    if (this.index.get(key)) throw knownTransactionError(transaction);
    try {
      const sender = admit(transaction, this.#rules, this.index);
      const bare = bareTransaction(transaction, this.#rules.chainId);
      const time = this.#clock.now();
      return createEntry(bare, { key, sender, seen: this.#seen++, time, wire: transaction.raw });
    } catch (error) {
      this.#metrics.invalid.add(1);
      throw error;
    }
  }

  /** Selects the entries that leave a full pool. */
  #makeRoom(entry: PoolEntry, local: boolean): PoolEntry[] {
    const usual = poolCapacity(this.#options);
    const capacity = this.#isShort() ? Math.min(usual, this.index.slots) : usual;
    try {
      return planEviction(this.index, entry, { capacity, local });
    } catch (error) {
      const underpriced = error instanceof PoolError && error.code === "underpriced";
      (underpriced ? this.#metrics.underpriced : this.#metrics.refused).add(1);
      throw error;
    }
  }

  /** Throws when another transaction has the nonce and may keep it. */
  #checkNonce({ transaction, senderKey }: PoolEntry): void {
    const account = this.index.account(senderKey);
    const old = account?.get(transaction.nonce);
    if (!account || !old || replaces(transaction, old.transaction, this.#rules)) return;
    (account.isPending(old) ? this.#metrics.pendingDiscard : this.#metrics.queuedDiscard).add(1);
    throw new PoolError("nonce-taken", "there is another tx which has the same nonce in the tx pool");
  }

  /** Promotes in one account and applies the limits, which may cost the new transaction its place. */
  #settle(account: AccountQueue, entry: PoolEntry): PoolEntry[] {
    const promoted = this.#promote(account, false);
    this.#limit();
    if (entry.pooled) return promoted.filter((other) => other.pooled);
    this.#metrics.refused.add(1);
    throw new PoolError("full", `txpool is full: ${this.index.size}`);
  }

  /** Returns the number of executable transactions that it checked. */
  #demote(account: AccountQueue, fully: boolean): number {
    const { state } = this.#rules;
    const nonce = state.nonce(account.address);
    this.index.dropBelow(account, nonce);
    const pending = account.pendingEntries();
    const dropped = this.index.filter(account, pending, (entry) =>
      fully ? this.#isLost(entry) : entry.unexecutable,
    );
    this.#metrics.pendingNoFunds.add(dropped.length);
    const kept = account.pendingEntries();
    const broken = kept.findIndex(
      ({ transaction }, index) =>
        transaction.nonce !== nonce + BigInt(index) || !isPayable(transaction, this.#rules),
    );
    if (broken >= 0) this.index.demoteFrom(account, broken);
    return pending.length;
  }

  #promote(account: AccountQueue, recheck: boolean): PoolEntry[] {
    if (recheck && account.queued > 0) {
      const lost = this.index.filter(account, account.queuedEntries(), (entry) => this.#isLost(entry));
      this.#metrics.queuedNoFunds.add(lost.length);
    }
    if (account.queued === 0) return [];
    const nonce = account.nextNonce() ?? this.#rules.state.nonce(account.address);
    const promoted = this.index.promote(
      account,
      nonce,
      ({ transaction }, previous) =>
        isPayable(transaction, this.#rules) &&
        (!this.isException(transaction) || this.#mayGoOn(account, transaction, previous)),
    );
    const excess = account.queued - this.#options.queuedPerAccount;
    if (!account.local && excess > 0) {
      this.#metrics.queuedRateLimit.add(this.index.dropLastQueued(account, excess).length);
    }
    return promoted;
  }

  #mayGoOn(account: AccountQueue, transaction: Transaction, previous: PoolEntry | undefined): boolean {
    const place = {
      previous: previous?.transaction,
      waiting: (nonce: bigint) => account.get(nonce)?.transaction,
    };
    return this.#exceptions?.admits(transaction, place) === true;
  }

  #limit(): void {
    this.#metrics.pendingRateLimit.add(this.index.limitPending().length);
    this.#metrics.queuedRateLimit.add(this.index.limitQueued().length);
  }

  #isLost(entry: PoolEntry): boolean {
    return entry.unexecutable || !stillValid(entry.transaction, entry.sender, this.#rules);
  }
}

function knownTransactionError(transaction: Transaction): PoolError {
  return new PoolError("known", `known transaction: ${bareHex(transaction.hash)}`);
}
