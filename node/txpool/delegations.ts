/**
 * What the pool keeps of accounts that lend their code, or are about to (EIP-7702). Others may run away with their
 * balance, so that one transaction of such an account waits at a time, and none behind a gap.
 */
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { authorityOf } from "../model/authorization.ts";
import type { Transaction } from "../model/transaction.ts";
import type { AccountQueue } from "./account-queue.ts";
import { PoolError } from "./error.ts";
import type { Terms } from "./terms.ts";

/** What the pool holds, by map keys of addresses. */
export interface Pooled {
  account(key: string): AccountQueue | undefined;
  /** True for an account that a pooled transaction lets lend its code. */
  isAuthority(key: string): boolean;
}

/** Map keys of the accounts whose authorizations a transaction carries, each once. */
export function authorityKeys({ fields }: Transaction): readonly string[] {
  const { authorizationList = [] } = fields;
  if (authorizationList.length === 0) return [];
  const authorities = authorizationList.map(authorityOf).filter((address) => address !== undefined);
  return [...new Set(authorities.map(mapKey))];
}

/** Throws `PoolError` `delegated-account` when one of the accounts involved has something in flight already. */
export function checkDelegations(
  tx: Transaction,
  sender: Uint8Array,
  { terms, pooled }: { readonly terms: Terms; readonly pooled: Pooled },
): void {
  if (!terms.next.delegations) return;
  checkSender(tx, sender, { terms, pooled });
  for (const authority of authorityKeys(tx)) {
    if ((pooled.account(authority)?.size ?? 0) > 1) throw refused("authority already reserved");
  }
}

/** Such a sender may have one executable transaction in the pool, which others may replace. */
function checkSender(
  tx: Transaction,
  sender: Uint8Array,
  { terms: { state }, pooled }: { readonly terms: Terms; readonly pooled: Pooled },
): void {
  const key = mapKey(sender);
  const account = state.account(sender);
  const lends = account !== undefined && !equalBytes(account.codeHash, EMPTY_HASH);
  if (!lends && !pooled.isAuthority(key)) return;
  const queue = pooled.account(key);
  if (queue === undefined || queue.pending === 0) {
    if (tx.nonce === (account?.nonce ?? 0n)) return;
    throw refused("gapped-nonce tx from delegated accounts");
  }
  const present = queue.get(tx.nonce);
  if (present !== undefined && queue.isPending(present)) return;
  throw refused("in-flight transaction limit reached for delegated accounts");
}

function refused(message: string): PoolError {
  return new PoolError("delegated-account", message);
}
