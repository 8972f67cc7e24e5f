/**
 * Sender and fee payer of a transaction, and the check that their account keys accept the signatures. The
 * pool runs the same check on admission.
 */
import type { Address, PublicKey } from "../bytes/brands.ts";
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

/** An account that signed, with the gas for its additional signatures. */
export interface Participant {
  readonly address: Address;
  readonly gas: bigint;
}

/** Options of signature checks. */
export interface SigningOptions {
  readonly chainId: bigint;
  readonly rules: Rules;
}

type Side = "sender" | "payer";

const PREFIXES: Readonly<Record<Side, string>> = {
  sender: "invalid sender: ",
  payer: "invalid fee payer: ",
};

/** Returns the sender, whose account key accepts the signatures. Throws `ExecutionError` `invalid-sender`. */
export function verifySender(accounts: AccountReader, tx: Transaction, options: SigningOptions): Participant {
  const { from } = tx.fields;
  if (from === undefined) {
    const address = recoverSigners("sender", () => senderOf(tx, options.chainId));
    checkLegacyKey(accounts.account(address));
    return { address, gas: 0n };
  }
  const publicKeys = recoverSigners("sender", () => senderKeys(tx, options.chainId));
  const gas = verifyKey(accounts, { side: "sender", address: from, role: tx.type.role, publicKeys }, options);
  return { address: from, gas };
}

/**
 * Returns the payer of the fee: the fee payer, whose account key accepts its signatures, else the sender.
 * Throws `ExecutionError` `invalid-payer`.
 */
export function verifyPayer(
  accounts: AccountReader,
  tx: Transaction,
  { sender, ...options }: SigningOptions & { readonly sender: Participant },
): Participant {
  const { feePayer } = tx.fields;
  if (feePayer === undefined) return { address: sender.address, gas: 0n };
  const publicKeys = recoverSigners("payer", () => payerKeys(tx, options.chainId));
  const gas = verifyKey(
    accounts,
    { side: "payer", address: feePayer, role: "feePayer", publicKeys },
    options,
  );
  return { address: feePayer, gas };
}

/** Returns true while the keys of both accounts accept the signers; keys may change after signing. */
export function areSignersValid(accounts: AccountReader, tx: Transaction, options: SigningOptions): boolean {
  try {
    verifyPayer(accounts, tx, { sender: verifySender(accounts, tx, options), ...options });
    return true;
  } catch (error) {
    if (error instanceof ExecutionError) return false;
    throw error;
  }
}

/** Requires a legacy account key. Throws `ExecutionError` `invalid-sender`. */
function checkLegacyKey(account: Account | undefined): void {
  if (account === undefined || account.key.type === LEGACY_KEY.type) return;
  throw refusedSignature("sender", "a legacy transaction must be with a legacy account key");
}

interface SignedRole {
  readonly side: Side;
  readonly address: Address;
  readonly role: KeyRole;
  readonly publicKeys: readonly PublicKey[];
}

/** Checks that the account key accepts the signatures and returns their gas. */
function verifyKey(
  accounts: AccountReader,
  { side, address, role, publicKeys }: SignedRole,
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
