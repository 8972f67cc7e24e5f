import { mapKey } from "../bytes/hex.ts";
import { withoutSidecar } from "../model/blob-sidecar.ts";
import type { Transaction } from "../model/transaction.ts";
import { authorityKeys } from "./delegations.ts";
import { SLOT_SIZE } from "./options.ts";

/** A transaction as the pool holds it. */
export interface PoolEntry {
  /** As blocks hold it: without blobs. */
  readonly transaction: Transaction;
  /** As peers and the journal have it: with the blobs that travel with it. */
  readonly wire: Uint8Array;
  /** Map key of the hash. */
  readonly key: string;
  /** Address of the sender and its map key. */
  readonly sender: Uint8Array;
  readonly senderKey: string;
  /** Map keys of the accounts that it lets lend their code. */
  readonly authorities: readonly string[];
  /** Share of the pool's capacity, from the size. */
  readonly slots: number;
  /** Position in the order of arrival. */
  readonly seen: number;
  /** Found not to execute while a block was made: dropped at the next head. */
  unexecutable: boolean;
  /** False once the pool let go of it. */
  pooled: boolean;
}

/** What is known of a transaction; `wire` is its raw form where that is left out. */
export interface EntryFacts extends Pick<PoolEntry, "key" | "sender" | "seen"> {
  readonly wire?: Uint8Array;
}

/** Wraps a transaction whose sender is known. */
export function createEntry(
  transaction: Transaction,
  { key, sender, seen, wire = transaction.raw }: EntryFacts,
): PoolEntry {
  return {
    transaction,
    key,
    sender,
    senderKey: mapKey(sender),
    wire,
    authorities: authorityKeys(transaction),
    slots: Math.max(1, Math.ceil((wire.length - transaction.type.prefix.length) / SLOT_SIZE)),
    seen,
    unexecutable: false,
    pooled: false,
  };
}

/** Size of a transaction's RLP list: its raw form without the kind's prefix and without blobs; in bytes. */
export function listSize(tx: Transaction): number {
  const { prefix } = tx.type;
  return (
    (tx.fields.sidecar === undefined ? tx.raw.length : withoutSidecar(tx, prefix).length) - prefix.length
  );
}
