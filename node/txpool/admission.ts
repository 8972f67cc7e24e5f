/**
 * Admission of a transaction to the pool, in the Go node's order, so that clients see the same first error: the
 * transaction by itself, then its signature, then the state (`blockchain/tx_pool.go@v2.2.2`, `validateTx`).
 */
import type { Address } from "../bytes/brands.ts";
import { ExecutionError } from "../execution/error.ts";
import {
  areSignersValid,
  type SigningOptions,
  verifyPayer,
  verifySender,
} from "../execution/participants.ts";
import { validateForKind } from "../execution/validate.ts";
import { TransactionError } from "../model/error.ts";
import { recipientOf } from "../model/recipient.ts";
import { checkTypeAccepted, floorGas, intrinsicGas, type Transaction } from "../model/transaction.ts";
import { checkBlobs } from "./blobs.ts";
import { checkPoolFunds, type Funds } from "./costs.ts";
import { checkDelegations, type PooledAccounts } from "./delegations.ts";
import { listSize } from "./entry.ts";
import { PoolError, type PoolErrorCode } from "./error.ts";
import type { NextBlockRules } from "./next-block-rules.ts";
import { checkPrice, checkTip } from "./price.ts";

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;

/** Checks a transaction against the rules of the head and returns its sender. Throws `PoolError`. */
export function admit(tx: Transaction, terms: NextBlockRules, pooled: PooledAccounts): Address {
  checkContent(tx, terms);
  checkPrice(tx, terms);
  checkSize(tx, terms);
  if (tx.value < 0n) throw new PoolError("negative-value", "negative value");
  const { state } = terms;
  const signing = signingOptions(terms);
  const signer = asPoolError("invalid-sender", () => verifySender(state, tx, signing));
  const sender = signer.address;
  const account = state.account(sender);
  checkNonce(tx, account?.nonce ?? 0n);
  const payer = asPoolError("invalid-sender", () => verifyPayer(state, tx, { sender: signer, ...signing }));
  checkFunds(tx, { sender, balance: account?.balance ?? 0n }, terms);
  checkGas(tx, terms, signer.gas + payer.gas);
  checkBlobs(tx, terms);
  checkTip(tx); // of one with blobs, at which the Go node's pool does not look
  checkAuthorizations(tx);
  checkDelegations(tx, sender, { terms, pooled });
  asPoolError("invalid-for-type", () => validateForKind(state, tx, terms.current));
  return sender;
}

/** True while a transaction that was admitted under an older head can still become executable. */
export function stillValid(tx: Transaction, sender: Address, terms: NextBlockRules): boolean {
  const { state } = terms;
  if (!areSignersValid(state, tx, signingOptions(terms))) return false;
  try {
    checkFunds(tx, { sender, balance: state.balance(sender) }, terms);
    validateForKind(state, tx, terms.current); // a recipient may have got code since, or the account another key
    return true;
  } catch (error) {
    if (error instanceof PoolError || error instanceof ExecutionError) return false;
    throw error;
  }
}

function checkFunds(tx: Transaction, funds: Funds, { state, exceptions }: NextBlockRules): void {
  if (exceptions?.covers(tx) === true) exceptions.checkFunds(tx);
  else checkPoolFunds(tx, funds, state);
}

/** Keys and gas follow the rules of the head. */
function signingOptions({ chainId, current }: NextBlockRules): SigningOptions {
  return { chainId, rules: current };
}

function checkContent(tx: Transaction, { next, chainId, limits, gasLimit }: NextBlockRules): void {
  asPoolError("type-not-supported", () => checkTypeAccepted(tx, next));
  const { maxInitcodeSize } = next;
  const { length } = tx.input;
  if (maxInitcodeSize !== undefined && length > maxInitcodeSize && recipientOf(tx) === undefined) {
    const sizes = `code size ${length}, limit ${maxInitcodeSize}`;
    throw new PoolError("initcode-too-large", `max initcode size exceeded: ${sizes}`);
  }
  const maxGas = gasLimit() ?? limits.maxGas;
  if (tx.gas > maxGas) {
    const numbers = `gas ${tx.gas}, limit ${maxGas}`;
    throw new PoolError("gas-above-limit", `tx gas limit exceeds the upper limit: ${numbers}`);
  }
  if (tx.chainId !== undefined && tx.chainId !== chainId) {
    throw new PoolError("wrong-chain", "invalid chain id");
  }
}

function checkSize(tx: Transaction, { limits }: NextBlockRules): void {
  if (listSize(tx) > limits.maxSize) throw new PoolError("oversized", "oversized data");
}

/** Runs a check of the transaction and turns its error into one of the pool. */
function asPoolError<T>(code: PoolErrorCode, check: () => T): T {
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

function checkGas(tx: Transaction, { current, next }: NextBlockRules, signatureGas: bigint): void {
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
