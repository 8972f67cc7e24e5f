/** What a transaction asks of its two accounts before it may run; the pool asks the same before it takes it in. */
import { equalBytes } from "../bytes/compare.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import type { Account } from "../model/account.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import type { Transaction } from "../model/transaction.ts";
import { ExecutionError } from "./error.ts";

/** Accounts by address. */
export interface AccountReader {
  account(address: Uint8Array): Account | undefined;
}

const LAST_RESERVED = 0x3ff;

/** Throws `ExecutionError` `unsupported` for a kind that this release reads, shows and signs but does not execute. */
export function checkExecutable({ type }: Pick<Transaction, "type">): void {
  if (type.executable) return;
  throw new ExecutionError("unsupported", `transaction type ${type.name} is not supported by this release`);
}

/**
 * Throws `ExecutionError` `reserved-address` for an address kept for precompiled contracts, `unsupported` where
 * a contract would have to be made or run.
 */
export function checkRecipient(accounts: AccountReader, { to }: Transaction): void {
  if (to === undefined) {
    throw new ExecutionError("unsupported", "contract creation is not supported by this release");
  }
  if (isReserved(to)) {
    throw new ExecutionError("reserved-address", "the address is reserved for pre-compiled contracts");
  }
  const recipient = accounts.account(to);
  if (recipient !== undefined && !equalBytes(recipient.codeHash, EMPTY_HASH)) {
    throw new ExecutionError("unsupported", "contract calls are not supported by this release");
  }
}

/** True for 0x1 to 0x3ff. */
function isReserved(address: Uint8Array): boolean {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return false;
  const low = (address[18] ?? 0) * 256 + (address[19] ?? 0);
  return low > 0 && low <= LAST_RESERVED;
}

/** Throws `ExecutionError` `invalid-sender` for an account whose key is not that of its own address. */
export function checkSenderKey(sender: Account | undefined): void {
  if (sender === undefined || sender.key.type === LEGACY_KEY.type) return;
  throw new ExecutionError(
    "invalid-sender",
    "invalid sender: a legacy transaction must be with a legacy account key",
  );
}
