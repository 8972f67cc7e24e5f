import { mapKey } from "../bytes/hex.ts";
import type { Transaction } from "../model/transaction.ts";
import { SLOT_SIZE } from "./options.ts";

/** A transaction as the pool holds it. */
export interface PoolEntry {
  readonly transaction: Transaction;
  /** Map key of the hash. */
  readonly key: string;
  /** Address of the sender and its map key. */
  readonly sender: Uint8Array;
  readonly senderKey: string;
  /** Share of the pool's capacity, from the size. */
  readonly slots: number;
  /** Position in the order of arrival. */
  readonly seen: number;
  /** Found not to execute while a block was made: dropped at the next head. */
  unexecutable: boolean;
  /** False once the pool let go of it. */
  pooled: boolean;
}

/** Wraps a transaction whose sender is known. */
export function createEntry(
  transaction: Transaction,
  { key, sender, seen }: Pick<PoolEntry, "key" | "sender" | "seen">,
): PoolEntry {
  return {
    transaction,
    key,
    sender,
    senderKey: mapKey(sender),
    slots: Math.max(1, Math.ceil(listSize(transaction) / SLOT_SIZE)),
    seen,
    unexecutable: false,
    pooled: false,
  };
}

/** Size of a transaction's RLP list: its raw form without the kind's prefix; in bytes. */
export function listSize({ raw, type }: Transaction): number {
  return raw.length - type.prefix.length;
}
