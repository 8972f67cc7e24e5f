/** Rules for transactions of senders who need no balance, in place of some of the pool's own. */
import type { Transaction } from "../model/transaction.ts";

/** Surroundings of a waiting transaction that is next in its account. */
export interface QueuePlaceFacts {
  /** The transaction before it that has just become executable. */
  readonly previous: Transaction | undefined;
  /** Returns the account's waiting transaction with a nonce. */
  readonly waiting: (nonce: bigint) => Transaction | undefined;
}

/** The rules; they read the chain at its head. */
export interface ExceptionRules {
  /** True for a transaction that these rules are about. */
  covers(transaction: Transaction): boolean;
  /** Notes a transaction that comes in, before anything else is checked. Throws `PoolError`. */
  enter(transaction: Transaction): void;
  /** The check in place of the sender's balance. Throws `PoolError`. */
  checkFunds(transaction: Transaction): void;
  /** True when a waiting transaction may become executable, which it does then. */
  admits(transaction: Transaction, place: QueuePlaceFacts): boolean;
  /** Notes that a proposer could not execute a transaction. */
  markUnexecutable(key: string): void;
  /** Returns the map keys of the transactions whose time in the pool is over. */
  expire(): readonly string[];
  /** Notes where the transactions are after a new head; the pool is asked by map key. */
  follow(placeOf: (key: string) => "queued" | "pending" | undefined): void;
}
