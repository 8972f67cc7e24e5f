/**
 * Transactions by the hash that their sender knows: it differs from the transaction's own where somebody else signs
 * for the fee, and only those are kept.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { type BlockFollower, type Derived, newestBlock, openBlockFollower } from "./block-follower.ts";
import { storedTransactions } from "./block-rows.ts";
import type { RemovedBlock } from "./chain.ts";
import { putCursor, readCursor } from "./follower-cursor.ts";
import { oldestBody } from "./kept-blocks.ts";
import type { FollowerDeps } from "./log-follower.ts";

/** The hash of the transaction that its sender knows by another. */
export function hashBySender(rows: Rows, senderTxHash: Hash): Hash | undefined {
  return rows.get(tables.senderHash.key(senderTxHash));
}

/** Adds to a batch the removal of the rows of transactions. */
export function forgetSenderHashes(batch: Batch, transactions: readonly Transaction[]): void {
  for (const { senderTxHash } of knownOtherwise(transactions))
    batch.delete(tables.senderHash.key(senderTxHash));
}

/** Begins to follow. */
export function openSenderHashFollower(deps: FollowerDeps): BlockFollower {
  return openBlockFollower(deps, new SenderHashes(deps));
}

const CURSOR = tables.meta.key("senderHashes");
/** Blocks after which the cursor is written though they had nothing to keep. */
const CURSOR_BLOCKS = 1024;

class SenderHashes implements Derived {
  readonly name = "senderHashes";
  readonly #deps: FollowerDeps;
  #next: number;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    const isWhole = deps.store.damage === undefined; // else any batch may be missing
    const stored = isWhole ? readCursor(deps.store, CURSOR, deps.chain.head().header.number) : 0;
    this.#next = Math.max(stored, firstKept(deps.store));
  }

  get next(): number {
    return this.#next;
  }

  take(): Promise<void> | undefined {
    const { store } = this.#deps;
    const number = this.#next;
    const transactions = newestBlock(this.#deps, number)?.transactions ?? storedTransactions(store, number);
    if (transactions === undefined) throw new Error(`the body of block ${number} is missing`);
    const known = knownOtherwise(transactions);
    this.#next++;
    if (known.length === 0 && this.#next % CURSOR_BLOCKS !== 0) return undefined;
    const batch = store.createBatch();
    for (const { senderTxHash, hash } of known) batch.put(tables.senderHash.key(senderTxHash), hash);
    return this.#write(batch);
  }

  cut(head: number, removed: readonly RemovedBlock[]): void {
    const batch = this.#deps.store.createBatch();
    for (const { block } of removed) forgetSenderHashes(batch, block.transactions);
    this.#next = Math.min(this.#next, head + 1);
    this.#write(batch).catch((error: unknown) => {
      this.#deps.log.warn({ error }, "cannot delete sender hashes of removed transactions");
    });
  }

  #write(batch: Batch): Promise<void> {
    const { store } = this.#deps;
    putCursor(store, batch, { key: CURSOR, next: this.#next });
    return store.write(batch, { sync: false });
  }
}

/** Block 0 has no transactions. */
function firstKept(rows: Rows): number {
  const oldest = oldestBody(rows);
  return oldest === 1 ? 0 : oldest;
}

function knownOtherwise(transactions: readonly Transaction[]): Transaction[] {
  return transactions.filter(({ hash, senderTxHash }) => !equalBytes(hash, senderTxHash));
}
