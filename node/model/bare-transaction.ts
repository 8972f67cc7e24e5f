import { withoutSidecar } from "./blob-sidecar.ts";
import { decodeTransaction, senderOf, setSender, type Transaction } from "./transaction.ts";

/**
 * A transaction as blocks hold it: without the blobs that travel with it, and without a view into their bytes. With a
 * chain its sender is found first, and not again; that throws `TransactionError` where there is none.
 */
export function bareTransaction(tx: Transaction, chainId?: bigint): Transaction {
  if (tx.fields.sidecar === undefined) return tx;
  const bare = decodeTransaction(withoutSidecar(tx, tx.type.prefix));
  if (chainId !== undefined) setSender(bare, chainId, senderOf(tx, chainId));
  return bare;
}
