/** Transactions as the pool holds them. */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { authorityOf } from "../model/authorization.ts";
import { withoutSidecar } from "../model/blob-sidecar.ts";
import type { Transaction } from "../model/transaction.ts";
import { SLOT_SIZE } from "./options.ts";

/** One pooled transaction. */
export interface PoolEntry {
  /** The form in blocks: without blobs. */
  readonly transaction: Transaction;
  /** The form on the wire and in the journal: with its blobs. */
  readonly wire: Uint8Array;
  /** Map key of the hash. */
  readonly key: string;
  /** Address of the sender and its map key. */
  readonly sender: Address;
  readonly senderKey: string;
  /** Map keys of its authorities (EIP-7702). */
  readonly authorities: readonly string[];
  /** Share of the pool's capacity, from the size. */
  readonly slots: number;
  /** Position in the order of arrival. */
  readonly seen: number;
  /** Time of arrival, in milliseconds since the epoch. */
  readonly time: number;
  /** Failed while a block was made: dropped at the next head. */
  unexecutable: boolean;
  /** False after the pool dropped it. */
  pooled: boolean;
}

/** Facts about a transaction; `wire` defaults to its raw form. */
export interface EntryFacts extends Pick<PoolEntry, "key" | "sender" | "seen" | "time"> {
  readonly wire?: Uint8Array;
}

/** Wraps a transaction whose sender is known. */
export function createEntry(
  transaction: Transaction,
  { key, sender, seen, time, wire = transaction.raw }: EntryFacts,
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
    time,
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

/** Returns the map keys of the authorities of a transaction (EIP-7702), each once. */
export function authorityKeys({ fields }: Transaction): readonly string[] {
  const { authorizationList = [] } = fields;
  if (authorizationList.length === 0) return [];
  const authorities = authorizationList.map(authorityOf).filter((address) => address !== undefined);
  return [...new Set(authorities.map(mapKey))];
}
