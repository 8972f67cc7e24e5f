/** Recipients of transactions as the Go node counts them: the zero address is none in some types. */
import type { Address } from "../bytes/brands.ts";
import { isZero } from "../bytes/compare.ts";
import type { Transaction } from "./transaction.ts";

/** Returns the recipient; undefined where `To()` of the Go node is nil. */
export function recipientOf(tx: Pick<Transaction, "type" | "to">): Address | undefined {
  return hasZeroRecipient(tx) ? undefined : tx.to;
}

/** True for a zero address that counts as none. */
export function hasZeroRecipient({ type, to }: Pick<Transaction, "type" | "to">): boolean {
  return type.zeroIsNoRecipient === true && to !== undefined && isZero(to);
}

/** Returns the recipient in Ethereum's form: the sender for types that act on the sender's own account. */
export function ethereumRecipient(tx: Transaction): Address | undefined {
  return tx.type.recipientIsSender === true ? tx.fields.from : recipientOf(tx);
}
