/** Transactions without the sidecar that they had in the pool. */
import { withoutSidecar } from "./blob-sidecar.ts";
import { decodeTransaction, senderOf, setSender, type Transaction } from "./transaction.ts";

/**
 * Returns a transaction as blocks contain it: without its sidecar, and not a view of the sidecar's bytes.
 * With a chain id the sender is recovered first and kept; that throws `TransactionError` for an invalid
 * signature.
 */
export function bareTransaction(tx: Transaction, chainId?: bigint): Transaction {
  if (tx.fields.sidecar === undefined) return tx;
  const bare = decodeTransaction(withoutSidecar(tx, tx.type.prefix));
  if (chainId !== undefined) setSender(bare, chainId, senderOf(tx, chainId));
  return bare;
}
