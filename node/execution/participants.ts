/**
 * Who sends a transaction and who pays for it, and whether those who signed may do so. The pool asks the same
 * before it takes a transaction in.
 */
import type { Rules } from "../config/rules.ts";
import type { Account } from "../model/account.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import { signatureGas } from "../model/account-key-gas.ts";
import { validateSigners } from "../model/account-key-signers.ts";
import { TransactionError } from "../model/error.ts";
import { senderOf, type Transaction } from "../model/transaction.ts";
import { payerKeys, senderKeys } from "../model/transaction-signers.ts";
import type { KeyRole } from "../model/transaction-type.ts";
import { ExecutionError } from "./error.ts";
import type { AccountReader } from "./validate.ts";

/** An account that signed, and the gas for checking more than one signature of it. */
export interface Participant {
  readonly address: Uint8Array;
  readonly gas: bigint;
}

/** Under what signatures are judged. */
export interface SigningOptions {
  readonly chainId: bigint;
  readonly rules: Rules;
}

type Side = "sender" | "payer";

const PREFIXES: Readonly<Record<Side, string>> = {
  sender: "invalid sender: ",
  payer: "invalid fee payer: ",
};

/** The sender, whose account's key accepts the signatures. Throws `ExecutionError` `invalid-sender`. */
export function verifySender(accounts: AccountReader, tx: Transaction, terms: SigningOptions): Participant {
  const { from } = tx.fields;
  if (from === undefined) {
    const address = recoverSigners("sender", () => senderOf(tx, terms.chainId));
    checkLegacyKey(accounts.account(address));
    return { address, gas: 0n };
  }
  const publicKeys = recoverSigners("sender", () => senderKeys(tx, terms.chainId));
  const gas = verifyKey(accounts, { side: "sender", address: from, role: tx.type.role, publicKeys }, terms);
  return { address: from, gas };
}

/** Who pays the fee: the fee payer, whose account's key accepts its signatures, or else the sender. */
export function verifyPayer(
  accounts: AccountReader,
  tx: Transaction,
  { sender, ...terms }: SigningOptions & { readonly sender: Participant },
): Participant {
  const { feePayer } = tx.fields;
  if (feePayer === undefined) return { address: sender.address, gas: 0n };
  const publicKeys = recoverSigners("payer", () => payerKeys(tx, terms.chainId));
  const gas = verifyKey(accounts, { side: "payer", address: feePayer, role: "feePayer", publicKeys }, terms);
  return { address: feePayer, gas };
}

/** True while both accounts' keys accept those who signed: keys change, signatures do not. */
export function keysStillFit(accounts: AccountReader, tx: Transaction, terms: SigningOptions): boolean {
  try {
    verifyPayer(accounts, tx, { sender: verifySender(accounts, tx, terms), ...terms });
    return true;
  } catch (error) {
    if (error instanceof ExecutionError) return false;
    throw error;
  }
}

/** Throws `ExecutionError` for an account whose key is not that of its own address. */
function checkLegacyKey(account: Account | undefined): void {
  if (account === undefined || account.key.type === LEGACY_KEY.type) return;
  throw refusedSignature("sender", "a legacy transaction must be with a legacy account key");
}

interface Signed {
  readonly side: Side;
  readonly address: Uint8Array;
  readonly role: KeyRole;
  readonly publicKeys: readonly Uint8Array[];
}

/** Gas for the signatures that an account's key accepts. */
function verifyKey(
  accounts: AccountReader,
  { side, address, role, publicKeys }: Signed,
  { rules }: SigningOptions,
): bigint {
  const key = accounts.account(address)?.key ?? LEGACY_KEY;
  if (!validateSigners({ key, address, role }, publicKeys, rules))
    throw refusedSignature(side, "invalid account key");
  return signatureGas(key, role, { signatures: publicKeys.length, rules });
}

function recoverSigners<T>(side: Side, recover: () => T): T {
  try {
    return recover();
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause;
    throw refusedSignature(side, cause.message, cause);
  }
}

function refusedSignature(side: Side, why: string, cause?: unknown): ExecutionError {
  const code = side === "sender" ? "invalid-sender" : "invalid-payer";
  return new ExecutionError(code, `${PREFIXES[side]}${why}`, { cause });
}
