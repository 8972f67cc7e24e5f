/**
 * Whether a transaction may enter the pool, in the Go node's order: a client is told the first thing that
 * is wrong. First what the transaction says by itself, then its signature, then what the state says.
 */
import { ExecutionError } from "../execution/error.ts";
import { checkedPayer, checkedSender, keysStillFit, type SigningTerms } from "../execution/participants.ts";
import { validateForKind } from "../execution/validate.ts";
import { TransactionError } from "../model/error.ts";
import { checkTypeAccepted, floorGas, intrinsicGas, type Transaction } from "../model/transaction.ts";
import { checkBlobs } from "./blobs.ts";
import { checkFunds } from "./costs.ts";
import { checkDelegations, type Pooled } from "./delegations.ts";
import { listSize } from "./entry.ts";
import { PoolError, type PoolErrorCode } from "./error.ts";
import { checkPrice } from "./price.ts";
import type { Terms } from "./terms.ts";

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;

/** Checks a transaction against the terms and gives back its sender. Throws `PoolError`. */
export function admit(tx: Transaction, terms: Terms, pooled: Pooled): Uint8Array {
  checkContent(tx, terms);
  checkPrice(tx, terms);
  checkSize(tx, terms);
  if (tx.value < 0n) throw new PoolError("negative-value", "negative value");
  const { state } = terms;
  const signing = signingTerms(terms);
  const signer = translated("invalid-sender", () => checkedSender(state, tx, signing));
  const sender = signer.address;
  const account = state.account(sender);
  checkNonce(tx, account?.nonce ?? 0n);
  const payer = translated("invalid-sender", () => checkedPayer(state, tx, { sender: signer, ...signing }));
  checkFunds(tx, { sender, balance: account?.balance ?? 0n }, state);
  checkGas(tx, terms, signer.gas + payer.gas);
  checkBlobs(tx, terms);
  checkAuthorizations(tx);
  checkDelegations(tx, sender, { terms, pooled });
  translated("invalid-for-type", () => validateForKind(state, tx));
  return sender;
}

/** True while a transaction that was admitted under an older head can still be executed some day. */
export function stillValid(tx: Transaction, sender: Uint8Array, terms: Terms): boolean {
  const { state } = terms;
  if (!keysStillFit(state, tx, signingTerms(terms))) return false;
  try {
    checkFunds(tx, { sender, balance: state.balance(sender) }, state);
    validateForKind(state, tx); // a recipient may have got code since, or the account another key
    return true;
  } catch (error) {
    if (error instanceof PoolError || error instanceof ExecutionError) return false;
    throw error;
  }
}

/** Keys and gas are judged by the rules of the head. */
function signingTerms({ chainId, current }: Terms): SigningTerms {
  return { chainId, rules: current };
}

function checkContent(tx: Transaction, { next, chainId, limits }: Terms): void {
  translated("type-not-supported", () => checkTypeAccepted(tx, next));
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
function translated<T>(code: PoolErrorCode, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (!(cause instanceof TransactionError || cause instanceof ExecutionError)) throw cause;
    throw new PoolError(code, cause.message, { cause });
  }
}

function checkNonce(tx: Transaction, next: bigint): void {
  if (tx.nonce >= MAX_NONCE) throw new PoolError("nonce-max", "nonce has max value");
  if (tx.nonce < next) throw new PoolError("nonce-too-low", "nonce too low");
}

function checkGas(tx: Transaction, { current, next }: Terms, signatureGas: bigint): void {
  if (tx.gas < intrinsicGas(tx, current) + signatureGas)
    throw new PoolError("gas-too-low", "intrinsic gas too low");
  const floor = floorGas(tx, next) + signatureGas;
  if (next.floorTokenGas === 0n || tx.gas >= floor) return;
  const numbers = `gas ${tx.gas}, minimum needed ${floor}`;
  throw new PoolError("gas-too-low", `insufficient gas for floor data gas cost: ${numbers}`);
}

function checkAuthorizations({ fields }: Transaction): void {
  if (fields.authorizationList?.length !== 0) return;
  throw new PoolError("invalid-for-type", "set code tx must have at least one authorization tuple");
}
