/**
 * Checks of a transaction's type against the state, the first ones of its execution (the Go node's
 * `Validate`). The pool runs the same checks on admission.
 */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { Rules } from "../config/rules.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { createAddress } from "../evm/address.ts";
import { isReserved } from "../evm/precompiles.ts";
import type { Account } from "../model/account.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import { decodeAccountKey } from "../model/account-key-decode.ts";
import { checkUpdate } from "../model/account-key-update.ts";
import type { Transaction } from "../model/transaction.ts";
import type { RecipientRule } from "../model/transaction-type.ts";
import { ExecutionError } from "./error.ts";

/** Look-up of accounts by address. */
export interface AccountReader {
  account(address: Address): Account | undefined;
}

const ZERO_ADDRESS: Address = new Uint8Array(20);

/**
 * Checks the rules of the transaction's type. Throws `ExecutionError`
 * (`blockchain/types/tx_internal_data.go@v2.2.2`).
 */
export function validateForKind(accounts: AccountReader, tx: Transaction, rules: Rules): void {
  if (tx.type.action === "key-update") return checkKeyUpdate(accounts, tx);
  if (tx.type.action === "nothing") return;
  if (tx.fields.from !== undefined && tx.type.creates(tx)) return checkDeploy(tx, tx.fields.from, rules);
  const { to, type } = tx;
  if (to !== undefined && type.recipientRule !== undefined) {
    CHECKS[type.recipientRule](to, { account: accounts.account(to), rules });
  }
}

interface RecipientFacts {
  readonly account: Account | undefined;
  readonly rules: Rules;
}

const CHECKS: Readonly<Record<RecipientRule, (to: Address, facts: RecipientFacts) => void>> = {
  "be-unreserved": (to, { rules }) => {
    if (isReserved(to, rules)) throw reservedAddress();
  },
  "hold-no-code": (to, { account, rules }) => {
    if (isReserved(to, rules)) throw reservedAddress();
    if (!isProgram(account)) return;
    throw new ExecutionError("recipient-with-code", "recipient must be an EOA without code");
  },
  "be-program": (_to, { account }) => {
    if (!isProgram(account)) {
      throw new ExecutionError("recipient-without-code", "recipient must be an EOA with code or an SCA");
    }
    if (hasCode(account)) return;
    throw new ExecutionError(
      "not-a-program",
      "not a program account (e.g., an account having code and storage)",
    );
  },
};

function checkKeyUpdate(accounts: AccountReader, { fields }: Transaction): void {
  const sender = accounts.account(fields.from ?? ZERO_ADDRESS);
  const problem = checkUpdate(sender?.key ?? LEGACY_KEY, decodeAccountKey(fields.key ?? ZERO_ADDRESS));
  if (problem !== undefined) throw new ExecutionError("bad-key", problem.message);
  if (isProgram(sender)) throw new ExecutionError("bad-sender", "sender must be an EOA without code");
}

function checkDeploy({ nonce, to, fields }: Transaction, sender: Address, rules: Rules): void {
  if (to !== undefined) {
    throw new ExecutionError(
      "deploy-with-recipient",
      "contract deploy transaction can't have a recipient address",
    );
  }
  if (isReserved(createAddress(sender, nonce), rules)) throw reservedAddress();
  if (fields.humanReadable === true) {
    throw new ExecutionError("human-readable", "Human-readable address is not supported now");
  }
  if ((fields.codeFormat ?? 0) !== 0) {
    throw new ExecutionError("code-format", "smart contract code format is invalid");
  }
}

/** Returns true for an account whose calls run code: a contract, or an account with a delegation. */
function isProgram(account: Account | undefined): account is Account {
  return account !== undefined && (account.kind === "contract" || hasCode(account));
}

function hasCode(account: Account): boolean {
  return !equalBytes(account.codeHash, EMPTY_HASH);
}

function reservedAddress(): ExecutionError {
  return new ExecutionError("reserved-address", "the address is reserved for pre-compiled contracts");
}
