/**
 * Limits for delegating accounts (EIP-7702). Other parties can spend the balance of such an account at any time, so the
 * pool holds one transaction of it at a time and none behind a gap.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import type { Transaction } from "../model/transaction.ts";
import type { AccountQueue } from "./account-queue.ts";
import { authorityKeys } from "./entry.ts";
import { PoolError } from "./error.ts";
import type { NextBlockRules } from "./next-block-rules.ts";

/** The pool by map keys of addresses. */
export interface PooledAccounts {
  account(key: string): AccountQueue | undefined;
  /** True for an account that is an authority of a pooled transaction. */
  isAuthority(key: string): boolean;
}

/** Throws `PoolError` `delegated-account` when one of the accounts involved has a transaction in flight. */
export function checkDelegations(
  tx: Transaction,
  sender: Address,
  { terms, pooled }: { readonly terms: NextBlockRules; readonly pooled: PooledAccounts },
): void {
  if (!terms.next.delegations) return;
  checkSender(tx, sender, { terms, pooled });
  for (const authority of authorityKeys(tx)) {
    if ((pooled.account(authority)?.size ?? 0) > 1) throw delegatedAccountError("authority already reserved");
  }
}

/** A delegating sender may have one executable transaction in the pool, which another may replace. */
function checkSender(
  tx: Transaction,
  sender: Address,
  { terms: { state }, pooled }: { readonly terms: NextBlockRules; readonly pooled: PooledAccounts },
): void {
  const key = mapKey(sender);
  const account = state.account(sender);
  const lends = account !== undefined && !equalBytes(account.codeHash, EMPTY_HASH);
  if (!lends && !pooled.isAuthority(key)) return;
  const queue = pooled.account(key);
  if (queue === undefined || queue.pending === 0) {
    if (tx.nonce === (account?.nonce ?? 0n)) return;
    throw delegatedAccountError("gapped-nonce tx from delegated accounts");
  }
  const present = queue.get(tx.nonce);
  if (present !== undefined && queue.isPending(present)) return;
  throw delegatedAccountError("in-flight transaction limit reached for delegated accounts");
}

function delegatedAccountError(message: string): PoolError {
  return new PoolError("delegated-account", message);
}
