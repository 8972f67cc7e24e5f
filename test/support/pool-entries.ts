/** Entries of the pool without signatures and encodings. */
import { mapKey } from "../../node/bytes/hex.ts";
import type { Transaction } from "../../node/model/transaction.ts";
import type { PooledAccounts } from "../../node/txpool/delegations.ts";
import type { PoolEntry } from "../../node/txpool/entry.ts";

/** Facts of an entry that a test sets; the rest has defaults. */
export interface EntryFacts {
  readonly nonce: number;
  /** Number of the account, 0 to 255. */
  readonly account?: number;
  /** Both caps, unless `tip` says otherwise. */
  readonly price?: number;
  readonly tip?: number;
  readonly seen?: number;
  readonly slots?: number;
}

let made = 0;

/** An entry as the parts that only order and count see it: no signature, no encoding. */
export function anEntry(facts: EntryFacts): PoolEntry {
  const { nonce, account = 1, price = 1, tip = price, slots = 1 } = facts;
  const sender = new Uint8Array(20).fill(account);
  made += 1;
  const transaction = { nonce: BigInt(nonce), gasFeeCap: BigInt(price), gasTipCap: BigInt(tip) };
  return {
    transaction: transaction as Transaction, // the parts under test read no more than this
    authorities: [],
    wire: new Uint8Array(0),
    key: `hash ${made}`,
    sender,
    senderKey: mapKey(sender),
    slots,
    time: 0,
    seen: facts.seen ?? made,
    unexecutable: false,
    pooled: false,
  };
}

/** The nonces of entries, as plain numbers. */
export function nonces(entries: readonly PoolEntry[]): number[] {
  return entries.map((entry) => Number(entry.transaction.nonce));
}

/** A pool that holds nothing. */
export const nothingPooled: PooledAccounts = { account: () => undefined, isAuthority: () => false };
