/**
 * Whether a transaction may enter the pool, in the Go node's order: a client is told the first thing that
 * is wrong. First what the transaction says by itself, then its signature, then what the state says.
 */
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { ExecutionError } from "../execution/error.ts";
import { checkExecutable, checkRecipient, checkSenderKey } from "../execution/participants.ts";
import { type Account } from "../model/account.ts";
import { TransactionError } from "../model/error.ts";
import {
  checkTypeAccepted,
  floorGas,
  intrinsicGas,
  senderOf,
  type Transaction,
} from "../model/transaction.ts";
import type { AccountQueue } from "./account-queue.ts";
import { checkFunds } from "./costs.ts";
import { listSize } from "./entry.ts";
import { PoolError, type PoolErrorCode } from "./error.ts";
import { checkPrice } from "./price.ts";
import type { Terms } from "./terms.ts";

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;

/** Finds what the pool holds of an account, by the address's map key. */
export type AccountLookup = (key: string) => AccountQueue | undefined;

/** Checks a transaction against the terms and gives back its sender. Throws `PoolError`. */
export function admit(tx: Transaction, terms: Terms, pooled: AccountLookup): Uint8Array {
  checkContent(tx, terms);
  checkPrice(tx, terms);
  checkSize(tx, terms);
  if (tx.value < 0n) throw new PoolError("negative-value", "negative value");
  const sender = translated("invalid-sender", "invalid sender: ", () => senderOf(tx, terms.chainId));
  const account = terms.state.account(sender);
  translated("invalid-sender", "", () => checkSenderKey(account));
  checkNonce(tx, account?.nonce ?? 0n);
  checkFunds(tx, { sender, balance: account?.balance ?? 0n }, terms.state);
  checkGas(tx, terms);
  if (isDelegated(account, terms)) checkInFlight(tx, terms, { sender, pooled: pooled(mapKey(sender)) });
  translated("invalid-for-type", "", () => checkRecipient(terms.state, tx));
  return sender;
}

/** True while a transaction that was admitted under an older head can still be executed some day. */
export function stillValid(tx: Transaction, sender: Uint8Array, { state }: Terms): boolean {
  try {
    const account = state.account(sender);
    checkSenderKey(account);
    checkFunds(tx, { sender, balance: account?.balance ?? 0n }, state);
    return true;
  } catch (error) {
    if (error instanceof PoolError || error instanceof ExecutionError) return false;
    throw error;
  }
}

function checkContent(tx: Transaction, { next, chainId, limits }: Terms): void {
  translated("type-not-supported", "", () => {
    checkTypeAccepted(tx, next);
    checkExecutable(tx);
  });
  const { maxInitcodeSize } = next;
  const { length } = tx.input;
  if (tx.type.creates(tx) && maxInitcodeSize !== undefined && length > maxInitcodeSize) {
    const sizes = `code size ${length}, limit ${maxInitcodeSize}`;
    throw new PoolError("initcode-too-large", `max initcode size exceeded: ${sizes}`);
  }
  if (tx.gas > limits.maxGas) {
    const numbers = `gas ${tx.gas}, limit ${limits.maxGas}`;
    throw new PoolError("gas-above-limit", `tx gas limit exceeds the upper limit: ${numbers}`);
  }
  if (tx.chainId !== undefined && tx.chainId !== chainId) {
    throw new PoolError("wrong-chain", "invalid chain id");
  }
}

function checkSize(tx: Transaction, { limits }: Terms): void {
  if (listSize(tx) > limits.maxSize) throw new PoolError("oversized", "oversized data");
}

/** Runs a check of the transaction itself; what it refuses becomes a refusal of the pool. */
function translated<T>(code: PoolErrorCode, prefix: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (!(cause instanceof TransactionError || cause instanceof ExecutionError)) throw cause;
    throw new PoolError(code, `${prefix}${cause.message}`, { cause });
  }
}

function checkNonce(tx: Transaction, next: bigint): void {
  if (tx.nonce >= MAX_NONCE) throw new PoolError("nonce-max", "nonce has max value");
  if (tx.nonce < next) throw new PoolError("nonce-too-low", "nonce too low");
}

function checkGas(tx: Transaction, { current, next }: Terms): void {
  if (tx.gas < intrinsicGas(tx, current)) throw new PoolError("gas-too-low", "intrinsic gas too low");
  const floor = floorGas(tx, next);
  if (tx.gas >= floor) return;
  const numbers = `gas ${tx.gas}, minimum needed ${floor}`;
  throw new PoolError("gas-too-low", `insufficient gas for floor data gas cost: ${numbers}`);
}

/** True for an account whose transactions another may run away with: it has delegated its code. */
function isDelegated(account: Account | undefined, { next }: Terms): boolean {
  return next.delegations && account !== undefined && !equalBytes(account.codeHash, EMPTY_HASH);
}

/** Such an account may have one executable transaction in the pool, which others may replace. */
function checkInFlight(
  tx: Transaction,
  { state }: Terms,
  { sender, pooled }: { sender: Uint8Array; pooled: AccountQueue | undefined },
): void {
  if (!pooled || pooled.pending === 0) {
    if (tx.nonce === state.nonce(sender)) return;
    throw new PoolError("delegated-account", "gapped-nonce tx from delegated accounts");
  }
  const present = pooled.get(tx.nonce);
  if (present && pooled.isPending(present)) return;
  throw new PoolError("delegated-account", "in-flight transaction limit reached for delegated accounts");
}
