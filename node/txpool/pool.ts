/**
 * The transaction pool. In: transactions submitted here or sent by peers, and the chain's new heads. Out: executable
 * transactions, to listeners when they become executable and to the proposer in the order of their price. Transactions
 * submitted here survive a restart.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { type AddressText, addressText, mapKey } from "../bytes/hex.ts";
import type { Block } from "../model/block.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import type { Client } from "../runtime/fair-queue.ts";
import type { AccountQueue } from "./account-queue.ts";
import { badSidecarError, type ProveSidecar } from "./blobs.ts";
import type { PoolEntry } from "./entry.ts";
import { PoolError } from "./error.ts";
import type { Journal } from "./journal.ts";
import { type PoolOptions, poolCapacity } from "./options.ts";
import type { PoolRules } from "./pool-rules.ts";
import { PriceOrder } from "./price-order.ts";
import type { SpamThrottler, Throttler } from "./throttler.ts";

/** Source of a transaction: a client of this node or a peer. */
export type Origin = "local" | "remote";

/** Called with transactions that became executable, ascending by nonce in each account. Must not throw. */
export type PendingListener = (transactions: readonly Transaction[]) => void;

/** True for a transaction that a proposal may take; `time` is that of its arrival, in milliseconds since the epoch. */
export type IsAdmitted = (transaction: Transaction, time: number) => boolean;

/** The transactions by account, ascending by nonce. */
export interface PoolContent {
  readonly pending: Map<AddressText, Transaction[]>;
  readonly queued: Map<AddressText, Transaction[]>;
}

/** The pool as the rest of the node sees it. */
export interface TxPool extends AsyncDisposable {
  /** Adds a transaction. Throws `PoolError` with the Go node's text. */
  add(transaction: Transaction, origin: Origin): void;
  /** Adds the transactions that fit. Returns the error at each position, undefined for an accepted one. */
  addAll(transactions: readonly Transaction[], origin: Origin): (PoolError | undefined)[];
  /**
   * The same for a transaction that carries blobs: their proofs are checked first, on a thread of their own, which clients
   * share.
   */
  addWithBlobs(transaction: Transaction, origin: Origin, client?: Client): Promise<void>;
  /** Recovers the signers of many transactions at once. Await it before adding them. Never rejects. */
  recover(transactions: readonly Transaction[]): Promise<void>;
  get(hash: Hash): Transaction | undefined;
  /** Returns the wire form of a transaction: with its blobs while the pool has them. */
  wire(transaction: Transaction): Uint8Array;
  /** Returns the blobs of a recently mined transaction; undefined when they are gone. */
  minedBlobs(hash: Hash): BlobSidecar | undefined;
  /** The nonce that the account's next transaction needs. */
  nonce(address: Address): bigint;
  content(): PoolContent;
  status(): { readonly pending: number; readonly queued: number };
  /**
   * The executable transactions in the order in which a proposer takes them; those of an account up to the first that
   * `isAdmitted` refuses.
   */
  byPrice(baseFee: bigint | undefined, isAdmitted?: IsAdmitted): PriceOrder;
  /** Marks a transaction that could not be executed: proposers skip it, and the next head drops it. */
  drop(hash: Hash): void;
  /** Removes a transaction at once; later ones of its sender wait for its nonce. Returns false for an unknown one. */
  remove(hash: Hash): boolean;
  /** Registers a listener; the returned function removes it. */
  onPending(listener: PendingListener): () => void;
  readonly throttler: SpamThrottler;
}

/** Parts of a pool. */
export interface PoolDeps {
  readonly core: PoolRules;
  readonly options: PoolOptions;
  readonly journal: Journal | undefined;
  readonly throttler: Throttler;
  readonly prove: ProveSidecar;
  readonly recover: (transactions: readonly Transaction[]) => Promise<void>;
}

/** Blob transactions of the newest blocks that peers can still get with their blobs. */
const MAX_INCLUDED = 16;

/** The pool without its journal and timers, which need closing. */
export class Pool implements Omit<TxPool, typeof Symbol.asyncDispose> {
  readonly #core: PoolRules;
  readonly #options: PoolOptions;
  readonly #journal: Journal | undefined;
  readonly throttler: Throttler;
  readonly #prove: ProveSidecar;
  readonly #listeners = new Set<PendingListener>();
  /** Mined transactions with blobs by hash, oldest first. */
  readonly #included = new Map<string, Uint8Array>();
  /** Running checks of blobs by hash. */
  readonly #proving = new Map<string, Promise<void>>();

  readonly recover: (transactions: readonly Transaction[]) => Promise<void>;

  constructor({ core, options, journal, throttler, prove, recover }: PoolDeps) {
    this.recover = recover;
    this.#prove = prove;
    this.throttler = throttler;
    this.#core = core;
    this.#options = options;
    this.#journal = journal;
  }

  add(transaction: Transaction, origin: Origin): void {
    const { size } = this.#core.index;
    if (origin === "local" && size >= poolCapacity(this.#options)) {
      throw new PoolError("full", `txpool is full: ${size}`);
    }
    this.#announce(this.#take(transaction, origin));
  }

  async addWithBlobs(transaction: Transaction, origin: Origin, client: Client = {}): Promise<void> {
    this.#checkOrigin(transaction, origin);
    this.#core.check(transaction); // proofs are costly: only for what is right otherwise
    const key = mapKey(transaction.hash);
    // Copies wait for the first, and are refused when it was taken in, before they cost anything.
    for (let other = this.#proving.get(key); other !== undefined; other = this.#proving.get(key)) {
      await other;
      this.#core.check(transaction);
    }
    const taken = this.#proveAndAdd(transaction, origin, client).finally(() => this.#proving.delete(key));
    this.#proving.set(
      key,
      taken.catch(() => undefined),
    );
    await taken;
  }

  async #proveAndAdd(transaction: Transaction, origin: Origin, client: Client): Promise<void> {
    const { sidecar } = transaction.fields;
    if (sidecar !== undefined) {
      if (!(await this.#prove(sidecar, client))) throw badSidecarError("a proof does not hold");
      this.#core.proven.add(sidecar);
    }
    this.add(transaction, origin);
  }

  addAll(transactions: readonly Transaction[], origin: Origin): (PoolError | undefined)[] {
    const free = Math.max(0, poolCapacity(this.#options) - this.#core.index.size);
    const promoted: PoolEntry[] = [];
    const errors = transactions.map((transaction, index) => {
      if (index >= free) return new PoolError("full", "txpool is full");
      if (origin === "remote" && this.throttler.holdsBack(transaction, this.#core.index.size)) {
        return new PoolError("throttled", "held back by the spam throttler");
      }
      try {
        promoted.push(...this.#take(transaction, origin));
        return undefined;
      } catch (error) {
        if (error instanceof PoolError) return error;
        throw error;
      }
    });
    // A later transaction of the batch may have cost an earlier one its place again.
    this.#announce([...new Set(promoted)].filter((entry) => this.#core.isExecutable(entry)));
    return errors;
  }

  get(hash: Hash): Transaction | undefined {
    return this.#core.index.get(mapKey(hash))?.transaction;
  }

  wire(transaction: Transaction): Uint8Array {
    const key = mapKey(transaction.hash);
    return this.#core.index.get(key)?.wire ?? this.#included.get(key) ?? transaction.raw;
  }

  minedBlobs(hash: Hash): BlobSidecar | undefined {
    const wire = this.#included.get(mapKey(hash));
    return wire && decodeTransaction(wire).fields.sidecar;
  }

  nonce(address: Address): bigint {
    return this.#core.nonce(address);
  }

  content(): PoolContent {
    const accounts = this.#core.index.accounts();
    return {
      pending: byAddress(accounts, (account) => account.pendingEntries()),
      queued: byAddress(accounts, (account) => account.queuedEntries()),
    };
  }

  status(): { pending: number; queued: number } {
    const { pending, queued } = this.#core.index;
    return { pending, queued };
  }

  byPrice(baseFee: bigint | undefined, isAdmitted?: IsAdmitted): PriceOrder {
    const runs = this.#core.index.accounts().map((account) => account.pendingEntries());
    return new PriceOrder(
      isAdmitted === undefined ? runs : runs.map((run) => admittedRun(run, isAdmitted)),
      baseFee,
    );
  }

  drop(hash: Hash): void {
    this.#core.markUnexecutable(mapKey(hash));
  }

  remove(hash: Hash): boolean {
    const entry = this.#core.index.get(mapKey(hash));
    if (entry !== undefined) this.#core.index.remove(entry);
    return entry !== undefined;
  }

  onPending(listener: PendingListener): () => void {
    const own: PendingListener = (transactions) => listener(transactions);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Follows the chain to its new head. The blobs of its transactions stay available to peers for some blocks. */
  reset({ transactions }: Pick<Block, "transactions">): void {
    for (const { hash, fields } of transactions) {
      if (fields.blobVersionedHashes === undefined) continue;
      const key = mapKey(hash);
      const wire = this.#core.index.get(key)?.wire;
      if (wire !== undefined) this.#included.set(key, wire);
    }
    for (const key of this.#included.keys()) {
      if (this.#included.size <= MAX_INCLUDED) break;
      this.#included.delete(key);
    }
    this.#announce(this.#core.reset());
  }

  /** Returns the transactions of local accounts with their blobs, in the order of the journal. */
  locals(): { readonly raw: Uint8Array }[] {
    const { index } = this.#core;
    const runs = index
      .accounts()
      .filter((account) => account.local)
      .map((account) => [...account.pendingEntries(), ...account.queuedEntries()]);
    const order = new PriceOrder(runs, undefined);
    const transactions: { readonly raw: Uint8Array }[] = [];
    for (let next = order.peek(); next; next = order.peek()) {
      transactions.push({ raw: this.wire(next) });
      order.shift();
    }
    return transactions;
  }

  /** Adds the transactions that the throttler releases, and ignores refusals. */
  addReleased(): void {
    const promoted = this.throttler.release().flatMap((transaction) => {
      try {
        return this.#take(transaction, "remote");
      } catch (error) {
        if (error instanceof PoolError) return [];
        throw error;
      }
    });
    this.#announce(promoted.filter((entry) => this.#core.isExecutable(entry)));
  }

  #take(transaction: Transaction, origin: Origin): PoolEntry[] {
    this.#checkOrigin(transaction, origin);
    const promoted = this.#core.add(transaction, origin === "local" && !this.#options.noLocals);
    const isKept = this.#core.isLocal(transaction) && !this.#core.isException(transaction);
    if (isKept) this.#journal?.append(transaction);
    return promoted;
  }

  #checkOrigin({ type }: Transaction, origin: Origin): void {
    const { allowLocalAnchoring, denyRemote } = this.#options;
    if (origin === "remote" && denyRemote) {
      throw new PoolError("remote-denied", "transactions of peers are not accepted by this node");
    }
    if (origin === "local" && type.isAnchoring === true && !allowLocalAnchoring) {
      throw new PoolError("local-anchoring", "locally anchoring chaindata tx is not allowed in this node");
    }
  }

  #announce(promoted: readonly PoolEntry[]): void {
    if (promoted.length === 0) return;
    const transactions = promoted.map((entry) => entry.transaction);
    for (const listener of this.#listeners) listener(transactions);
  }
}

function admittedRun(run: readonly PoolEntry[], isAdmitted: IsAdmitted): readonly PoolEntry[] {
  const end = run.findIndex(({ transaction, time }) => !isAdmitted(transaction, time));
  return end < 0 ? run : run.slice(0, end);
}

function byAddress(
  accounts: readonly AccountQueue[],
  entriesOf: (account: AccountQueue) => PoolEntry[],
): Map<AddressText, Transaction[]> {
  const content = new Map<AddressText, Transaction[]>();
  for (const account of accounts) {
    const entries = entriesOf(account);
    if (entries.length === 0) continue;
    content.set(
      addressText(account.address),
      entries.map((entry) => entry.transaction),
    );
  }
  return content;
}
